import assert from "node:assert/strict";
import test from "node:test";

import { listenToFilm } from "../../assets/components/twin_cloud/film_slider.js";

const KNOBS = [[0, 0], [1, 0], [1, 1]]; // raw, centred, white
const STEPS = 4;

// What the film asked for, and a slider whose events are sent by hand.
function film(message = { knobs: KNOBS, steps: STEPS }) {
  const slider = Object.assign(new EventTarget(), { value: "0" });
  const calls = [];
  const stage = { message, at: 0, landmarks: [0, 1, 2] };
  const asks = {
    goTo: (at) => calls.push(stage.at = at),
    settle: () => calls.push("settled"),
  };
  listenToFilm(slider, stage, asks, new AbortController().signal);
  const send = (kind, key) =>
    slider.dispatchEvent(Object.assign(new Event(kind, { cancelable: true }), { key }));
  return { calls, send, slider };
}

test("one press is one step, and then the page may follow", () => {
  const { calls, send } = film();
  assert.equal(send("keydown", "ArrowRight"), false); // the browser's own step is not wanted
  send("keyup", "ArrowRight");
  assert.deepEqual(calls, [0.25, "settled"]);
});

test("a key that is held moves on and settles once, when it is let go", () => {
  const { calls, send } = film();
  for (let i = 0; i < 5; i++) send("keydown", "ArrowRight");
  assert.deepEqual(calls, [0.25, 0.5, 0.75, 1, 1.25]);
  send("keyup", "ArrowRight");
  send("blur");
  assert.deepEqual(calls.slice(5), ["settled"]);
});

test("a key that is held while the focus goes elsewhere settles, too", () => {
  const { calls, send } = film();
  send("keydown", "ArrowRight");
  send("blur");
  send("keyup", "ArrowRight");
  assert.deepEqual(calls, [0.25, "settled"]);
});

test("other keys, and a film that no slider follows, are the browser's", () => {
  const { calls, send } = film();
  for (const kind of ["keydown", "keyup"]) assert.equal(send(kind, "Tab"), true);
  const free = film({ knobs: KNOBS });
  assert.equal(free.send("keydown", "ArrowRight"), true);
  assert.deepEqual([...calls, ...free.calls], []);
});

test("a drag moves with the hand and settles at its end", () => {
  const { calls, send, slider } = film();
  slider.value = "0.4";
  send("input");
  send("change");
  assert.deepEqual(calls, [0.4, "settled"]);
});
