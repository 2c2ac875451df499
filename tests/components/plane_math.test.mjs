// The plane's arithmetic by hand and by its laws.

import test from "node:test";

import * as math from "../../assets/components/plane_math.js";

const HOME = { a_x: 2, a_y: 2, b_x: 2, b_y: -2, c_x: -2, c_y: 2 };
const STANDARD = { len1: 1, len2: 1, angle: 90, turn: 0, shift_x: 0, shift_y: 0, ...HOME };
const CROSS = [[2, 0], [-2, 0], [0, 2], [0, -2]]; // isotropic: mean 0, covariance 2 I
const both = (low, high) => [low, high];
const RULES = {
  limits: {
    len1: both(0.25, 3), len2: both(0.25, 3), angle: both(15, 165), turn: both(-180, 180),
    ...Object.fromEntries(["shift_x", "shift_y", ...Object.keys(HOME)].map((key) => [key, both(-4, 4)])),
  },
  homes: { a: [2, 2], b: [2, -2], c: [-2, 2] },
  shifts: [[0, 0], [3, 3]],
  angles: [90, 45, 63.43494882292201],
  axes: {
    e1: [{ length: 1, degrees: 0 }, { length: 2, degrees: 0 }],
    e2: [{ length: 1, degrees: 90 }, { length: 2 ** 0.5, degrees: 45 }, { length: 1.25 ** 0.5, degrees: 63.43494882292201 }],
  },
};

function near(found, wanted, within = 1e-12) {
  const [left, right] = [[found].flat(Infinity), [wanted].flat(Infinity)];
  const fits = left.length === right.length && left.every((part, i) => Object.is(part, right[i]) || Math.abs(part - right[i]) <= within);
  if (!fits) throw new Error(`found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
}

function same(found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) near(NaN, [JSON.stringify(found), JSON.stringify(wanted)]);
}

const plane = (changed) => ({ ...STANDARD, ...changed });
const dragged = (which, place, from, more = {}) => {
  const start = plane(from);
  return { ...start, ...math.dragAxis(which, place, start, { ...RULES, ...more }) };
};

test("the frame holds every arrow with its label", () => {
  const long = plane({ len1: 3, len2: 3, angle: 15 });
  const range = math.halfRangeOf(long, [[1, 0, 0, 1, 0, 0], math.placing(long)], CROSS);
  const [x] = math.applied(math.placing(long), [2, 2]);
  if (!(range >= 1.25 * x && range <= 30)) throw new Error(String(range));
  near(math.halfRangeOf(plane({ a_x: 40 }), [[1, 0, 0, 1, 0, 0]], CROSS), 50);
});

test("a dragged tip is where the hand is, and the other axis stays", () => {
  const second = dragged("e2", [-0.5, 1.2], {});
  near(math.basisOf(second), [[1, 0], [-0.5, 1.2]], 2e-4);
  const first = dragged("e1", [0.6, -0.8], { len2: 2, angle: 45 });
  near([first.len1, first.turn], [1, -53.13]);
  near(math.basisOf(first)[1], [2 ** 0.5, 2 ** 0.5]);
  const shifted = dragged("e1", [3.5, 1], { shift_x: 1, shift_y: 1 });
  near([shifted.len1, shifted.turn, shifted.angle], [2.5, 0, 90]);
});

test("an axis stays within its limits", () => {
  near(dragged("e2", [0.01, 0], {}).len2, 0.25);
  near(dragged("e2", [0, 9], {}).len2, 3);
  near(dragged("e2", [1, -0.1], {}).angle, 15);
  near(dragged("e2", [-1, -0.1], {}).angle, 165);
  near(dragged("e2", [0, 0], { angle: 70 }).angle, 70); // no direction: keeps the last
  const crossed = dragged("e1", [0, 1], { angle: 60 });
  near([crossed.angle, crossed.turn], [15, 45]);
});

test("handles snap to the presets exactly, and only near them", () => {
  const half = dragged("e2", [0.52, 0.97], {}, { radius: 0.1 });
  same([half.len2, half.angle], [1.25 ** 0.5, 63.43494882292201]);
  const back = dragged("e1", [0.96, 0.03], { ...half, turn: 10, angle: 53.43494882292201 }, { radius: 0.1 });
  same([back.len1, back.turn, back.angle], [1, 0, 63.43494882292201]);
  near(dragged("e2", [0.52, 0.97], {}, { radius: 0.01 }).len2, Math.hypot(0.52, 0.97), 1e-4);
  same(math.dragPoint("b", [1.95, -2.04], { ...RULES, radius: 0.1 }), { b_x: 2, b_y: -2 });
  same(math.dragShift([2.9, 3.05], { ...RULES, radius: 0.2 }), { shift_x: 3, shift_y: 3 });
});

test("a point is carried in either picture, and its home catches it where it is drawn", () => {
  const skewed = plane({ len1: 2, len2: 0.5, angle: 90, shift_x: 1 });
  same(math.carried("a", [2, 0.25], skewed, { ...RULES, radius: 0 }, false), { a_x: 0.5, a_y: 0.5 });
  same(math.carried("a", [2, 0.25], skewed, { ...RULES, radius: 0 }, true), { a_x: 2, a_y: 0.25 });
  same(math.carried("a", [4.9, 1.1], skewed, { ...RULES, radius: 0.2 }, false), { a_x: 2, a_y: 2 });
  same(math.carried("a", [4.9, 1.1], skewed, { ...RULES, radius: 0.1 }, false), { a_x: 1.95, a_y: 2.2 });
  same(math.carried("shift", [1, 1], skewed, RULES, false), { shift_x: 1, shift_y: 1 });
  const home = ["a", "e1", "e2", "shift"].map((name) => math.isAtHome(name, skewed, RULES));
  same(home, [true, true, false, false]);
});

test("points and the shift stand at hundredths, within their limits", () => {
  same(math.dragPoint("a", [1.2345, -9], RULES), { a_x: 1.23, a_y: -4 });
  same(math.dragShift([-0.001, 7], RULES), { shift_x: 0, shift_y: 4 });
  near(math.rounded(-1e-9, 2), 0);
  near([540, -180, 180, 63.43494882292201].map(math.turned), [180, 180, 180, 63.43494882292201], 0);
});
