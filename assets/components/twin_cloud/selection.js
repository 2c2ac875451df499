// Selected rows: ascending, each once.

// The union, ascending, each once.
export function union(rows, others) {
  return Uint32Array.from(new Set([...rows, ...others])).sort();
}

// The row after (step 1) or before (step -1) `row`; undefined beyond the ends.
export function neighbourIn(rows, row, step) {
  if (row === null || row === undefined) return step > 0 ? rows[0] : rows[rows.length - 1];
  if (step > 0) return rows.find((other) => other > row);
  return rows.findLast((other) => other < row);
}

// The row after (step 1) or before (step -1) `row`, undefined beyond the ends. The order: the rows of
// `first` in turn, then the others by distance, nearest first, of equals the lower row. A row of
// distance Infinity is left out. O(n): nothing is sorted.
export function neighbourOutward(distances, first, row, step) {
  const isThere = (i) => distances[i] < Infinity;
  const turns = new Map([...new Set(first)].map((i, turn) => [i, turn]));
  const turnOf = (i) => turns.get(i) ?? turns.size;
  const isPast = (i, j) =>
    step * (turnOf(i) - turnOf(j) || distances[i] - distances[j] || i - j) > 0;
  const from = isThere(row) ? row : undefined;
  let found;
  for (let i = 0; i < distances.length; i++) {
    if (!isThere(i) || (from !== undefined && !isPast(i, from))) continue;
    if (found === undefined || isPast(found, i)) found = i;
  }
  return found;
}
