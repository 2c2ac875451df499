// The plane's algebra in the browser, equal to geometry/projection/plane.py up to 1e-9, and the results of
// a drag. Pure functions: no document, no state. A plane is one flat object with the URL's keys:
// {len1, len2, angle, turn, shift_x, shift_y, a_x, a_y, b_x, b_y, c_x, c_y}; angles in degrees.

export const NAMES = ["a", "b", "c"];
export const PAIRS = [[0, 1], [0, 2], [1, 2]];
const ORIGIN = 1e-9; // relative length at or below which a point lies on the origin
const PRECISION = 1e-7; // of positions in a fit, as in plane.py
const HALF_RANGES = [3.5, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 25, 30]; // few, so that it seldom changes
const MARGIN = 1.25; // half range over the farthest arrow, which leaves space for its label
const BACKGROUND = 0.8; // share of the cloud's farthest point; one or two points may be outside
const STILL = [1, 0, 0, 1, 0, 0]; // the identity map

// The unit vector at an angle in degrees from the first axis; exact at right angles.
export function direction(degrees) {
  const quarters = degrees / 90;
  if (Number.isInteger(quarters)) return [[1, 0], [0, 1], [-1, 0], [0, -1]][((quarters % 4) + 4) % 4];
  const theta = (degrees * Math.PI) / 180;
  return [Math.cos(theta), Math.sin(theta)];
}

export function pointsOf(plane) {
  return NAMES.map((name) => [plane[`${name}_x`], plane[`${name}_y`]]);
}

export function shiftOf(plane) {
  return [plane.shift_x, plane.shift_y];
}

// [e1, e2], from the origin of the basis.
export function basisOf(plane) {
  const [first, second] = [direction(plane.turn), direction(plane.turn + plane.angle)];
  return [first.map((part) => plane.len1 * part), second.map((part) => plane.len2 * part)];
}

// A map [m11, m12, m21, m22, t1, t2] takes (x, y) to (m11 x + m12 y + t1, m21 x + m22 y + t2).
export function applied([m11, m12, m21, m22, t1, t2], [x, y]) {
  return [m11 * x + m12 * y + t1, m21 * x + m22 * y + t2];
}

// The map from coordinates to positions.
export function placing(plane) {
  const [[x1, y1], [x2, y2]] = basisOf(plane);
  return [x1, x2, y1, y2, plane.shift_x, plane.shift_y];
}

export function after(outer, inner) {
  const [a, b, c, d, e, f] = inner;
  const [p, q, r, s] = outer;
  return [p * a + q * c, p * b + q * d, r * a + s * c, r * b + s * d, ...applied(outer, [e, f])];
}

export function inverse([a, b, c, d, e, f]) {
  const det = a * d - b * c;
  const [p, q, r, s] = [d / det, -b / det, -c / det, a / det];
  return [p, q, r, s, -(p * e + q * f), -(r * e + s * f)];
}

export function between(from, to, share) {
  return from.map((part, i) => (1 - share) * part + share * to[i]);
}

// [g11, g12, g22] of G = P'P.
export function gram(plane) {
  const [[x1, y1], [x2, y2]] = basisOf(plane);
  return [x1 * x1 + y1 * y1, x1 * x2 + y1 * y2, x2 * x2 + y2 * y2];
}

// Cosines of (a, b), (a, c), (b, c); NaN if a point is the origin up to rounding.
export function pairCosines(points) {
  const lengths = points.map(([x, y]) => Math.hypot(x, y));
  const least = ORIGIN * Math.max(...lengths);
  return PAIRS.map(([i, j]) => {
    if (!(lengths[i] > least && lengths[j] > least)) return NaN;
    return (points[i][0] * points[j][0] + points[i][1] * points[j][1]) / (lengths[i] * lengths[j]);
  });
}

// The ZCA whitening fitted on rows, as a map. A direction without variance is not scaled.
export function whiteningOf(rows) {
  const n = rows.length;
  const mean = [0, 1].map((k) => rows.reduce((sum, row) => sum + row[k], 0) / n);
  let [s11, s12, s22] = [0, 0, 0];
  for (const [x, y] of rows) {
    const [u, v] = [x - mean[0], y - mean[1]];
    s11 += (u * u) / n;
    s12 += (u * v) / n;
    s22 += (v * v) / n;
  }
  const theta = 0.5 * Math.atan2(2 * s12, s11 - s22);
  const [c, s] = [Math.cos(theta), Math.sin(theta)];
  const values = [c * c * s11 + 2 * c * s * s12 + s * s * s22, s * s * s11 - 2 * c * s * s12 + c * c * s22];
  const floor = 4 * PRECISION ** 2 * Math.max(values[0], mean[0] ** 2 + mean[1] ** 2);
  const [f, g] = values.map((value) => (value > floor ? 1 / Math.sqrt(value) : 1));
  const [w11, w12, w22] = [c * c * f + s * s * g, c * s * (f - g), s * s * f + c * c * g];
  return [w11, w12, w12, w22, -(w11 * mean[0] + w12 * mean[1]), -(w12 * mean[0] + w22 * mean[1])];
}

// The map from positions to the picture. whiten: "no", "cloud" or "points".
export function chosenWhitening(plane, whiten, cloud) {
  if (whiten === "no") return STILL;
  const place = placing(plane);
  return whiteningOf((whiten === "cloud" ? cloud : pointsOf(plane)).map((row) => applied(place, row)));
}

// {coordinates, true, whitened}: three cosines each; whitened is null without whitening.
export function cosinesOf(plane, whiten, cloud) {
  const points = pointsOf(plane);
  const place = placing(plane);
  const placed = points.map((point) => applied(place, point));
  const map = chosenWhitening(plane, whiten, cloud);
  return {
    coordinates: pairCosines(points),
    true: pairCosines(placed),
    whitened: whiten === "no" ? null : pairCosines(placed.map((point) => applied(map, point))),
  };
}

