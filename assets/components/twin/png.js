// The pictures as a PNG file: twice the size, with title, legend, numbers and settings.

import { groupsOf, RINGS } from "./palette.js";
import { shortNumber } from "./scale.js";

const SCALE = 2;
const PAD = 16;
const LINE = 18;

// Lines at most `width` wide, broken at spaces if there are any, else where a line is full.
export function wrap(text, width, measure) {
  const lines = [];
  let line = "";
  for (const piece of text.match(/[\u3000-\uffef]|\S+\s*|\s+/gu) ?? []) {
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
    const [low, high] = [codes.low, codes.high].map(shortNumber);
    const range = low === high ? low : `${low} – ${high}`;
    return [{ text: `${legend.title}: ${range}`, colour: theme.ink }];
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
  const { message, width, height } = stage;
  const out = document.createElement("canvas");
  const pen = out.getContext("2d");
  const small = `13px ${typeface}`;
  pen.font = small;
  const measure = (text) => pen.measureText(text).width;
  const notes = notesOf(stage).flatMap((text) => wrap(text, width - 2 * PAD, measure));
  const rings = message.marks.map(({ shape, caption }) => ({ text: `${RINGS[shape]} ${caption}` }));
  const entries = [...legendOf(message, stage.codes, stage.hidden), ...rings];
  const rows = rowsOf(entries, width - 2 * PAD, measure);
  const head = PAD + 26;
  const whole = head + height + PAD + LINE * (rows.length + notes.length) + PAD;
  out.width = Math.round(width * SCALE);
  out.height = Math.round(whole * SCALE);
  pen.scale(SCALE, SCALE);
  pen.fillStyle = message.theme.paper;
  pen.fillRect(0, 0, width, whole);
  pen.textBaseline = "middle";
  pen.fillStyle = message.theme.ink;
  pen.font = `600 17px ${typeface}`;
  pen.fillText(message.name, PAD, PAD + 6);
  stage.draw(SCALE);
  for (const canvas of [stage.canvas, stage.over]) pen.drawImage(canvas, 0, head, width, height);
  stage.draw();
  pen.font = small;
  let y = head + height + PAD;
  for (const row of rows) {
    for (const { sign, text, colour, x } of row) {
      pen.fillStyle = colour;
      if (sign) pen.fillText(sign, PAD + x, y);
      pen.fillStyle = message.theme.ink;
      pen.fillText(text, PAD + x + (sign ? 16 : 0), y);
    }
    y += LINE;
  }
  pen.fillStyle = message.theme.ink;
  for (const line of notes) {
    pen.fillText(line, PAD, y);
    y += LINE;
  }
  return out;
}

function rowsOf(entries, width, measure) {
  const rows = [[]];
  let x = 0;
  for (const entry of entries) {
    const across = measure(entry.text) + 36;
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
  canvas.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000); // after the browser has read it
  }, "image/png");
}
