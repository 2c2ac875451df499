import assert from "node:assert/strict";
import test from "node:test";

import { homeCamera, toPixels } from "../../assets/components/twin_cloud/camera.js";
import { coneCorners, conesAt, labelsAt } from "../../assets/components/twin_cloud/cone.js";
import { decodeCloud, decodeCodes, placeOf, PlacesNotFinite, valueOf } from "../../assets/components/twin_cloud/decode.js";
import { boxAt, isSmall, layOutWithLead } from "../../assets/components/twin_cloud/layout.js";
import { factorAt, knobsAt, legLength, nearestStep, nextStep, offSlider, onSlider, placeOn, titleAt } from "../../assets/components/twin_cloud/film.js";
import { lensOf, matrixThrough } from "../../assets/components/twin_cloud/frame.js";
import { textOf } from "../../assets/components/twin_cloud/controls.js";
import { centresOf } from "../../assets/components/twin_cloud/groups.js";
import { writeConeLabels, writeGroups } from "../../assets/components/twin_cloud/overlay.js";
import { paintOf, sizeOfStep } from "../../assets/components/twin_cloud/paint.js";
import { notesOf, vectorsOf, wrap } from "../../assets/components/twin_cloud/png.js";
import { Room } from "../../assets/components/twin_cloud/room.js";
import { roundLength, scaleBar, shortNumber } from "../../assets/components/twin_cloud/scale.js";

function message(head, ...arrays) {
  const encoded = new TextEncoder().encode(JSON.stringify(head));
  const padded = Math.ceil(encoded.length / 4) * 4;
  const parts = [new Uint8Array(Uint32Array.of(padded).buffer), encoded, new Uint8Array(padded - encoded.length).fill(32)];
  for (const array of arrays) {
    const body = new Uint8Array(array.buffer);
    parts.push(body, new Uint8Array((4 - (body.length % 4)) % 4));
  }
  const whole = new Uint8Array(1 + parts.reduce((sum, part) => sum + part.length, 0));
  let at = 1; // an odd border, as in a message of Streamlit's
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.subarray(1);
}

test("a cloud in steps and one in floats are read from any border", () => {
  const frames = [
    { type: "u2", low: [-1, 0, 0], step: [0.5, 1, 2] },
    { type: "f4", low: [0, 0, 0], step: [1, 1, 1] },
  ];
  const cloud = decodeCloud(
    message({ n: 1, k: 3, frames }, Uint16Array.of(2, 3, 4), Float32Array.of(7, 8, 9)),
  );
  assert.deepEqual(placeOf(cloud, { a: 0, b: 0, share: 0 }, 0), [0, 3, 8]);
  assert.deepEqual(placeOf(cloud, { a: 0, b: 1, share: 0.5 }, 0), [3.5, 5.5, 8.5]);
});

test("NaN is refused with a message", () => {
  const frames = [{ type: "f4", low: [0, 0], step: [1, 1] }];
  const bytes = message({ n: 1, k: 2, frames }, Float32Array.of(NaN, 0));
  assert.throws(() => decodeCloud(bytes), /NaN or infinite/);
  try {
    decodeCloud(bytes);
  } catch (error) {
    assert.ok(error instanceof PlacesNotFinite);
  }
});

test("codes are bytes, values shares of their range", () => {
  assert.deepEqual([...decodeCodes(message({ n: 3, kind: "codes" }, Uint8Array.of(2, 0, 1))).values], [2, 0, 1]);
  const values = decodeCodes(message({ n: 2, kind: "values", low: 10, high: 20 }, Uint16Array.of(0, 65535)));
  assert.deepEqual([0, 1].map((row) => valueOf(values, row)), [10, 20]);
});

const PRICES = { kind: "values", low: 1, high: 60, hasMissing: true, values: Uint16Array.of(0, 1, 32768, 65535) };
const PRICE = { title: "price", head: "price: ", ends: ["≤ ", "≥ "] };

test("a tooltip quotes no number that is not the point's own", () => {
  const message = { legend: PRICE, words: { noValue: "missing" } };
  const said = [0, 1, 2, 3].map((row) => textOf(row, message, PRICES).about);
  assert.deepEqual(said, ["price missing", "price ≤ 1", "price 30.5", "price ≥ 60"]);
});

