// Round lengths for a scale bar, and numbers as the page writes them.

// The largest of 1, 2, 5 times a power of ten that is at most `most`; 0 if there is none.
export function roundLength(most) {
  if (!(most > 0) || !Number.isFinite(most)) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((digit) => digit * power).find((length) => length <= most * (1 + 1e-12));
}

export function shortNumber(value) {
  const rounded = Number(value.toPrecision(3));
  const isPlain = rounded === 0 || (Math.abs(rounded) >= 1e-3 && Math.abs(rounded) < 1e6);
  const text = isPlain ? String(rounded) : rounded.toExponential();
  return text.replace("-", "−");
}

// The numbers at the ends of a scale of colours; signs: "≤ " and "≥ " where values beyond have the
// colour of the end, else empty.
export function endsOf({ low, high }, signs) {
  return [low, high].map((value, i) => signs[i] + shortNumber(value));
}

// A bar of at most `most` pixels for a picture whose pixels are `unit` world units.
export function scaleBar(unit, most) {
  const length = roundLength(unit * most);
  return { length, pixels: length ? length / unit : 0, label: shortNumber(length) };
}
