import assert from "node:assert/strict";
import test from "node:test";

import { frameOfCamera, homeCamera, matrixOf, orbit, toPixels } from "../../assets/components/twin_cloud/camera.js";
import { rowsInside } from "../../assets/components/twin_cloud/lasso.js";
import { gridOf, nearestRow, projectAll } from "../../assets/components/twin_cloud/picking.js";
import { Splat } from "../../assets/components/twin_cloud/splat.js";
import { chance, cloudOf, framesOf } from "./arrays.mjs";

const STILL = { a: 0, b: 0, share: 0 };
const [WIDTH, HEIGHT] = [300, 200];

function scattered(n, k = 3, seed = 7) {
  const random = chance(seed);
  return Array.from({ length: n }, () => Array.from({ length: k }, () => 2 * random() - 1));
}

test("every point lies where the camera puts it", () => {
  const points = scattered(50);
  const matrix = matrixOf(orbit(homeCamera(3, 1), 33, 12, 200), WIDTH / HEIGHT);
  const { xy, depth } = projectAll(cloudOf(points), STILL, matrix, WIDTH, HEIGHT);
  points.forEach((point, i) => {
    const [x, y, z] = toPixels(matrix, point, WIDTH, HEIGHT);
    assert.ok(Math.abs(xy[2 * i] - x) < 1e-3 && Math.abs(xy[2 * i + 1] - y) < 1e-3);
    assert.ok(Math.abs(depth[i] - z) < 1e-5);
  });
});

test("the nearest row is the one that a search through all finds", () => {
  const points = scattered(400);
  const matrix = matrixOf(homeCamera(3, 1), WIDTH / HEIGHT);
  const projected = projectAll(cloudOf(points), STILL, matrix, WIDTH, HEIGHT);
  const grid = gridOf(projected, WIDTH, HEIGHT);
  const random = chance(3);
  for (let trial = 0; trial < 200; trial++) {
    const [x, y] = [random() * WIDTH, random() * HEIGHT];
    const radius = 2 + 20 * random();
    const squares = points.map(
      (_, i) => (projected.xy[2 * i] - x) ** 2 + (projected.xy[2 * i + 1] - y) ** 2,
    );
    const least = Math.min(...squares);
    const wanted = least <= radius ** 2 ? squares.indexOf(least) : -1;
    assert.equal(nearestRow(grid, x, y, radius), wanted);
  }
});

test("of points at one place the one in front is meant", () => {
  const projected = { xy: Float32Array.of(5, 5, 5, 5, 5, 5), depth: Float32Array.of(0.3, 0.1, 0.2) };
  assert.equal(nearestRow(gridOf(projected, 10, 10), 6, 5, 4), 1);
});

test("a hidden point is nowhere", () => {
  const matrix = matrixOf(homeCamera(2, 1), 1);
  const cloud = cloudOf([[0, 0], [0.5, 0]]);
  const projected = projectAll(cloud, STILL, matrix, 100, 100, (row) => row === 0);
  assert.equal(nearestRow(gridOf(projected, 100, 100), 50, 50, 10), -1);
  assert.equal(nearestRow(gridOf(projected, 100, 100), 75, 50, 10), 1);
});

// Points drawn without a graphics card

const RED = 0x010000ff;
const BLUE = 0x01ff0000;
const FADED_BLUE = 0x09ff0000;

function splatted(frames, paint, { to = null, share = 0, size = 1, side = 10 } = {}) {
  const cloud = framesOf(frames);
  const matrix = matrixOf(homeCamera(cloud.k, 1), 1);
  const splat = new Splat();
  splat.resize(side, side);
  const end = (frame) => ({ values: cloud.frames[frame].values, matrix });
  splat.draw(cloud, end(0), to === null ? null : end(to), share, Uint32Array.from(paint), size);
  return [...splat.colours].flatMap((colour, i) => (colour ? [[i % side, Math.floor(i / side), colour]] : []));
}

test("a point covers the pixel it lies in, counted from below", () => {
  assert.deepEqual(splatted([[[0.1, -0.9]]], [RED]), [[5, 0, RED]]);
  assert.deepEqual(splatted([[[0.1, -0.9], [5, 5]]], [RED, RED], { size: 2 }).length, 4);
});

test("the nearer point hides the farther, a faded one lies behind, a hidden one is nowhere", () => {
  const { back } = frameOfCamera(homeCamera(3, 1));
  const places = [back, back.map((value) => -value), back.map((value) => 0.5 * value)];
  const [[, , first]] = splatted([places], [RED, BLUE, BLUE], { side: 11 });
  assert.equal(first, RED);
  const [[, , second]] = splatted([places], [FADED_BLUE, RED, 0], { side: 11 });
  assert.equal(second, RED);
});

test("half-way through the film a point is drawn half-way", () => {
  const drawn = splatted([[[-0.9, 0.1]], [[0.9, 0.1]]], [RED], { to: 1, share: 0.5 });
  assert.deepEqual(drawn, [[5, 5, RED]]);
});

test("points are drawn where the pointer finds them", () => {
  const points = scattered(30);
  const cloud = cloudOf(points);
  const matrix = matrixOf({ ...homeCamera(3, 1), perspective: true }, WIDTH / HEIGHT);
  const { xy } = projectAll(cloud, STILL, matrix, WIDTH, HEIGHT);
  const splat = new Splat();
  splat.resize(WIDTH, HEIGHT);
  const paint = new Uint32Array(30).fill(RED);
  splat.draw(cloud, { values: cloud.frames[0].values, matrix }, null, 0, paint, 1);
  for (let i = 0; i < 30; i++) {
    const [x, y] = [Math.floor(xy[2 * i]), Math.floor(HEIGHT - xy[2 * i + 1])];
    if (x < 1 || y < 1 || x >= WIDTH - 1 || y >= HEIGHT - 1) continue;
    const around = [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dx) => (y + dy) * WIDTH + x + dx));
    assert.ok(around.some((pixel) => splat.colours[pixel] === RED));
  }
});

// Lasso

test("a lasso of any shape holds what the edges taken one by one say", () => {
  const random = chance(11);
  const xy = Float32Array.from({ length: 2000 }, () => 100 * random());
  for (let trial = 0; trial < 20; trial++) {
    const polygon = Array.from({ length: 12 }, () => [120 * random() - 10, 120 * random() - 10]);
    const wanted = [];
    for (let i = 0; i < 1000; i++) {
      let inside = false;
      polygon.forEach(([x1, y1], e) => {
        const [x2, y2] = polygon[(e + 1) % polygon.length];
        const [x, y] = [xy[2 * i], xy[2 * i + 1]];
        const crosses = y1 > y !== y2 > y;
        if (crosses && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) inside = !inside;
      });
      if (inside) wanted.push(i);
    }
    assert.deepEqual([...rowsInside(xy, polygon)], wanted);
  }
});