test("a downloaded picture has the colours of a scale of numbers between its ends", () => {
  const wide = { measureText: (text) => ({ width: 8 * text.length }) };
  globalThis.document = { createElement: () => ({ getContext: () => wide }) };
  const message = { legend: PRICE, theme, marks: [], name: "", at: 0, alt: "", below: [], provenance: "" };
  const svg = vectorsOf({
    message, codes: PRICES, width: 400, height: 100, n: 4, hidden: 0, at: 0, isHidden: () => false,
    draw() {}, writeOn() {}, canvas: { toDataURL: () => "" },
  }, "serif");
  delete globalThis.document;
  assert.match(svg, />price: ≤ 1 – ≥ 60</);
  const fills = [...svg.matchAll(/<rect[^>]*fill="(rgb[^"]*)"/g)].map(([, fill]) => fill);
  assert.equal(new Set(fills).size, 24);
  assert.deepEqual([fills[0], fills.at(-1)], ["rgb(0,0,0)", "rgb(255,255,255)"]);
});

test("a stop has its name, the way between two their knobs", () => {
  const knobs = [[0, 0], [1, 0], [1, 0.5]];
  const picture = { names: ["Raw", "Centred", "Half"], between: "s {0}, t {1}" };
  assert.equal(titleAt(picture, knobs, 1), "Centred");
  assert.equal(titleAt(picture, knobs, 0.25), "s 0.25, t 0");
  assert.deepEqual(knobsAt(knobs, 1.5), [1, 0.25]);
  assert.equal(titleAt({ names: ["Raw"], between: "" }, knobs, 1.5), "Raw");
});

test("knobs have a position on the path, or none", () => {
  const knobs = [[0, 0], [1, 0], [1, 0.5], [1, 1]];
  assert.equal(placeOn(knobs, [0.25, 0]), 0.25);
  assert.equal(placeOn(knobs, [1, 0.75]), 2.5);
  assert.equal(placeOn(knobs, [1, 1]), 3);
  assert.equal(placeOn(knobs, [0.5, 0.5]), null);
});

test("landmarks are even on the film's slider", () => {
  const landmarks = [0, 1, 9];
  assert.deepEqual([0, 0.5, 1, 5, 9].map((at) => onSlider(landmarks, at)), [0, 0.5, 1, 1.5, 2]);
  assert.deepEqual([0, 0.5, 1, 1.5, 2].map((x) => offSlider(landmarks, x)), [0, 0.5, 1, 5, 9]);
  assert.deepEqual([0, 0.9, 1, 9].map((at) => legLength(landmarks, at)), [1, 1, 8, 8]);
  assert.deepEqual([onSlider([0, 0], 0), offSlider([0, 0], 0)], [0, 0]);
});

test("cones turn into each other, and those that are not drawn are left out", () => {
  const cone = { axis: [1, 0, 0], degrees: 20, label: "narrow", isDrawn: true };
  const stops = [[cone], [{ ...cone, axis: [0, 1, 0], degrees: 40, label: "wide" }], []];
  const [half] = conesAt(stops, { a: 0, b: 1, share: 0.5 });
  assert.equal(half.degrees, 30);
  assert.ok(Math.abs(half.axis[0] - Math.SQRT1_2) < 1e-9);
  assert.equal(conesAt([[{ ...cone, isDrawn: false }]], { a: 0, b: 0, share: 0 }).length, 0);
  assert.equal(conesAt(stops, { a: 1, b: 2, share: 0.5 }).length, 0);
  const opened = [[cone], [{ ...cone, degrees: 93, isDrawn: false }]];
  assert.equal(conesAt(opened, { a: 0, b: 1, share: 1 }).length, 0); // the end of the film
  assert.equal(conesAt(opened, { a: 0, b: 1, share: 0 }).length, 1);
  // a cone's words are those of a stop; between two stops no number is true
  assert.deepEqual(labelsAt(stops, { a: 0, b: 1, share: 0 }), ["narrow"]);
  assert.deepEqual(labelsAt(stops, { a: 0, b: 1, share: 1 }), ["wide"]);
  assert.deepEqual(labelsAt(stops, { a: 0, b: 1, share: 0.5 }), []);
});

