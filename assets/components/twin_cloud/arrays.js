// Arrays by name for the pictures that draw them (twin_cloud.js). A control that changes only colour or
// camera then sends no positions again.

const arrays = (window.narrowConeArrays ??= new Map()); // name -> bytes
const held = new WeakMap(); // element -> the name of its array

// data: the length of the name (uint32), the name, the array's own bytes.
export default function ({ data, parentElement }) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const name = new TextDecoder().decode(data.subarray(4, 4 + length));
  const former = held.get(parentElement);
  if (former !== name) arrays.delete(former);
  held.set(parentElement, name);
  arrays.set(name, data.subarray(4 + length));
  window.dispatchEvent(new Event("narrow-cone-array"));
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (!holder.isConnected) arrays.delete(name);
  };
}
