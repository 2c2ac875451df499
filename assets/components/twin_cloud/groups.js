// The centres of groups of points, for their names.

const knownCentres = new WeakMap(); // a frame's values -> codes -> centres

// The centre (three numbers) of each of the first `count` groups between two frames of a cloud.
export function centresOf(cloud, { a, b, share }, codes, count) {
  const from = centresIn(cloud, a, codes, count);
  if (!share) return from;
  const to = centresIn(cloud, b, codes, count);
  return from.map((centre, i) => centre.map((value, j) => value + share * (to[i][j] - value)));
}

function centresIn({ n, k, frames }, index, codes, count) {
  const { values, low, step } = frames[index];
  const before = knownCentres.get(values);
  if (before?.codes === codes && before.count === count) return before.centres;
  const sums = Array.from({ length: count }, () => [0, 0, 0]);
  const sizes = new Uint32Array(count);
  for (let i = 0; i < n; i++) {
    const code = codes[i];
    if (code >= count) continue;
    sizes[code]++;
    for (let j = 0; j < k; j++) sums[code][j] += values[k * i + j];
  }
  const centres = sums.map((sum, code) =>
    sum.map((value, j) => (j < k ? low[j] + (step[j] * value) / Math.max(sizes[code], 1) : 0)));
  knownCentres.set(values, { codes, count, centres });
  return centres;
}
