// The plane's text: the table of cosines, the handles' values, the region for screen readers.

import { NAMES, PAIRS, rounded, turned } from "./plane_math.js";

const MINUS = "−";
export const MARKUP = `
<div class="plane-layout">
  <figure><figcaption></figcaption><svg data-panel="standard" role="group"></svg></figure>
  <figure><figcaption></figcaption><svg data-panel="yours" role="group"></svg></figure>
  <div class="plane-numbers">
    <table></table>
    <div class="plane-notes">
      <p class="plane-key"><span class="plane-dash"></span><span></span></p>
      <p class="plane-key"><span class="plane-solid"></span><span></span></p>
      <p class="plane-hint"></p>
      <div class="plane-buttons">
        <button type="button" data-does="whiten"></button>
        <button type="button" data-does="save"></button>
        <button type="button" data-does="savePixels"></button>
      </div>
    </div>
    <div class="plane-live" role="status" aria-live="polite"></div>
  </div>
</div>`;

function decimals(value, count) {
  return (rounded(value, count) || 0).toFixed(count).replace("-", MINUS);
}

export function brief(value) {
  return String(rounded(value, 2)).replace("-", MINUS);
}

export function filled(text, values) {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => values[name]);
}

function cosineText(value, words) {
  return Number.isNaN(value) ? words.undefined : decimals(value, 3);
}

export function cosinesInWords(values, words) {
  return PAIRS.map(([i, j], row) => `cos(${NAMES[i]}, ${NAMES[j]}) = ${cosineText(values[row], words)}`).join(words.comma);
}

// A head and a row for each of three pairs; columns for coordinates, true and whitened cosines.
export function makeTable(table, words) {
  table.innerHTML = "";
  const head = table.createTHead().insertRow();
  const columns = ["pair", "coordinates", "true", "whitened"];
  for (const column of columns) {
    const cell = document.createElement("th");
    Object.assign(cell, { scope: "col", textContent: words.columns[column] });
    cell.dataset.column = column;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const [i, j] of PAIRS) {
    const row = body.insertRow();
    const name = document.createElement("th");
    Object.assign(name, { scope: "row", textContent: `cos(${NAMES[i]},\u00a0${NAMES[j]})` });
    row.append(name);
    for (const column of columns.slice(1)) row.insertCell().dataset.column = column;
  }
}

// Highlight the column that the chosen reading is about.
export function fillTable(table, cosines, reading, words) {
  const highlighted = reading === "coordinates" ? "coordinates" : "true";
  for (const [column, values] of Object.entries(cosines)) {
    for (const cell of table.querySelectorAll(`[data-column="${column}"]`)) {
      cell.hidden = values === null;
      cell.classList.toggle("plane-highlighted", column === highlighted);
    }
    if (values === null) continue;
    table.querySelectorAll(`td[data-column="${column}"]`).forEach((cell, row) => {
      cell.dataset.value = values[row];
      cell.textContent = cosineText(values[row], words);
    });
  }
}

function handleValue(name, plane, words) {
  if (name === "shift") return filled(words.values.shift, { x: brief(plane.shift_x), y: brief(plane.shift_y) });
  if (name === "e1") return filled(words.values.axis, { length: brief(plane.len1), degrees: brief(plane.turn) });
  if (name === "e2") {
    return filled(words.values.axis, { length: brief(plane.len2), degrees: brief(turned(plane.turn + plane.angle)) });
  }
  return filled(words.values.point, { x: brief(plane[`${name}_x`]), y: brief(plane[`${name}_y`]) });
}

// For screen readers a handle has one number, the first of its two; the text has both.
function handleNumber(name) {
  return { shift: "shift_x", e1: "len1", e2: "len2" }[name] ?? `${name}_x`;
}

export function describeHandle(handle, name, plane, limits, words) {
  const key = handleNumber(name);
  const looks = {
    "aria-label": words.handles[name],
    "aria-roledescription": words.handle,
    "aria-valuemin": limits[key][0],
    "aria-valuemax": limits[key][1],
    "aria-valuenow": plane[key],
    "aria-valuetext": handleValue(name, plane, words),
  };
  for (const [attribute, value] of Object.entries(looks)) {
    if (handle.getAttribute(attribute) !== String(value)) handle.setAttribute(attribute, value);
  }
}

// A sentence for each cosine, for screen readers.
export function spokenCosines(cosines, words) {
  return Object.entries(cosines)
    .filter(([, values]) => values !== null)
    .map(([column, values]) => filled(words.spoken, { column: words.columns[column], cosines: cosinesInWords(values, words) }))
    .join(words.comma);
}
