// Which points are lit: one byte a point, as the shader reads it.

export const PLAIN = 0;
export const FADED = 1;
export const CHOSEN = 2;

// rows ascending; none for a cloud as it is.
export function flagsOf(n, rows) {
  const flags = new Uint8Array(n).fill(rows.length ? FADED : PLAIN);
  for (const row of rows) flags[row] = CHOSEN;
  return flags;
}

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
