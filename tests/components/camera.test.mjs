import assert from "node:assert/strict";
import test from "node:test";

import {
  cameraText, frameOfCamera, homeCamera, matrixOf, movedCamera, orbit, pan, toPixels, zoom,
} from "../../assets/components/twin_cloud/camera.js";

const near = (found, wanted, tolerance = 1e-4) =>
  found.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < tolerance, `${found} ${wanted}`));
const projected = (camera, place, width = 400, height = 200) =>
  toPixels(matrixOf(camera, width / height), place, width, height);

test("the flat home view holds the square of the reach, upright", () => {
  const camera = homeCamera(2, 10);
  near(projected(camera, [0, 0, 0]).slice(0, 2), [200, 100]);
  near(projected(camera, [10, 10, 0]).slice(0, 2), [300, 0]);
  near(projected(camera, [-10, -10, 0]).slice(0, 2), [100, 200]);
});

test("the camera in the address gives the same picture again", () => {
  const home = homeCamera(3, 2);
  assert.equal(cameraText(home), "");
  const turned = zoom(orbit(home, 60, -20, 300), 2);
  assert.match(cameraText(turned), /^-\d+,\d+,2$/);
  for (const camera of [turned, pan(turned, 30, 40, 300)]) {
    const again = movedCamera(home, cameraText(camera).split(",").map(Number));
    near(projected(again, [1, 1, 1]), projected(camera, [1, 1, 1]), 3); // degrees are rounded
  }
  assert.equal(cameraText(pan(turned, 30, 40, 300)).split(",").length, 6);
});

test("the camera of a flat picture has no angles, and is exact as far as one can zoom", () => {
  const home = homeCamera(2, 2);
  assert.equal(cameraText(home), "");
  assert.equal(cameraText(zoom(home, 2)), "2");
  for (const factor of [0.3, 2, 900]) {
    const moved = pan(zoom(home, factor), 70, -33, 300);
    const numbers = cameraText(moved).split(",").map(Number);
    assert.equal(numbers.length, 4);
    const again = movedCamera(home, numbers);
    near(projected(again, moved.target).slice(0, 2), projected(moved, moved.target).slice(0, 2), 2);
    near([again.span / moved.span], [1], 0.02);
  }
});

test("an orbit never tips over the pole", () => {
  const { up } = frameOfCamera(orbit(homeCamera(3, 1), 0, 1e6, 200));
  assert.ok(up[0] >= 0); // the first axis points up
});

test("a pan moves every point by the pixels of the hand, in orthography", () => {
  const camera = orbit(homeCamera(3, 5), 40, -20, 200);
  const moved = pan(camera, 12, -7, 200);
  for (const place of [[0, 0, 0], [1, 2, 3], [-4, 1, 0]]) {
    const [x, y] = projected(camera, place);
    near(projected(moved, place).slice(0, 2), [x + 12, y - 7], 1e-3);
  }
});

test("a zoom keeps what lies under the hand, and grows all else by its factor", () => {
  const camera = homeCamera(2, 10);
  const place = [3, -2, 0];
  const [x, y] = projected(camera, place);
  const about = [(2 * x) / 400 - 1, 1 - (2 * y) / 200];
  const nearer = zoom(camera, 2, about, 2);
  near(projected(nearer, place).slice(0, 2), [x, y], 1e-3);
  const [otherX] = projected(camera, [4, -2, 0]);
  near([projected(nearer, [4, -2, 0])[0] - x], [2 * (otherX - x)], 1e-3);
});

test("perspective and orthography agree at the distance of the target", () => {
  const flat = homeCamera(3, 2);
  const deep = { ...flat, perspective: true };
  const { right, up, back } = frameOfCamera(flat);
  const beside = right.map((value, j) => 0.5 * value - 0.3 * up[j]);
  near(projected(deep, beside).slice(0, 2), projected(flat, beside).slice(0, 2), 1e-3);
  const [, , depthNear] = projected(deep, back);
  const [, , depthFar] = projected(deep, back.map((value) => -value));
  assert.ok(depthNear < depthFar);
  const middle = projected(deep, [0, 0, 0]);
  const spread = (shift) =>
    projected(deep, beside.map((value, j) => value + shift * back[j]))[0] - middle[0];
  assert.ok(Math.abs(spread(1)) > Math.abs(spread(-1)), "what is nearer is larger");
});

test("what lies behind the eye has no place on the screen", () => {
  const camera = { ...homeCamera(3, 1), perspective: true };
  const behind = frameOfCamera(camera).back.map((value) => 100 * value);
  assert.ok(projected(camera, behind).every(Number.isNaN));
});
