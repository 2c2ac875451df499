// The buttons above the pictures, and the legend below that filters.

import { SIXTEEN_BITS, valueOf } from "./decode.js";
import { groupsOf, RINGS } from "./palette.js";
import { endsOf, shortNumber } from "./scale.js";

// Labels and states of the buttons for this message. Buttons with an icon show their word as a
// tooltip.
export function fillBar(root, { words, knobs }, stage) {
  for (const part of root.querySelectorAll("[data-word]")) {
    part.textContent = words[part.dataset.word];
  }
  for (const part of root.querySelectorAll(".twin-icon")) {
    nameIcon(part, words[part.dataset.label ?? part.dataset.do]);
  }
  for (const part of root.querySelectorAll("[data-hint]")) part.title = words[part.dataset.hint];
  const hasFilm = stage.lastStop > 0 && knobs.length > 1;
  root.querySelector('[data-do="play"]').hidden = !hasFilm;
  root.querySelector('[data-set="at"]').setAttribute("aria-label", words.film);
  root.querySelector(".twin-film").classList.toggle("is-absent", !hasFilm);
  root.querySelector('[data-do="perspective"]').hidden = stage.camera.k === 2;
}

export function nameIcon(button, word) {
  button.setAttribute("aria-label", word);
  button.title = word;
}

export function press(root, name, isPressed) {
  root.querySelector(`[data-do="${name}"]`).setAttribute("aria-pressed", String(isPressed));
}

// A button for each group, which hides or shows it and isolates it on hover, or the scale of
// values; then the rings.
// actions: {toggle(bits), isolate(bits)}, a bit for each category; no bit isolates nothing
export function fillLegend(legend, { theme, legend: labels, marks, words }, stage, actions) {
  const { codes } = stage;
  const rings = marks.map(({ shape, caption }) => [RINGS[shape], caption]);
  const of = JSON.stringify([labels, theme, rings, stage.codesName]);
  if (legend.dataset.of === of) return;
  legend.dataset.of = of;
  legend.replaceChildren();
  legend.setAttribute("aria-label", labels.title);
  if (codes.kind === "values") legend.append(scaleOf(codes, labels, theme));
  else {
    for (const group of groupsOf(labels.names, theme, words.other)) {
      legend.append(buttonOf(group, stage, actions));
    }
  }
  for (const ring of rings) {
    const note = document.createElement("span");
    note.textContent = ring.join(" ");
    legend.append(note);
  }
}

// A group is hidden where all its bits are.
function buttonOf({ bits, name, colour, sign }, stage, { toggle, isolate }) {
  const button = document.createElement("button");
  button.type = "button";
  const show = () => button.setAttribute("aria-pressed", String((stage.hidden & bits) !== bits));
  show();
  const mark = document.createElement("span");
  mark.textContent = sign;
  mark.style.color = colour;
  mark.setAttribute("aria-hidden", "true");
  button.append(mark, ` ${name}`);
  button.addEventListener("click", () => {
    toggle(bits);
    show();
  });
  for (const [kinds, shown] of [[["pointerenter", "focus"], bits], [["pointerleave", "blur"], 0]]) {
    for (const kind of kinds) button.addEventListener(kind, () => isolate(shown));
  }
  return button;
}

function scaleOf(codes, { head, ends }, theme) {
  const bar = document.createElement("span");
  bar.className = "twin-scale";
  const ramp = document.createElement("span");
  ramp.style.cssText =
    `display:inline-block;width:9rem;height:.7rem;margin:0 .4rem;vertical-align:middle;` +
    `background:linear-gradient(to right, ${theme.scale.join(",")})`;
  const [low, high] = endsOf(codes, ends);
  bar.append(`${head}${low}`, ...(low === high ? [] : [ramp, high]));
  return bar;
}

// The text of a point, for the tooltip and for screen readers.
export function textOf(row, { legend, words }, codes, texts) {
  const text = texts?.[row] ?? "";
  const about = codes.kind === "codes"
    ? (legend.names?.[codes.values[row]] ?? "")
    : `${legend.title} ${numberOf(row, codes, legend.ends) ?? words.noValue}`;
  return { text, about };
}

// undefined where it is missing
function numberOf(row, codes, ends) {
  const step = codes.values[row];
  const first = codes.hasMissing ? 1 : 0;
  if (step < first) return undefined;
  if (step === first) return endsOf(codes, ends)[0];
  return step === SIXTEEN_BITS ? endsOf(codes, ends)[1] : shortNumber(valueOf(codes, row));
}
