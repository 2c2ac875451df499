// Selected rows as few bytes for the server (geometry/projection/packing.py reads them).

const CHUNK = 0x8000; // the most arguments of a call

function base64(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += CHUNK) {
    parts.push(String.fromCharCode(...bytes.subarray(i, i + CHUNK)));
  }
  return btoa(parts.join(""));
}

// rows ascending, each below n: as a bitmap, or as numbers if they are few.
export function packRows(rows, n) {
  if (rows.length * 32 < n) {
    const bytes = new Uint8Array(rows.length * 4);
    const view = new DataView(bytes.buffer);
    rows.forEach((row, i) => view.setUint32(4 * i, row, true));
    return `rows:${base64(bytes)}`;
  }
  const bits = new Uint8Array(Math.ceil(n / 8));
  for (const row of rows) bits[row >> 3] |= 1 << (row & 7);
  return `bits:${base64(bits)}`;
}
