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