// The place in pixels of a box, through the frame's lens and the home camera.
function placed(frame, box, place, k = frame.low.length) {
  const matrix = matrixThrough(lensOf(frame, box, false), homeCamera(k, 1), box);
  return toPixels(matrix, place, box.width, box.height);
}

test("a flat frame fills its box but for the margins, at one scale", () => {
  const box = { width: 500, height: 400 };
  for (const [low, high] of [[[0, -1], [6, 3]], [[-2, -9], [1, 0]]]) {
    const frame = { low, high, length: 6 };
    const [left, bottom] = placed(frame, box, [...low, 0]);
    const [right, top] = placed(frame, box, [...high, 0]);
    assert.ok(left >= 16 - 1e-3 && right <= 484 + 1e-3 && top >= 40 - 1e-3 && bottom <= 360 + 1e-3);
    assert.ok(Math.abs(right - left - 468) < 1e-3 || Math.abs(bottom - top - 320) < 1e-3);
    const scale = (right - left) / (high[0] - low[0]);
    assert.ok(Math.abs((bottom - top) / (high[1] - low[1]) - scale) < 1e-3);
  }
});

test("a deep frame holds its cylinder however it is turned about the first axis", () => {
  const box = { width: 500, height: 400 };
  for (const low of [0, -3]) {
    const frame = { low: [low, -2, -2], high: [5, 2, 2], length: 5 };
    for (let turn = 0; turn < 6.28; turn += 0.5) {
      const [x, y] = placed(frame, box, [5, 2 * Math.cos(turn), 2 * Math.sin(turn)]);
      assert.ok(x >= 15 && x <= 485);
      if (low === 0) assert.ok(y >= 39);
    }
    const [x, y] = placed(frame, box, [low, 0, 0]);
    assert.ok(Math.abs(x - 250) < 1e-3 && y <= 361);
  }
});

test("words have room where they cover neither points nor each other", () => {
  const points = [[20, 20], [25, 20], [180, 90]];
  const room = new Room({ width: 200, height: 100 }, points.length, (row) => points[row]);
  assert.equal(room.first([[10, 10, 40, 20], [170, 80, 20, 20]]), null);
  assert.deepEqual(room.first([[10, 10, 40, 20], [80, 40, 40, 20]]), [80, 40, 40, 20]);
  assert.equal(room.first([[90, 50, 40, 20]]), null); // that place is taken
  assert.equal(room.first([[190, 40, 40, 20]]), null); // not wholly in the picture
  assert.deepEqual(room.least([[10, 10, 40, 20], [170, 80, 20, 20]]), [170, 80, 20, 20]);
});

// What `write` puts on an empty picture above these points: [text, x, y], 8 pixels a letter.
function written(points, write) {
  const box = { left: 0, top: 0, width: 400, height: 300 };
  const words = [];
  const pen = {
    measureText: (text) => ({ width: 8 * text.length }),
    strokeText() {},
    fillText: (...word) => words.push(word),
  };
  const room = new Room(box, points.length, (row) => points[row]);
  write(pen, box, { ink: "", paper: "" }, (pixels) => `${pixels}px serif`, room);
  return words;
}

test("names of groups do not touch", () => {
  const at = (...places) => written([], (pen, ...rest) => writeGroups(
    pen, places.map((place, i) => ({ name: ["law", "music", "travel", "sport"][i], place })), ...rest));
  const places = at([200, 150], [214, 151], [196, 146], [290, 149]);
  assert.equal(places.length, 4);
  for (const [i, [text, x, y]] of places.entries()) {
    for (const [other, left, top] of places.slice(i + 1)) {
      const wide = Math.min(x + 8 * text.length, left + 8 * other.length) - Math.max(x, left);
      const high = Math.min(y, top) + 17.5 - Math.max(y, top);
      assert.ok(wide <= -4 || high <= -4, `${text} touches ${other}`);
    }
  }
});

test("a cone's words are in the corner with few points, or nowhere", () => {
  const labels = (points) => written(points, (pen, ...rest) => writeConeLabels(pen, ["half within 40°"], ...rest));
  const cloud = Array.from({ length: 200 }, (_, i) => [200 + (i % 20), 140 + i / 20]);
  assert.equal(labels(cloud).length, 1);
  const everywhere = Array.from({ length: 1200 }, (_, i) => [10 * (i % 40), 10 * Math.floor(i / 40)]);
  assert.deepEqual(labels(everywhere), []);
});