// Half the side of a square around the origin that contains every arrow under each map.
export function halfRangeOf(plane, maps, cloud) {
  let needed = 0;
  for (const map of maps) {
    const arrows = [...pointsOf(plane), [1, 0], [0, 1]].map((point) => applied(map, point));
    const points = cloud.map((point) => applied(map, point));
    needed = Math.max(needed, ...arrows.flat().map((part) => MARGIN * Math.abs(part)));
    needed = Math.max(needed, ...points.flat().map((part) => BACKGROUND * Math.abs(part)));
  }
  return HALF_RANGES.find((step) => step >= needed) ?? Math.ceil(needed);
}

// The ellipse of coordinates of length 1 under G, as `count` points. P maps it to a circle.
export function metricEllipse(plane, count) {
  const [m11, m12, m21, m22] = inverse(placing(plane));
  return Array.from({ length: count + 1 }, (_, i) => applied([m11, m12, m21, m22, 0, 0], direction((360 * i) / count)));
}

const clamp = (value, [low, high]) => Math.min(Math.max(value, low), high);

export function rounded(value, decimals) {
  return Number(`${Math.round(Number(`${value}e${decimals}`))}e-${decimals}`) || 0; // 0 instead of -0
}

// The angle in (-180, 180]; unchanged if it already is.
export function turned(degrees) {
  let found = degrees;
  while (found > 180) found -= 360;
  while (found <= -180) found += 360;
  return found;
}

// The nearest target [x, y] within the radius, or undefined.
export function nearest(place, targets, radius) {
  const far = targets.map(([x, y]) => Math.hypot(x - place[0], y - place[1]));
  const least = Math.min(...far);
  return least <= radius ? targets[far.indexOf(least)] : undefined;
}

// The new coordinates of a point dragged to `place`; it snaps to its home.
export function dragPoint(name, place, { limits, homes, radius = 0 }) {
  const [x, y] = nearest(place, [homes[name]], radius) ?? place;
  const key = [`${name}_x`, `${name}_y`];
  return Object.fromEntries([x, y].map((part, i) => [key[i], clamp(rounded(part, 2), limits[key[i]])]));
}

// The changes when a handle is dragged to `place`, in its picture's units. rules: {limits, homes,
// shifts, axes, angles, radius}, the presets' positions and the distance within which it snaps.
// isStandard: true for the picture of the standard basis.
export function carried(name, place, plane, rules, isStandard) {
  if (name === "shift") return dragShift(place, rules);
  if (name === "e1" || name === "e2") return dragAxis(name, place, plane, rules);
  if (isStandard) return dragPoint(name, place, rules);
  const map = placing(plane);
  const home = nearest(place, [applied(map, rules.homes[name])], rules.radius);
  return dragPoint(name, home ? rules.homes[name] : applied(inverse(map), place), { ...rules, radius: 0 });
}

// Whether a handle is at the position of a preset.
export function isAtHome(name, plane, { homes, shifts, axes }) {
  const same = (left, right) => left.every((part, i) => Math.abs(part - right[i]) < 1e-9);
  if (name === "shift") return shifts.some((shift) => same(shift, shiftOf(plane)));
  if (name in homes) return same(homes[name], [plane[`${name}_x`], plane[`${name}_y`]]);
  const now = name === "e1" ? [plane.len1, plane.turn] : [plane.len2, turned(plane.turn + plane.angle)];
  return axes[name].some(({ length, degrees }) => same([length, degrees], now));
}

export function dragShift(place, { limits, shifts, radius = 0 }) {
  const [x, y] = nearest(place, shifts, radius) ?? place;
  return {
    shift_x: clamp(rounded(x, 2), limits.shift_x),
    shift_y: clamp(rounded(y, 2), limits.shift_y),
  };
}

// The basis after the tip of e1 or e2 was dragged to `place`; the other axis does not move.
// axes: the presets' {length, degrees} of that axis; angles: the presets' angles. It snaps to both.
export function dragAxis(which, place, plane, { limits, axes, angles, radius = 0 }) {
  const tip = place.map((part, i) => part - shiftOf(plane)[i]);
  const spots = axes[which].map(({ length, degrees }) => direction(degrees).map((part) => length * part));
  const spot = nearest(tip, spots, radius);
  const { length, degrees } = spot ? axes[which][spots.indexOf(spot)] : polar(tip);
  const found = { [which === "e1" ? "len1" : "len2"]: clamp(length, limits[which === "e1" ? "len1" : "len2"]) };
  const second = plane.turn + plane.angle;
  // the angle between the axes; beyond the limits, the nearer one
  const wanted = degrees === null ? plane.angle : turned(which === "e1" ? second - degrees : degrees - plane.turn);
  const angle = tidy(clamp(wanted < -90 ? wanted + 360 : wanted, limits.angle), angles);
  if (which === "e2") return { ...found, angle };
  return { ...found, angle, turn: tidy(turned(second - angle), [0]) };
}

// Rounded, or exactly a preset's value if it is that up to rounding.
function tidy(degrees, known) {
  return known.find((angle) => Math.abs(angle - degrees) < 1e-9) ?? rounded(degrees, 9);
}

// Positions of tips are rounded to hundredths; a tip at the origin keeps its direction.
function polar(tip) {
  const [x, y] = tip.map((part) => rounded(part, 2));
  const length = rounded(Math.hypot(x, y), 4);
  return { length, degrees: length ? rounded((Math.atan2(y, x) * 180) / Math.PI, 3) : null };
}
