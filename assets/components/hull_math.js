// Sets of points in the plane: their convex hull, and whether it contains the origin.

const CLOSE = 1e-9;

export function turnOf(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The corners of the convex hull, counter-clockwise (Andrew's monotone chain).
export function hullOf(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (ordered) => {
    const chain = [];
    for (const point of ordered) {
      while (chain.length > 1 && turnOf(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// The widest angle at the origin without a point: {gap, from, to}, all in radians. `from` and `to`
// are the edges of the sector with all points, counter-clockwise.
export function sectorOf(points) {
  const angles = points.map(([x, y]) => Math.atan2(y, x)).sort((a, b) => a - b);
  let found = { gap: -1 };
  angles.forEach((angle, i) => {
    const next = i + 1 < angles.length ? angles[i + 1] : angles[0] + 2 * Math.PI;
    if (next - angle > found.gap) found = { gap: next - angle, from: next, to: angle + 2 * Math.PI };
  });
  return found;
}

// Where the origin is, relative to the convex hull: "outside", on its "border", or "inside".
export function placeOfOrigin(points) {
  const others = points.filter((point) => !isOrigin(point));
  const gap = others.length ? sectorOf(others).gap : 2 * Math.PI;
  // an open half-plane has all points: their sector is narrower than 180 degrees
  if (others.length === points.length && gap > Math.PI + CLOSE) return "outside";
  return gap > Math.PI - CLOSE ? "border" : "inside";
}

export function isOrigin([x, y]) {
  return Math.hypot(x, y) < CLOSE;
}

// A unit vector with a positive product with every point: the middle of their sector.
export function directionFor(points) {
  const { from, to } = sectorOf(points);
  return [Math.cos((from + to) / 2), Math.sin((from + to) / 2)];
}
