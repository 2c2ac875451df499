// The boxes of the pictures on the canvas, in CSS pixels.

const NARROW = 560; // on a narrower canvas the pictures are one below the other
const SMALLEST = 240; // the width of a picture in a row of all
const GAP = 8;
const LEAD_SHARE = 0.45; // of the width, for a leading picture
const NARROW_COLUMNS = 4; // of the small pictures below it

// A small picture has its title and no names of axes, because the space is too small for them.
export function isSmall({ width }) {
  return width < SMALLEST;
}

// The first picture is large; the others are a grid beside it, or below it on a narrow canvas.
export function layOutWithLead(count, width, side) {
  const isNarrow = width < NARROW;
  const across = isNarrow ? width : Math.floor(width * LEAD_SHARE);
  const down = Math.min(side, Math.max(240, Math.round(across * 0.95)));
  const lead = { left: 0, top: 0, width: across, height: down };
  const few = count - 1;
  if (isNarrow) {
    const columns = Math.min(few, NARROW_COLUMNS);
    const size = Math.floor((width - GAP * (columns - 1)) / columns);
    const rows = Math.ceil(few / columns);
    const boxes = cellsOf(few, columns, { left: 0, top: down + GAP, width: size, height: size });
    return { boxes: [lead, ...boxes], height: down + rows * (size + GAP) };
  }
  const rest = width - across - GAP;
  const sizeOf = (columns) => {
    const rows = Math.ceil(few / columns);
    return {
      left: across + GAP,
      top: 0,
      width: Math.floor((rest - GAP * (columns - 1)) / columns),
      height: Math.floor((down - GAP * (rows - 1)) / rows),
    };
  };
  const shorter = (columns) => Math.min(sizeOf(columns).width, sizeOf(columns).height);
  const choices = Array.from({ length: few }, (_, i) => i + 1);
  const columns = choices.reduce((best, each) => (shorter(each) > shorter(best) ? each : best));
  return { boxes: [lead, ...cellsOf(few, columns, sizeOf(columns))], height: down };
}

function cellsOf(count, columns, { left, top, width, height }) {
  return Array.from({ length: count }, (_, i) => ({
    left: left + (i % columns) * (width + GAP),
    top: top + Math.floor(i / columns) * (height + GAP),
    width,
    height,
  }));
}

// {boxes: [{left, top, width, height}], height}: all of the same size, at most `side` high.
export function layOut(count, width, side) {
  const fitsInOneRow = width + GAP >= count * (SMALLEST + GAP);
  const columns = width < NARROW ? 1 : fitsInOneRow ? count : Math.min(count, 2);
  const rows = Math.ceil(count / columns);
  const across = Math.floor((width - GAP * (columns - 1)) / columns);
  const down = Math.min(side, Math.max(240, Math.round(across * 0.95)));
  const boxes = cellsOf(count, columns, { left: 0, top: 0, width: across, height: down });
  return { boxes, height: rows * down + (rows - 1) * GAP };
}

// The columns that give the largest pictures within `height`.
export function layOutToFill(count, width, height) {
  const choices = Array.from({ length: count }, (_, i) => {
    const [columns, rows] = [i + 1, Math.ceil(count / (i + 1))];
    const across = Math.floor((width - GAP * (columns - 1)) / columns);
    const down = Math.max(240, Math.floor((height - GAP * (rows - 1)) / rows));
    return { columns, rows, across, down, shorter: Math.min(across, down) };
  });
  const best = choices.reduce((first, each) => (each.shorter > first.shorter ? each : first));
  const { columns, rows, across, down } = best;
  const boxes = cellsOf(count, columns, { left: 0, top: 0, width: across, height: down });
  return { boxes, height: rows * down + (rows - 1) * GAP };
}

export function boxAt(boxes, x, y) {
  return boxes.findIndex(
    ({ left, top, width, height }) =>
      x >= left && x < left + width && y >= top && y < top + height,
  );
}

export function inDevicePixels({ left, top, width, height }, ratio) {
  const [l, t] = [Math.round(left * ratio), Math.round(top * ratio)];
  return {
    left: l,
    top: t,
    width: Math.round((left + width) * ratio) - l,
    height: Math.round((top + height) * ratio) - t,
  };
}

// The diameter of a point in pixels: the more points, the smaller.
export function pointSize(n) {
  return Math.min(Math.max(9.5 - 1.6 * Math.log10(Math.max(n, 1)), 1), 5);
}

// The number of points at a pixel that counts as many: several times the mean.
export function crowd(n, size, { width, height }) {
  return Math.max(8, (12 * n * size * size) / (width * height));
}
