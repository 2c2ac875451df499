// Keeps arrays for the pictures that draw them (twin.js looks them up by name), so that a control
// that changes colour or camera only sends no positions again.

const kept = (window.narrowConeArrays ??= new Map()); // name -> bytes
const held = new WeakMap(); // element -> the name it holds

// data: the length of the name (uint32), the name, the array's own bytes.
export default function ({ data, parentElement }) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const name = new TextDecoder().decode(data.subarray(4, 4 + length));
  const former = held.get(parentElement);
  if (former !== name) kept.delete(former);
  held.set(parentElement, name);
  kept.set(name, data.subarray(4 + length));
  window.dispatchEvent(new Event("narrow-cone-array"));
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (!holder.isConnected) kept.delete(name);
  };
}
