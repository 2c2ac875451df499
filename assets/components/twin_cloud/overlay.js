// Drawn over the points on a 2D canvas: names, scale, rings, the lasso.

import { toPixels } from "./camera.js";
import { MOST_GROUPS } from "./palette.js";
import { wrap } from "./png.js";
import { scaleBar } from "./scale.js";

const MARGIN = 10;
const BAR = 110; // pixels, at most
const RING = 7;
const OUTWARD = 5; // lines beyond the end of an axis at most, for its name
const APART = 5; // pixels around the name of a group
const COVERED = 0.01; // share of the picture's points that are under or beside a cone's words, at most
const DOT = 0.6; // size of the ring around each text that a search found
const SHAPES = {
  dot: (pen, r) => pen.arc(0, 0, DOT * r, 0, 2 * Math.PI),
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

// font: from a size in pixels to a font; room: as in room.js, which all words here share.
export function writeTitle(pen, title, box, theme, font, room) {
  pen.font = `600 ${font(17)}`;
  const share = (box.width - 2 * MARGIN) / pen.measureText(title).width;
  if (share < 1) pen.font = `600 ${font(17 * share)}`; // not cut in a narrow picture
  pen.textBaseline = "top";
  room.take([MARGIN, MARGIN, pen.measureText(title).width, lineOf(pen)]);
  write(pen, title, box.left + MARGIN, box.top + MARGIN, theme);
}

function lineOf(pen) {
  return 1.25 * Number.parseFloat(pen.font.match(/[\d.]+px/)[0]);
}

// The names of the axes and of the origin, where they cover no points.
export function writeAxes(pen, { axes, origin }, ends, matrix, box, theme, font, room) {
  pen.font = font(15);
  pen.textBaseline = "top";
  const line = lineOf(pen);
  const put = (text, [x, y]) => write(pen, text, box.left + x, box.top + y, theme);
  const at = (place) => toPixels(matrix, place, box.width, box.height);
  const isFlat = axes.length === 2;
  axes.forEach((name, j) => {
    const text = isFlat ? [`${name} →`, `↑ ${name}`][j] : name;
    const width = pen.measureText(text).width;
    const there = isFlat
      ? room.least(cornersOf(j, width, line, box))
      : room.first(outward(at([0, 0, 0]), at([0, 1, 2].map((i) => (i === j ? ends[j] : 0))), width, line, box));
    if (there) put(text, there);
  });
  const [x, y] = origin ? at([0, 0, 0]) : [NaN];
  if (!Number.isFinite(x)) return;
  pen.beginPath();
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 2;
  pen.moveTo(box.left + x - 5, box.top + y);
  pen.lineTo(box.left + x + 5, box.top + y);
  pen.moveTo(box.left + x, box.top + y - 5);
  pen.lineTo(box.left + x, box.top + y + 5);
  pen.stroke();
  const width = pen.measureText(origin).width;
  const there = room.first([
    [x - width / 2, y + 7], [x - width - 6, y + 5], [x + 6, y + 5],
    [x - width - 6, y - line - 5], [x - width / 2, y - line - 7],
  ].map((place) => [...place, width, line]));
  if (there) put(origin, there);
}

// Rectangles for the name of an axis of a flat picture: along the bottom, or below the top; then at the
// right end of the first axis.
function cornersOf(axis, width, line, { width: across, height: down }) {
  const right = across - MARGIN - width;
  const lines = [0, 1.2, 2].map((i) => (axis === 0 ? down - MARGIN - line * (1 + i) : MARGIN + line * i));
  const ends = axis === 0 ? [4, -4 - line].map((y) => [right, down / 2 + y]) : [];
  return [...lines.flatMap((y) => [[right, y], [MARGIN, y]]), ...ends].map((place) => [...place, width, line]);
}

// Rectangles beyond the end of an axis, as seen from the origin, up to the edge of the picture.
function outward(from, to, width, line, box) {
  const way = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(...way);
  if (!(length > line)) return []; // the axis points at the reader
  const [x, y] = way.map((part) => part / length);
  const within = (value, most) => Math.min(Math.max(value, MARGIN), most - MARGIN);
  return Array.from({ length: OUTWARD }, (_, i) => [
    within(to[0] + x * (width / 2 + 6 + i * line) - width / 2, box.width - width),
    within(to[1] + y * line * (1 + i) - line / 2, box.height - line),
    width, line,
  ]);
}

function widened([x, y, width, height], by) {
  return [x - by, y - by, width + 2 * by, height + 2 * by];
}

// What the cones are: a block of lines in the corner that covers the fewest points; no block where each
// corner covers many. `former`: the corner of the last picture, which is kept while it fits. Returns the corner.
export function writeConeLabels(pen, labels, box, theme, font, room, former) {
  if (!labels.length) return former;
  pen.font = font(15);
  pen.textBaseline = "top";
  const line = lineOf(pen);
  const measure = (text) => pen.measureText(text).width;
  const most = Math.max(box.width * 0.47, 150);
  // first at a comma: before the angle that is drawn
  const parts = (label) => (measure(label) > most ? label.split(/(?<=，|, )/) : [label]);
  const lines = labels.flatMap(parts).flatMap((part) => wrap(part, most, measure));
  const width = Math.max(...lines.map(measure));
  const size = [width, line * lines.length];
  const [right, bottom] = [box.width - MARGIN - size[0], box.height - MARGIN - 2 * line - size[1]];
  const top = MARGIN + 1.6 * line;
  const corners = [[right, bottom], [MARGIN, top], [MARGIN, bottom], [right, top]]
    .map((place) => [...place, ...size]);
  const near = (each) => room.pointsBelow(widened(each, MARGIN));
  const few = COVERED * near([0, 0, box.width, box.height]);
  const fit = corners.filter((each) => room.isFree(each) && near(each) <= few);
  const kept = former && corners[former.corner];
  const there = room.least(fit.includes(kept) ? [kept] : fit);
  if (!there) return former;
  lines.forEach((text, i) => write(pen, text, box.left + there[0], box.top + there[1] + i * line, theme));
  return { corner: corners.indexOf(there) };
}

// The names of groups at their centres, the first ones first, where there is room; none of a few
// coloured groups if fewer than half of them have room. centres: [{name, place}], places in pixels.
export function writeGroups(pen, groups, box, theme, font, room) {
  const centres = groups.filter(({ place: [x, y] }) => x >= 0 && y >= 0 && x < box.width && y < box.height);
  pen.font = `600 ${font(14)}`;
  pen.textBaseline = "top";
  const line = lineOf(pen);
  const taken = room.taken.length;
  const written = centres.map(({ name, place: [x, y] }) => {
    const width = pen.measureText(name).width;
    const steps = [0, 1, -1, 2, -2, 3, -3].map((step) => [x - width / 2, y - line / 2 + step * 0.65 * line, width, line]);
    const free = steps.find((each) => room.isFree(widened(each, APART)));
    return free ? { name, at: room.take(free) } : null;
  });
  if (groups.length <= MOST_GROUPS && written.filter(Boolean).length * 2 < centres.length) {
    room.taken.length = taken;
    return;
  }
  for (const each of written) {
    if (each) write(pen, each.name, box.left + each.at[0], box.top + each.at[1], theme);
  }
}

// A scale bar for the cloud's own lengths, which are drawn times `factor`; no bar for null. In
// perspective it is true at the distance of the camera's target.
// unit: of the world, in a pixel.
export function drawScale(pen, unit, factor, box, theme, font, room) {
  if (!factor) return;
  const { pixels, label } = scaleBar(unit / factor, BAR);
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
  room.take([MARGIN, box.height - MARGIN - 1.5 * lineOf(pen), pixels, 1.5 * lineOf(pen)]);
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

