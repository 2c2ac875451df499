import assert from "node:assert/strict";
import test from "node:test";

globalThis.window = new EventTarget();
const { default: take } = await import("../../assets/components/twin_cloud/arrays.js");
const arrays = window.narrowConeArrays;

function sent(element, name) {
  return take({ data: new Uint8Array([name.length, 0, 0, 0, ...new TextEncoder().encode(name), 7]), parentElement: element });
}

test("an array stays for a picture that needs it when another picture goes", () => {
  const [first, second] = [{ isConnected: true }, { isConnected: true }];
  sent(first, "codes");
  const end = sent(second, "codes");
  second.isConnected = false;
  end();
  end();
  assert.deepEqual([...arrays.keys()], ["codes"]);
  sent(first, "other");
  assert.deepEqual([...arrays.keys()], ["other"]);
});
