// The points inside a line drawn by hand: even-odd rule, exact. Fast for a million points, because a
// point is compared only with the edges that cross its own row of pixels.

// xy: x and y of each point in turn. polygon: [[x, y], …], closed automatically. Rows, ascending.
export function rowsInside(xy, polygon) {
  if (polygon.length < 3) return new Uint32Array(0);
  const xs = polygon.map(([x]) => x);
  const ys = polygon.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const edges = edgesByRow(polygon, Math.floor(top), Math.floor(bottom));
  const found = [];
  for (let i = 0; i < xy.length / 2; i++) {
    const x = xy[2 * i];
    const y = xy[2 * i + 1];
    if (x < left || x > right || y < top || y > bottom) continue;
    if (isInside(x, y, edges[Math.floor(y) - Math.floor(top)])) found.push(i);
  }
  return Uint32Array.from(found);
}

function edgesByRow(polygon, first, last) {
  const edges = Array.from({ length: last - first + 1 }, () => []);
  polygon.forEach(([x1, y1], i) => {
    const [x2, y2] = polygon[(i + 1) % polygon.length];
    if (y1 === y2) return; // crosses no row
    for (let row = Math.floor(Math.min(y1, y2)); row <= Math.floor(Math.max(y1, y2)); row++) {
      edges[row - first].push(x1, y1, x2, y2);
    }
  });
  return edges;
}

// The number of edges to the right of the point that cross its height; odd means inside.
function isInside(x, y, edges) {
  let inside = false;
  for (let e = 0; e < edges.length; e += 4) {
    const [x1, y1, x2, y2] = [edges[e], edges[e + 1], edges[e + 2], edges[e + 3]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside;
  }
  return inside;
}
