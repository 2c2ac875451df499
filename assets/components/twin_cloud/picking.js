// The point under the pointer: all points are projected once and sorted into a grid.

const CELL = 16; // pixels
const NOWHERE = -1e9; // for a point behind the camera or hidden

// xy and depth of every point in pixels of a picture; NOWHERE for hidden points.
export function projectAll(cloud, { a, b, share }, m, width, height, isHidden = null) {
  const { n, k } = cloud;
  const from = cloud.frames[a];
  const to = cloud.frames[b];
  const xy = new Float32Array(2 * n);
  const depth = new Float32Array(n);
  const place = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    if (isHidden && isHidden(i)) {
      xy[2 * i] = xy[2 * i + 1] = NOWHERE;
      continue;
    }
    for (let j = 0; j < k; j++) {
      const start = from.low[j] + from.step[j] * from.values[k * i + j];
      place[j] = share
        ? start + share * (to.low[j] + to.step[j] * to.values[k * i + j] - start)
        : start;
    }
    const [x, y, z] = place;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    const isAhead = w > 1e-3;
    xy[2 * i] = isAhead
      ? (((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) * width) / 2 : NOWHERE;
    xy[2 * i + 1] = isAhead
      ? ((1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * height) / 2 : NOWHERE;
    depth[i] = isAhead ? (m[2] * x + m[6] * y + m[10] * z + m[14]) / w : Infinity;
  }
  return { xy, depth };
}

// Rows sorted by cell (a counting sort), for the points inside the picture.
export function gridOf({ xy, depth }, width, height) {
  const across = Math.max(1, Math.ceil(width / CELL));
  const down = Math.max(1, Math.ceil(height / CELL));
  const n = depth.length;
  const cells = new Int32Array(n);
  const starts = new Uint32Array(across * down + 1);
  for (let i = 0; i < n; i++) {
    const x = xy[2 * i];
    const y = xy[2 * i + 1];
    const isInside = x >= 0 && y >= 0 && x < width && y < height;
    cells[i] = isInside ? Math.floor(y / CELL) * across + Math.floor(x / CELL) : -1;
    if (isInside) starts[cells[i] + 1]++;
  }
  for (let c = 0; c < across * down; c++) starts[c + 1] += starts[c];
  const next = starts.slice(0, -1);
  const rows = new Uint32Array(starts[across * down]);
  for (let i = 0; i < n; i++) if (cells[i] >= 0) rows[next[cells[i]]++] = i;
  return { xy, depth, across, down, starts, rows };
}

// The row nearest to (x, y) within `radius` pixels; of equally near ones that in front; else -1.
export function nearestRow(grid, x, y, radius) {
  const { xy, depth, across, down, starts, rows } = grid;
  const clamp = (value, most) => Math.min(Math.max(Math.floor(value / CELL), 0), most - 1);
  let best = -1;
  let least = radius * radius;
  for (let cy = clamp(y - radius, down); cy <= clamp(y + radius, down); cy++) {
    for (let cx = clamp(x - radius, across); cx <= clamp(x + radius, across); cx++) {
      const cell = cy * across + cx;
      for (let place = starts[cell]; place < starts[cell + 1]; place++) {
        const row = rows[place];
        const square = (xy[2 * row] - x) ** 2 + (xy[2 * row + 1] - y) ** 2;
        const isNearer = square < least || (square === least && best >= 0 && depth[row] < depth[best]);
        if (isNearer || (best < 0 && square <= least)) {
          best = row;
          least = square;
        }
      }
    }
  }
  return best;
}
