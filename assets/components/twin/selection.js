// Rows that are chosen: ascending, each once.

// Both, ascending, each once.
export function union(rows, others) {
  return Uint32Array.from(new Set([...rows, ...others])).sort();
}

// The row after (step 1) or before (step -1) `row`; undefined beyond the ends.
export function neighbourIn(rows, row, step) {
  if (row === null || row === undefined) return step > 0 ? rows[0] : rows[rows.length - 1];
  if (step > 0) return rows.find((other) => other > row);
  return rows.findLast((other) => other < row);
}

// Every row once: those of `first` in turn, then the others by their distance, nearest first (of
// equals the lower row). The one after (step 1) or before (step -1) `row`; undefined beyond the
// ends. distances: of each row; one that is Infinity is nowhere. O(n): nothing is sorted.
export function neighbourOutward(distances, first, row, step) {
  const isThere = (one) => distances[one] < Infinity;
  const turns = new Map([...new Set(first)].map((one, turn) => [one, turn]));
  const turnOf = (one) => turns.get(one) ?? turns.size;
  const isPast = (one, other) =>
    step * (turnOf(one) - turnOf(other) || distances[one] - distances[other] || one - other) > 0;
  const from = isThere(row) ? row : undefined;
  let found;
  for (let one = 0; one < distances.length; one++) {
    if (!isThere(one) || (from !== undefined && !isPast(one, from))) continue;
    if (found === undefined || isPast(found, one)) found = one;
  }
  return found;
}
