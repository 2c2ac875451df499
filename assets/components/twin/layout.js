// Where the pictures lie on the one canvas, in CSS pixels.

const NARROW = 560; // below it they stand one under the other
const GAP = 8;

// {boxes: [{left, top, width, height}], height}: all of one size, `side` high at most.
export function layOut(count, width, side) {
  const columns = width < NARROW ? 1 : Math.min(count, 2);
  const rows = Math.ceil(count / columns);
  const across = Math.floor((width - GAP * (columns - 1)) / columns);
  const down = Math.min(side, Math.max(240, Math.round(across * 0.95)));
  const boxes = Array.from({ length: count }, (_, i) => ({
    left: (i % columns) * (across + GAP),
    top: Math.floor(i / columns) * (down + GAP),
    width: across,
    height: down,
  }));
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

// Pixels across a point: fewer where there are more of them.
export function pointSize(n) {
  return Math.min(Math.max(9.5 - 1.6 * Math.log10(Math.max(n, 1)), 1), 5);
}

// Points at a pixel that count as many: several times what lies there on the mean.
export function crowd(n, size, { width, height }) {
  return Math.max(8, (12 * n * size * size) / (width * height));
}
