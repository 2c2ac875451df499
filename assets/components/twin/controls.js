// The buttons above the pictures, and the legend below that filters.

import { valueOf } from "./decode.js";
import { lookOf, RINGS, SIGNS } from "./palette.js";
import { shortNumber } from "./scale.js";

// Labels and states of the buttons for this message.
export function fillBar(root, { words, knobs }, stage) {
  for (const part of root.querySelectorAll("[data-word]")) {
    part.textContent = words[part.dataset.word];
  }
  for (const part of root.querySelectorAll("[data-label]")) {
    part.setAttribute("aria-label", words[part.dataset.label]);
    part.title = words[part.dataset.label];
  }
  for (const part of root.querySelectorAll("[data-hint]")) part.title = words[part.dataset.hint];
  const film = root.querySelector(".twin-film");
  film.hidden = stage.lastStop < 1 || knobs.length < 2;
  film.style.display = film.hidden ? "none" : "";
  film.querySelector("input").max = stage.lastStop;
  root.querySelector('[data-do="perspective"]').hidden = stage.camera.k === 2;
}

export function press(root, name, isPressed) {
  root.querySelector(`[data-do="${name}"]`).setAttribute("aria-pressed", String(isPressed));
}

// A button for each category, which hides or shows it, or the scale of values; then the rings.
export function fillLegend(legend, { theme, legend: labels, marks }, stage, onToggle) {
  const { codes } = stage;
  const rings = marks.map(({ shape, caption }) => [RINGS[shape], caption]);
  const of = JSON.stringify([labels, theme, rings, stage.codesName]);
  if (legend.dataset.of === of) return;
  legend.dataset.of = of;
  legend.replaceChildren();
  legend.setAttribute("aria-label", labels.title);
  if (codes.kind === "values") legend.append(scaleOf(codes, labels.title, theme));
  else fillCategories(legend, labels, theme, stage, onToggle);
  for (const ring of rings) {
    const note = document.createElement("span");
    note.textContent = ring.join(" ");
    legend.append(note);
  }
}

function fillCategories(legend, labels, theme, stage, onToggle) {
  labels.names.forEach((name, code) => {
    const { hue, shape } = lookOf(code, theme.categories.length);
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(((stage.hidden >>> code) & 1) === 0));
    const sign = document.createElement("span");
    sign.textContent = SIGNS[shape];
    sign.style.color = theme.categories[hue];
    sign.setAttribute("aria-hidden", "true");
    button.append(sign, ` ${name}`);
    button.addEventListener("click", () => {
      onToggle(code);
      button.setAttribute("aria-pressed", String(((stage.hidden >>> code) & 1) === 0));
    });
    legend.append(button);
  });
}

function scaleOf(codes, title, theme) {
  const bar = document.createElement("span");
  bar.className = "twin-scale";
  const ramp = document.createElement("span");
  ramp.style.cssText =
    `display:inline-block;width:9rem;height:.7rem;margin:0 .4rem;vertical-align:middle;` +
    `background:linear-gradient(to right, ${theme.scale.join(",")})`;
  const [low, high] = [codes.low, codes.high].map(shortNumber);
  bar.append(`${title}: ${low}`, ...(low === high ? [] : [ramp, high]));
  return bar;
}

// The text of a point, for the tooltip and for screen readers.
export function textOf(row, { legend }, codes, texts) {
  const text = texts?.[row] ?? "";
  const about = codes.kind === "codes"
    ? (legend.names?.[codes.values[row]] ?? "")
    : `${legend.title} ${shortNumber(valueOf(codes, row))}`;
  return { text, about };
}
