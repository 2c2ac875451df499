// The pictures as a PNG or SVG file: title, legend, numbers and settings; points at twice the size.

import { onScale } from "./paint.js";
import { groupsOf, RINGS } from "./palette.js";
import { endsOf } from "./scale.js";
import { SvgPen } from "./svg.js";

const SCALE = 2;
const PAD = 16;
const LINE = 18;
const ABOVE = PAD + 26; // above the stage
const RAMP = { steps: 24, width: 5, height: 11 }; // a scale of colours

// A word or a Chinese character, with the signs before and after it. A number and its unit are joined by a no-break space.
const PIECES = /[（「]*(?:[\u3000-\uffef]|[^\s\u3000-\uffef]+(?:\u00a0[\u3000-\uffef])?)[，。、：；）」]*\s*|\s+/gu;

// Lines at most `width` wide, broken at spaces if there are any, else where a line is full.
export function wrap(text, width, measure) {
  const lines = [];
  let line = "";
  for (const piece of text.match(PIECES) ?? []) {
    if (line && measure((line + piece).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  if (line) lines.push(line.trimEnd());
  return lines;
}

// hidden: a bit for each category; hidden groups are left out of the legend.
export function legendOf({ legend, theme, words }, codes, hidden) {
  if (codes.kind === "values") {
    const [low, high] = endsOf(codes, legend.ends);
    if (low === high) return [{ text: `${legend.head}${low}` }];
    return [{ scale: theme.scale, text: `${legend.head}${low} – ${high}` }];
  }
  return groupsOf(legend.names, theme, words.other)
    .filter(({ bits }) => (hidden & bits) !== bits)
    .map(({ sign, name, colour }) => ({ sign, text: name, colour }));
}

// The text below: with the numbers only if they were measured on the clouds shown.
export function notesOf(stage) {
  const { message, n } = stage;
  const shown = stage.codes.values.reduce((sum, _code, row) => sum + !stage.isHidden(row), 0);
  const isWhole = shown === n;
  const isThere = message.at === null ? stage.isAside : Math.abs(stage.at - message.at) < 1e-6;
  return [
    ...(isThere ? [message.alt, ...message.below] : [message.words.elsewhere]),
    ...(isWhole ? [] : [message.words.shown.replace("{k}", shown.toLocaleString())
      .replace("{n}", n.toLocaleString())]),
    message.provenance,
  ];
}

// Draws the stage at SCALE, then again at the screen's own. Returns a canvas.
export function pictureOf(stage, typeface) {
  const out = document.createElement("canvas");
  const pen = out.getContext("2d");
  const sheet = sheetOf(stage, typeface, pen);
  out.width = Math.round(stage.width * SCALE);
  out.height = Math.round(sheet.height * SCALE);
  pen.scale(SCALE, SCALE);
  drawSheet(pen, stage, sheet, () => {
    stage.draw(SCALE);
    for (const canvas of [stage.canvas, stage.over]) {
      pen.drawImage(canvas, 0, ABOVE, stage.width, stage.height);
    }
    stage.draw();
  });
  return out;
}

// The same as the text of an SVG file: the points are an embedded image, words and lines are vectors.
export function vectorsOf(stage, typeface) {
  const pen = new SvgPen(stage.width, 0);
  const sheet = sheetOf(stage, typeface, pen);
  pen.height = sheet.height;
  drawSheet(pen, stage, sheet, () => {
    stage.draw(SCALE);
    pen.image(stage.canvas.toDataURL("image/png"), 0, ABOVE, stage.width, stage.height);
    stage.draw();
    pen.save();
    pen.translate(0, ABOVE);
    stage.writeOn(pen);
    pen.restore();
  });
  return String(pen);
}

// The lines above and below the stage, and the height of all.
function sheetOf(stage, typeface, pen) {
  const { message, width, height } = stage;
  const small = `13px ${typeface}`;
  pen.font = small;
  const measure = (text) => pen.measureText(text).width;
  const notes = notesOf(stage).flatMap((text) => wrap(text, width - 2 * PAD, measure));
  const rings = message.marks.map(({ shape, caption }) => ({ text: `${RINGS[shape]} ${caption}` }));
  const entries = [...legendOf(message, stage.codes, stage.hidden), ...rings];
  const rows = rowsOf(entries, width - 2 * PAD, measure);
  const whole = ABOVE + height + PAD + LINE * (rows.length + notes.length) + PAD;
  return { notes, rows, small, large: `600 17px ${typeface}`, height: whole };
}

function drawSheet(pen, { message, width, height }, sheet, drawStage) {
  pen.fillStyle = message.theme.paper;
  pen.fillRect(0, 0, width, sheet.height);
  pen.textBaseline = "middle";
  pen.fillStyle = message.theme.ink;
  pen.font = sheet.large;
  pen.fillText(message.name, PAD, PAD + 6);
  drawStage();
  pen.font = sheet.small;
  let y = ABOVE + height + PAD;
  for (const row of sheet.rows) {
    for (const { sign, scale, text, colour, x } of row) {
      pen.fillStyle = colour;
      if (sign) pen.fillText(sign, PAD + x, y);
      if (scale) drawRamp(pen, scale, PAD + x, y);
      pen.fillStyle = message.theme.ink;
      pen.fillText(text, PAD + x + before({ sign, scale }), y);
    }
    y += LINE;
  }
  pen.fillStyle = message.theme.ink;
  for (const line of sheet.notes) {
    pen.fillText(line, PAD, y);
    y += LINE;
  }
}

// The width of what is before the text. A file of words may be read in a wider typeface than it was
// measured in, so nothing follows the text.
function before({ sign, scale }) {
  return scale ? RAMP.steps * RAMP.width + 6 : sign ? 16 : 0;
}

function drawRamp(pen, scale, left, y) {
  const { steps, width, height } = RAMP;
  for (let i = 0; i < steps; i++) {
    const colour = onScale(scale, i / (steps - 1)).map((share) => Math.round(255 * share));
    pen.fillStyle = `rgb(${colour})`;
    pen.fillRect(left + i * width, y - height / 2, width, height);
  }
}

function rowsOf(entries, width, measure) {
  const rows = [[]];
  let x = 0;
  for (const entry of entries) {
    const across = measure(entry.text) + before(entry) + 20;
    if (x + across > width && x > 0) {
      rows.push([]);
      x = 0;
    }
    rows.at(-1).push({ ...entry, x });
    x += across;
  }
  return rows;
}

export function saveAs(canvas, name) {
  canvas.toBlob((blob) => saveBlob(blob, name), "image/png");
}

export function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000); // after the browser has read it
}
