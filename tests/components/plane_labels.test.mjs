// Labels of the plane: they cover no arrow and no other label.

import test from "node:test";

import { halfSize, placeLabels } from "../../assets/components/plane_labels.js";

const SIDE = 360;
const ARROWS = [[[0, 0], [36, 0]], [[0, 0], [0, 72]], [[0, 0], [72, 144]], [[0, 0], [72, -144]], [[0, 0], [-72, 144]]];
const TEXTS = ["e₁", "e₂", "a (2, 2)", "b (2, −2)", "c (−2, 2)"];
const MARKS = ARROWS.map(([, tip], i) => ({ spots: [tip], text: TEXTS[i], gap: 11 }));

function holds(fact, message) {
  if (!fact) throw new Error(message);
}

test("no label covers an arrow, a label or the edge", () => {
  const boxes = placeLabels(MARKS, ARROWS, SIDE);
  boxes.forEach(({ centre, half }, row) => {
    holds(centre.every((part, i) => Math.abs(part) + half[i] <= SIDE / 2), `${TEXTS[row]} leaves the picture`);
    for (const [[x0, y0], [x1, y1]] of ARROWS) {
      for (let share = 0; share <= 1; share += 0.005) {
        const apart = [x0 + share * (x1 - x0) - centre[0], y0 + share * (y1 - y0) - centre[1]];
        holds(apart.some((part, i) => Math.abs(part) >= half[i]), `${TEXTS[row]} covers an arrow`);
      }
    }
    for (const other of boxes.slice(0, row)) {
      holds([0, 1].some((i) => Math.abs(centre[i] - other.centre[i]) >= half[i] + other.half[i]), `${TEXTS[row]} covers a label`);
    }
  });
});

test("a label takes a later spot when the first is covered", () => {
  const crowd = Array.from({ length: 40 }, (_, i) => [[60 + 2 * i, -160], [60 + 2 * i, 160]]);
  const [box] = placeLabels([{ spots: [[100, 0], [-100, 0]], text: "90°", gap: 5 }], crowd, SIDE);
  holds(box.centre[0] < 0, `stands at ${box.centre}`);
});

test("a small move leaves the labels where they were, beside their arrows", () => {
  const before = placeLabels(MARKS, ARROWS, SIDE);
  const moved = MARKS.map((mark) => ({ ...mark, spots: mark.spots.map(([x, y]) => [x + 1, y + 1]) }));
  const now = placeLabels(moved, ARROWS.map(([start, [x, y]]) => [start, [x + 1, y + 1]]), SIDE, before);
  now.forEach(({ centre }, i) => holds(Math.hypot(...centre.map((part, k) => part - before[i].centre[k])) < 16, TEXTS[i]));
});

test("a wide letter takes more space", () => {
  holds(halfSize("原點")[0] > halfSize("ab")[0], "no wider");
});
