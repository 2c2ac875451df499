// The cone of a picture: its shape, and how it turns and widens between two stops. A band is drawn
// in the same way, as two cones.

const RIM = 48; // corners of a cone's rim
const MANTLE_OPACITY = 0.16;

// Cones between those of two neighbouring stops, turned and widened. Those that are not drawn have only
// a label.
export function conesAt(stops, { a, b, share }) {
  const from = stops[a] ?? [];
  const to = stops[b] ?? [];
  return from
    .map((cone, i) => (share && to[i] ? blend(cone, to[i], share) : cone))
    .filter((_cone, i) => (share === 1 || from[i].isDrawn) && (!share || to[i]?.isDrawn));
}

// The cones' angles in words; none between two stops, where no number is true.
export function labelsAt(stops, { a, b, share }) {
  if (share > 0 && share < 1) return [];
  return (stops[share ? b : a] ?? []).map(({ label }) => label).filter(Boolean);
}

// painter: as in gl.js; cone: {axis, degrees}, drawn from the origin to the edge of the picture.
export function drawCone(painter, cone, reach, matrix, colour) {
  const corners = coneCorners(cone, reach);
  painter.drawShape(corners, painter.gl.TRIANGLE_FAN, matrix, colour, MANTLE_OPACITY);
}

// A fan of triangles around the axis (k numbers, unit), or the two sides of a wedge in 2D.
export function coneCorners({ axis, degrees }, reach) {
  const half = (degrees * Math.PI) / 180;
  const [c, s] = [Math.cos(half) * reach, Math.sin(half) * reach];
  if (axis.length === 2) {
    const [x, y] = axis;
    const out = [0, 0, 0];
    for (let i = 0; i <= RIM; i++) {
      const turn = half * ((2 * i) / RIM - 1);
      const [ct, st] = [Math.cos(turn) * reach, Math.sin(turn) * reach];
      out.push(ct * x - st * y, st * x + ct * y, 0);
    }
    return Float32Array.from(out);
  }
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  const other = [0, 0, 0];
  other[least] = 1;
  const u = unit(cross(axis, other));
  const v = cross(axis, u);
  const out = [0, 0, 0];
  for (let i = 0; i <= RIM; i++) {
    const [ct, st] = [Math.cos((2 * Math.PI * i) / RIM), Math.sin((2 * Math.PI * i) / RIM)];
    for (let j = 0; j < 3; j++) out.push(c * axis[j] + s * (ct * u[j] + st * v[j]));
  }
  return Float32Array.from(out);
}

function blend(first, second, share) {
  const mixed = first.axis.map((value, j) => value + share * (second.axis[j] - value));
  const length = Math.hypot(...mixed) || 1;
  return {
    ...first,
    axis: mixed.map((value) => value / length),
    degrees: first.degrees + share * (second.degrees - first.degrees),
  };
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a) {
  const length = Math.hypot(...a);
  return a.map((value) => value / length);
}