test("the centre of a group is the mean of its points, also between two stops", () => {
  const places = (values) => ({ values: Float32Array.from(values), low: [1, 0], step: [2, 1] });
  const cloud = { n: 3, k: 2, frames: [places([0, 0, 2, 4, 9, 9]), places([1, 0, 3, 4, 9, 9])] };
  const codes = Uint8Array.of(0, 0, 1);
  assert.deepEqual(centresOf(cloud, { a: 0, b: 1, share: 0 }, codes, 1), [[3, 2, 0]]);
  assert.deepEqual(centresOf(cloud, { a: 0, b: 1, share: 0.5 }, codes, 1), [[4, 2, 0]]);
});

test("a cone's mouth stands at its angle around its axis", () => {
  const axis = [0.6, 0, 0.8];
  const corners = coneCorners({ axis, degrees: 25 }, 2);
  for (let i = 1; i < corners.length / 3; i++) {
    const corner = corners.slice(3 * i, 3 * i + 3);
    const length = Math.hypot(...corner);
    const cosine = corner.reduce((sum, value, j) => sum + value * axis[j], 0) / length;
    assert.ok(Math.abs(length - 2) < 1e-5);
    assert.ok(Math.abs(cosine - Math.cos((25 * Math.PI) / 180)) < 1e-5);
  }
});

test("small pictures are beside a leading one, or below it, and none covers another", () => {
  for (const width of [390, 700, 1040, 1600]) {
    for (const count of [3, 8, 14, 26]) {
      const { boxes, height } = layOutWithLead(count, width, 440);
      assert.equal(boxes.length, count);
      const [lead, ...rest] = boxes;
      assert.ok(rest.every((box) => box.width * box.height < lead.width * lead.height));
      for (const [i, a] of boxes.entries()) {
        assert.ok(a.left >= 0 && a.left + a.width <= width && a.top + a.height <= height);
        assert.equal(boxAt(boxes, a.left + a.width / 2, a.top + a.height / 2), i);
      }
      const isBeside = width >= 560;
      assert.ok(rest.every((box) => (isBeside ? box.left >= lead.width : box.top >= lead.height)));
      assert.equal(isSmall(lead), false);
    }
  }
  assert.equal(isSmall(layOutWithLead(8, 1040, 440).boxes[1]), true);
});

test("scale bars have round lengths", () => {
  assert.deepEqual([0.37, 1, 4.9, 5, 99, 1e-7].map(roundLength), [0.2, 1, 2, 5, 50, 1e-7]);
  assert.equal(roundLength(0), 0);
  const { length, pixels, label } = scaleBar(0.05, 110);
  assert.deepEqual([length, Math.round(pixels), label], [5, 100, "5"]);
  assert.deepEqual([-0.25, 0, 1234567].map(shortNumber), ["−0.25", "0", "1.23e+6"]);
});

const theme = { paper: "#ffffff", other: "#888888", categories: ["#ff0000", "#0000ff"], scale: ["#000000", "#ffffff"] };
const bytes = (paint) => [...new Uint8Array(paint.buffer)];

test("a category has its hue, and beyond the hues another shape", () => {
  const codes = { kind: "codes", values: Uint8Array.of(0, 1, 2) };
  assert.deepEqual(bytes(paintOf(codes, [], 0, theme)), [255, 0, 0, 1, 0, 0, 255, 1, 255, 0, 0, 2]);
});

test("beside a selection the others fade; what is hidden stays hidden", () => {
  const codes = { kind: "codes", values: Uint8Array.of(0, 0, 1) };
  const paint = bytes(paintOf(codes, Uint32Array.of(1), 2, theme));
  assert.deepEqual(paint.slice(4, 8), [255, 0, 0, 1]);
  assert.deepEqual([paint[3], paint[11]], [9, 0]);
  assert.ok(paint[1] > 200 && paint[1] < 255);
});

test("an isolated group keeps its colour, and others lie below in a flat picture", () => {
  const codes = { kind: "codes", values: Uint8Array.of(0, 1, 9) };
  const kinds = (more) => bytes(paintOf(codes, [], 0, theme, more)).filter((_, i) => i % 4 === 3);
  assert.deepEqual(kinds({ isolated: 0b10 }), [9, 1, 9]);
  assert.deepEqual(kinds({ isFlat: true }), [1, 1, 3]);
  assert.deepEqual(kinds({}), [1, 1, 1]);
});

