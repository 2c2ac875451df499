// Clouds as decodeCloud gives them.

export function cloudOf(points) {
  const k = points[0]?.length ?? 3;
  return framesOf([points], k);
}

export function framesOf(frames, k = frames[0][0].length) {
  return {
    n: frames[0].length,
    k,
    frames: frames.map((points) => ({
      values: Float32Array.from(points.flat()),
      low: new Array(k).fill(0),
      step: new Array(k).fill(1),
    })),
  };
}

// A deterministic stand-in for chance, in [0, 1).
export function chance(seed = 1) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}
