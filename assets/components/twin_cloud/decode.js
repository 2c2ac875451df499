// Reads what geometry/projection/packing.py packs: a length, a JSON head, arrays aligned to 4 bytes.

const ARRAY_TYPES = { u1: Uint8Array, u2: Uint16Array, f4: Float32Array };
export const SIXTEEN_BITS = 65535;

// A coordinate is not finite; the page shows this error in the reader's language.
export class PlacesNotFinite extends Error {}

function readMessage(bytes) {
  // a copy: typed arrays need aligned bytes, and those in a Streamlit message are not
  const { buffer } = bytes.slice();
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  const take = (type, count) => {
    const array = new ARRAY_TYPES[type](buffer, at, count);
    at += Math.ceil(array.byteLength / 4) * 4;
    return array;
  };
  return { head, take };
}

// {n, k, frames: [{values, low, step}]}: coordinate j of point i is low[j] + step[j] values[k i + j].
export function decodeCloud(bytes) {
  const { head, take } = readMessage(bytes);
  const frames = head.frames.map(({ type, low, step }) => {
    const values = take(type, head.n * head.k);
    if (type === "f4" && !values.every(Number.isFinite)) {
      throw new PlacesNotFinite("a point's place is NaN or infinite; clean the vectors first");
    }
    return { values, low, step };
  });
  return { n: head.n, k: head.k, frames };
}

// {n, kind: "codes", values} or {n, kind: "values", values, low, high, hasMissing} with values in
// 16-bit steps; where some are missing, step 0 is theirs alone.
export function decodeCodes(bytes) {
  const { head, take } = readMessage(bytes);
  return { ...head, values: take(head.kind === "codes" ? "u1" : "u2", head.n) };
}

export function valueOf(codes, row) {
  return codes.low + ((codes.high - codes.low) * codes.values[row]) / SIXTEEN_BITS;
}

// The film's position: between frames a and b of a path, and the share of the way.
export function stretchOf(path, at) {
  const last = path.length - 1;
  const place = Math.min(Math.max(at, 0), last);
  const from = Math.min(Math.floor(place), Math.max(last - 1, 0));
  const share = place - from;
  return { a: path[from], b: path[Math.min(from + 1, last)], share };
}

// The place of a point, three numbers; the third is 0 in a flat picture.
export function placeOf(cloud, { a, b, share }, row, out = [0, 0, 0]) {
  const { k } = cloud;
  const from = cloud.frames[a];
  const to = cloud.frames[b];
  out[2] = 0;
  for (let j = 0; j < k; j++) {
    const start = from.low[j] + from.step[j] * from.values[k * row + j];
    out[j] = share
      ? start + share * (to.low[j] + to.step[j] * to.values[k * row + j] - start)
      : start;
  }
  return out;
}
