// Colours as the shaders read them, and the colour and shape of a category.

export function rgb(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function mixColours(first, second, share) {
  return first.map((value, j) => value + share * (second[j] - value));
}

// The shapes in text: SYMBOL_SIGNS of geometry/palette.py.
export const SIGNS = ["●", "◆"];
export const RINGS = { dot: "◦", circle: "○", square: "□", diamond: "◇" };

export const MOST_GROUPS = 8; // in colour; the categories after them are "other"

// The bit of a category; the categories after MOST_GROUPS are hidden and shown together.
export function bitOf(code) {
  return 1 << Math.min(code, MOST_GROUPS);
}

// The colour and the shape (0 or 1) of a category: six hues, then the same hues with another shape.
export function lookOf(code, { categories, other }) {
  if (code >= MOST_GROUPS) return { colour: other, shape: 0, isOther: true };
  const hues = categories.length;
  return { colour: categories[code % hues], shape: Math.floor(code / hues), isOther: false };
}

// The entries of the legend: {bits, name, colour, sign}, with a bit for each category that has a
// name. A single category beyond the colours keeps its own name.
export function groupsOf(names, theme, other) {
  const groups = names.slice(0, MOST_GROUPS).map((name, code) => {
    const { colour, shape } = lookOf(code, theme);
    return { bits: bitOf(code), name, colour, sign: SIGNS[shape] };
  }).filter(({ name }) => name);
  if (names.length <= MOST_GROUPS) return groups;
  const rest = names.length === MOST_GROUPS + 1 ? names[MOST_GROUPS] : other;
  return [...groups, { bits: bitOf(MOST_GROUPS), name: rest, colour: theme.other, sign: SIGNS[0] }];
}
