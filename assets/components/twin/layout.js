// The boxes of the pictures on the canvas, in CSS pixels.

const NARROW = 560; // on a narrower canvas the pictures are one below the other
const SMALLEST = 240; // the width of a picture in a row of all
const GAP = 8;

// {boxes: [{left, top, width, height}], height}: all of the same size, at most `side` high.
export function layOut(count, width, side) {
  const hasRoom = width + GAP >= count * (SMALLEST + GAP);
  const columns = width < NARROW ? 1 : hasRoom ? count : Math.min(count, 2);
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

// The diameter of a point in pixels: the more points, the smaller.
export function pointSize(n) {
  return Math.min(Math.max(9.5 - 1.6 * Math.log10(Math.max(n, 1)), 1), 5);
}

// The number of points at a pixel that counts as many: several times the mean.
export function crowd(n, size, { width, height }) {
  return Math.max(8, (12 * n * size * size) / (width * height));
}