test("a filtered point is grey and behind the others, and a column sizes the points", () => {
  const codes = { kind: "codes", values: Uint8Array.of(0, 0, 0) };
  const paint = bytes(paintOf(codes, [], 1 << 5, theme, { dots: Uint8Array.of(15, 128 + 3, 0) }));
  assert.deepEqual([paint[3], paint[7], paint[11]], [1 + 16 * 15, 9 + 16 * 3, 1]);
  assert.notDeepEqual(paint.slice(4, 7), paint.slice(0, 3));
  assert.equal(sizeOfStep(0), 1);
  assert.ok(sizeOfStep(1) < 1 && sizeOfStep(15) > 3);
  const all = bytes(paintOf(codes, [], 1, theme, { dots: Uint8Array.of(0, 128, 0) }));
  assert.deepEqual([all[3], all[7]], [0, 0]); // what is hidden stays hidden
});

test("a factor is given at stops only, where it is true of every point", () => {
  const factors = [1, 1, 3.5];
  assert.equal(factorAt(factors, { a: 0, b: 1, share: 0.4 }), 1);
  assert.equal(factorAt(factors, { a: 1, b: 2, share: 0 }), 1);
  assert.equal(factorAt(factors, { a: 1, b: 2, share: 0.4 }), null);
  assert.equal(factorAt(factors, { a: 1, b: 2, share: 1 }), 3.5);
  assert.equal(factorAt([], { a: 0, b: 0, share: 0 }), null); // UMAP's lengths mean nothing
});

const CODES = { kind: "codes", values: Uint8Array.of(0, 1, 1) };

test("a picture's notes quote numbers only where they were taken, and count what is shown", () => {
  const words = { shown: "{k} of {n} shown", elsewhere: "elsewhere" };
  const message = { at: 1, alt: "numbers", below: ["raw: × 1"], provenance: "settings", words };
  const stage = { message, at: 1, n: 3, codes: CODES, isAside: false, isHidden: () => false };
  assert.deepEqual(notesOf(stage), ["numbers", "raw: × 1", "settings"]);
  assert.deepEqual(notesOf({ ...stage, at: 0.5 }), ["elsewhere", "settings"]);
  const hidden = { ...stage, isHidden: (row) => CODES.values[row] === 1 };
  assert.deepEqual(notesOf(hidden), ["numbers", "raw: × 1", "1 of 3 shown", "settings"]);
  const aside = { ...stage, message: { ...message, at: null } };
  assert.deepEqual(notesOf(aside), ["elsewhere", "settings"]);
  assert.deepEqual(notesOf({ ...aside, isAside: true }), ["numbers", "raw: × 1", "settings"]);
});

test("a film comes to rest where the page's sliders can stand", () => {
  const knobs = [[0, 0], [1, 0], [1, 0.125], [1, 0.25]];
  assert.equal(nearestStep(knobs, 0.52, 16), 0.5);
  assert.equal(nearestStep(knobs, 0.53, 16), 0.5);
  assert.equal(nearestStep(knobs, 0.54, 16), 0.5625);
  assert.deepEqual([2.2, 2.3, 2.8, 3].map((at) => nearestStep(knobs, at, 16)), [2, 2.5, 3, 3]);
  assert.deepEqual([3, 2.6, 2.5, 2, 1, 0.0625, 0].map((at) => nextStep(knobs, at, -1, 16)),
    [2.5, 2.5, 2, 1.5, 0.9375, 0, 0]);
  assert.deepEqual([0, 0.9375, 1, 2.6, 3].map((at) => nextStep(knobs, at, 1, 16)),
    [0.0625, 1, 1.5, 3, 3]);
});

test("a line is broken between words, between Chinese characters and before a bracket", () => {
  const lines = (text, width) => wrap(text, width, (line) => line.length);
  assert.deepEqual(lines("half within 25° of it", 12), ["half within", "25° of it"]);
  assert.deepEqual(lines("半數在 25° 內（384\u00a0維），", 12), ["半數在 25° 內", "（384\u00a0維），"]);
  assert.deepEqual(lines("太寬，不畫", 3), ["太寬，", "不畫"]);
});
