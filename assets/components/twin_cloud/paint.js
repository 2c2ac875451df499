// Each point's colour as the shader reads it: red, green, blue, and the point's kind.

import { bitOf, lookOf, mixColours, rgb } from "./palette.js";

const HIDDEN = 0;
const FADED = 8; // added to the kind of a point outside the selection; kinds 1 and 2 are shapes
const BELOW = 3; // the kind of "other" points: circles behind the coloured groups of a flat picture
const LEFT = 0.18; // share of the colour in a faded point
const GREY_LEFT = 0.45; // the same in a point that a filter leaves out
const LEVELS = 256;

// A point's byte among the dots (geometry/projection/twin_message.py): a step of size, and whether it is grey.
const STEP = 15;
const GREY = 128;

// The factor on the size of a point; step 0 is that of all points where no column sizes them.
export function sizeOfStep(step) {
  return step ? 0.4 + 0.2 * step : 1;
}

// codes: as decodeCodes returns them; rows: the selected ones; hidden and isolated: bits of
// categories. Without an isolated one, all are shown alike. dots: a byte for each point, or null.
export function paintOf(codes, rows, hidden, theme, { isolated = 0, isFlat = false, dots = null } = {}) {
  const { values } = codes;
  const isFaint = (code) => isolated !== 0 && (isolated & bitOf(code)) === 0;
  const [plain, faded] = [isFaint, () => true].map((isFaded) =>
    tableOf(codes, hidden, isFaded, theme, isFlat));
  const shift = codes.kind === "values" ? 8 : 0; // values have LEVELS colours
  const paint = new Uint32Array(values.length);
  const others = rows.length ? faded : plain;
  for (let i = 0; i < values.length; i++) paint[i] = others[values[i] >> shift];
  for (const row of rows) paint[row] = plain[values[row] >> shift];
  if (dots) {
    const [red, green, blue] = mixColours(rgb(theme.paper), rgb(theme.other), GREY_LEFT).map((share) => Math.round(255 * share));
    const grey = red | (green << 8) | (blue << 16);
    for (let i = 0; i < values.length; i++) {
      const isGrey = dots[i] & GREY && paint[i] >>> 24;
      const painted = isGrey ? grey | ((1 + FADED) << 24) : paint[i];
      paint[i] = painted | ((dots[i] & STEP) << 28);
    }
  }
  return paint;
}

// The paint of each code, or of each level of a scale.
function tableOf({ kind }, hidden, fades, theme, isFlat) {
  const paper = rgb(theme.paper);
  return Uint32Array.from({ length: LEVELS }, (_, code) => {
    const isValue = kind === "values";
    const isFaded = fades(code);
    const { colour, shape, isOther } = lookOf(code, theme);
    const pure = isValue ? onScale(theme.scale, code / (LEVELS - 1)) : rgb(colour);
    const [red, green, blue] = (isFaded ? mixColours(paper, pure, LEFT) : pure).map((share) =>
      Math.round(255 * share),
    );
    const isHidden = !isValue && (hidden & bitOf(code)) !== 0;
    const marked = isValue ? 1 : isOther && isFlat ? BELOW : 1 + shape;
    const shown = marked + (isFaded ? FADED : 0);
    return (red | (green << 8) | (blue << 16) | ((isHidden ? HIDDEN : shown) << 24)) >>> 0;
  });
}

// Red, green and blue from 0 to 1, at a share of the way along a scale of colours.
export function onScale(stops, share) {
  const place = share * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  return mixColours(rgb(stops[below]), rgb(stops[below + 1]), place - below);
}
