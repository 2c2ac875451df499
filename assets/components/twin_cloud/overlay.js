// Drawn over the points on a 2D canvas: names, scale, rings, the lasso.

import { toPixels } from "./camera.js";
import { scaleBar } from "./scale.js";

const MARGIN = 10;
const BAR = 110; // pixels, at most
const RING = 7;
const SHAPES = {
  circle: (pen, r) => pen.arc(0, 0, r, 0, 2 * Math.PI),
  square: (pen, r) => pen.rect(-r, -r, 2 * r, 2 * r),
  diamond: (pen, r) => {
    pen.moveTo(0, -1.4 * r);
    pen.lineTo(1.4 * r, 0);
    pen.lineTo(0, 1.4 * r);
    pen.lineTo(-1.4 * r, 0);
    pen.closePath();
  },
};

// Text with an outline in the background's colour, so that it is legible above points.
export function write(pen, text, x, y, { ink, paper }, align = "left") {
  pen.textAlign = align;
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = ink;
  pen.fillText(text, x, y);
}

// font: from a size in pixels to a font
export function writeTitle(pen, title, box, theme, font) {
  pen.font = `600 ${font(17)}`;
  pen.textBaseline = "top";
  write(pen, title, box.left + MARGIN, box.top + MARGIN, theme);
}

// The names at the positive ends of the axes and at the origin.
export function writeAxes(pen, { axes, origin, reach }, matrix, box, theme, font) {
  pen.font = font(16);
  pen.textBaseline = "bottom";
  const line = Number.parseFloat(pen.font);
  const visible = (place) => {
    const [x, y] = toPixels(matrix, place, box.width, box.height);
    return Number.isFinite(x) ? [box.left + x, box.top + y] : null;
  };
  const written = []; // a name that would cover another is moved down
  axes.forEach((name, j) => {
    const end = visible([0, 1, 2].map((i) => (i === j ? reach : 0)));
    if (!end) return;
    const width = pen.measureText(name).width;
    const most = box.left + box.width - MARGIN;
    const x = Math.min(Math.max(end[0] - width / 2, box.left + MARGIN), most - width);
    const lowest = box.top + box.height - MARGIN - 2 * line;
    let y = Math.min(Math.max(end[1] - 4, box.top + MARGIN + 2.6 * line), lowest);
    y = freeLine(written, x, y, width, 1.2 * line, lowest);
    written.push([x, y, width]);
    write(pen, name, x, y, theme);
  });
  const middle = origin && visible([0, 0, 0]);
  if (!middle) return;
  pen.beginPath();
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 2;
  pen.moveTo(middle[0] - 5, middle[1]);
  pen.lineTo(middle[0] + 5, middle[1]);
  pen.moveTo(middle[0], middle[1] - 5);
  pen.lineTo(middle[0], middle[1] + 5);
  pen.stroke();
  pen.textBaseline = "top";
  write(pen, origin, middle[0], middle[1] + 8, theme, "center");
}

// The first y from here down, else up, at which a name covers none of those written.
export function freeLine(written, x, y, width, line, lowest) {
  const covers = (at) => written.some(([left, base, extent]) =>
    Math.abs(at - base) < line && x < left + extent && left < x + width);
  for (let steps = 0; steps <= 2 * written.length; steps++) {
    if (y + steps * line <= lowest && !covers(y + steps * line)) return y + steps * line;
    if (!covers(y - steps * line)) return y - steps * line;
  }
  return y;
}

// A scale bar for the cloud's own lengths, which are drawn times `factor`; no bar for null. In
// perspective it is true at the distance of the camera's target.
export function drawScale(pen, camera, factor, box, theme, font) {
  if (!factor) return;
  const { pixels, label } = scaleBar((2 * camera.span) / box.height / factor, BAR);
  if (!pixels) return;
  const [x, y] = [box.left + MARGIN, box.top + box.height - MARGIN];
  pen.beginPath();
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 1.5;
  pen.moveTo(x, y - 5);
  pen.lineTo(x, y);
  pen.lineTo(x + pixels, y);
  pen.lineTo(x + pixels, y - 5);
  pen.stroke();
  pen.font = font(16);
  pen.textBaseline = "bottom";
  write(pen, label, x + pixels / 2, y - 3, theme, "center");
}

export function drawRing(pen, [x, y], shape, theme, size = RING) {
  pen.save();
  pen.translate(x, y);
  for (const [colour, width] of [[theme.paper, 4.5], [theme.accent, 2]]) {
    pen.beginPath();
    SHAPES[shape](pen, size);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
  pen.restore();
}

export function drawLasso(pen, polygon, theme) {
  pen.beginPath();
  polygon.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
  pen.fillStyle = theme.accent;
  pen.globalAlpha = 0.08;
  pen.fill();
  pen.globalAlpha = 1;
  pen.setLineDash([5, 4]);
  pen.strokeStyle = theme.accent;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.setLineDash([]);
}

export function drawFrame(pen, box, theme, isMarked = false) {
  pen.strokeStyle = isMarked ? theme.accent : theme.grid;
  pen.lineWidth = isMarked ? 3 : 1;
  pen.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 1, box.height - 1);
}

// A thin line from a point's place in a picture to its place in the next.
export function drawWay(pen, places, theme) {
  pen.beginPath();
  places.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.strokeStyle = theme.accent;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1;
  pen.stroke();
  pen.globalAlpha = 1;
}

