// Colours as the shaders read them, and the colour and shape of a category.

export function rgb(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function mixColours(first, second, share) {
  return first.map((value, j) => value + share * (second[j] - value));
}

// The shapes in text: SYMBOL_SIGNS of geometry/figures/palette.py.
export const SIGNS = ["●", "◆", "■", "✚"];
export const RINGS = { circle: "○", square: "□", diamond: "◇" };

// The hue and the shape of a category: six hues by four shapes, so 24 categories differ.
export function lookOf(code, hues, shapes = 4) {
  return { hue: code % hues, shape: Math.floor(code / hues) % shapes };
}
