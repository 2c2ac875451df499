// Colours as the shaders take them, and where in a scale a share of it lies.

export function rgb(hex) {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

export function mixColours(one, other, share) {
  return one.map((value, j) => value + share * (other[j] - value));
}

export const SIGNS = ["●", "◆", "■", "✚"]; // of the shapes, in text
export const RINGS = { circle: "○", square: "□", diamond: "◇" };

// The hue and the shape of a category: six hues by four shapes before two look alike.
export function lookOf(code, hues, shapes = 4) {
  return { hue: code % hues, shape: Math.floor(code / hues) % shapes };
}
