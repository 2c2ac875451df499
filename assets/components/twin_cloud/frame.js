// The frame of a picture: what it must show of the world around the origin, fitted to its box.
//
// The camera sees a world in which its home view shows about [-1, 1]. The lens maps the places of a
// picture to that world: each picture has its own, and all share the camera.

import { CUBE_MARGIN, fromSteps, HOME_ELEVATION, matrixOf } from "./camera.js";

const FRAME_MARGIN = { across: 16, above: 40, below: 40 }; // pixels for the title, the scale, the names
const SMALL_MARGIN = { across: 6, above: 26, below: 6 };
const WAIST = 0.6; // of a cone's height: where its lower rim may begin

// The square or cube of the reach, for a message without frames.
export function plainFrame(reach, k) {
  return { low: Array(k).fill(-reach), high: Array(k).fill(reach), length: reach, isPlain: true };
}

export function blendFrames(first, second, share) {
  const mix = (a, b) => a + share * (b - a);
  return {
    low: first.low.map((value, j) => mix(value, second.low[j])),
    high: first.high.map((value, j) => mix(value, second.high[j])),
    length: mix(first.length, second.length),
  };
}

// {centre, half}: the place in the middle of the box, and the world units of one camera unit.
export function lensOf({ low, high, length, isPlain }, box, isSmall, scale = 1) {
  if (isPlain) return { centre: [0, 0, 0], half: length * Math.max(1, box.height / box.width) };
  const margin = isSmall ? SMALL_MARGIN : FRAME_MARGIN;
  const [above, below] = [margin.above * scale, margin.below * scale];
  const width = Math.max(box.width - 2 * margin.across, 1);
  const height = Math.max(box.height - above - below, 1);
  const lift = (above - below) / 2; // pixels from the middle of the box down to that of the frame
  if (low.length === 2) {
    const pixels = Math.min(width / (high[0] - low[0] || 1), height / (high[1] - low[1] || 1));
    const [x, y] = [0, 1].map((j) => (low[j] + high[j]) / 2);
    return { centre: [x, y + lift / pixels, 0], half: box.height / 2 / pixels };
  }
  // a cylinder around the first axis, which points up, seen from the home view's elevation
  const radius = high[1] || 1;
  const [c, s] = [Math.cos(HOME_ELEVATION), Math.sin(HOME_ELEVATION)];
  const [top, bottom] = low[0] < 0
    ? [1, -1].map((sign) => // a cloud around the origin: an ellipsoid
      ((high[0] + low[0]) / 2) * c + sign * Math.hypot(((high[0] - low[0]) / 2) * c, radius * s))
    // below a cloud that begins at the origin there is only the origin, or the rim of a wide cone
    : [high[0] * c + radius * s, Math.min(0, WAIST * high[0] * c - radius * s)];
  const pixels = Math.min(width / (2 * radius), height / (top - bottom || 1));
  const middle = (top + bottom) / 2 + lift / pixels;
  return { centre: [middle / c, 0, 0], half: box.height / 2 / CUBE_MARGIN[3] / pixels };
}

// The matrix from places to clip space.
export function matrixThrough({ centre, half }, camera, box) {
  const scale = [1, 1, 1].map((one) => one / half);
  const shift = centre.map((value) => -value / half);
  return fromSteps(matrixOf(camera, box.width / box.height), shift, scale);
}
