// Arrays by name for the pictures that draw them (twin_cloud.js). A control that changes only colour or
// camera then sends no positions again. Two pictures may need one array.

const arrays = (window.narrowConeArrays ??= new Map()); // name -> bytes
const holders = (window.narrowConeArrayHolders ??= new Map()); // name -> elements that need it
const held = new WeakMap(); // element -> the name of its array

// data: the length of the name (uint32), the name, the array's own bytes.
export default function ({ data, parentElement }) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const name = new TextDecoder().decode(data.subarray(4, 4 + length));
  if (held.get(parentElement) !== name) {
    release(parentElement);
    held.set(parentElement, name);
    holders.set(name, (holders.get(name) ?? new Set()).add(parentElement));
  }
  arrays.set(name, data.subarray(4 + length));
  window.dispatchEvent(new Event("narrow-cone-array"));
  const holder = parentElement.host ?? parentElement;
  return () => {
    if (!holder.isConnected) release(parentElement);
  };
}

function release(element) {
  const name = held.get(element);
  if (!held.delete(element)) return;
  holders.get(name).delete(element);
  if (holders.get(name).size) return;
  holders.delete(name);
  arrays.delete(name);
}
