// The twin cloud in a file of its own, written by geometry/notebook/page.py.

import { openTwin } from "./twin_view.js";

const MOST_LISTED = 50;
const ARRAY = "array-";

// The parts of the file are compressed and in base64.
async function bytesOf({ textContent }) {
  const bytes = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
  const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(opened).arrayBuffer());
}

const description = await bytesOf(document.getElementById("cloud-description"));
const described = JSON.parse(new TextDecoder().decode(description));
const held = await Promise.all([...document.querySelectorAll(`script[id^="${ARRAY}"]`)].map(
  async (part) => [part.id.slice(ARRAY.length), await bytesOf(part)],
));
const list = document.getElementById("selected");
const search = document.getElementById("search");
const texts = described.texts.map((text) => text.toLowerCase());

function selected(rows) {
  const lines = [...rows.subarray(0, MOST_LISTED)].map((row) => {
    const line = document.createElement("li");
    line.textContent = described.texts[row];
    return line;
  });
  const count = described.message.words.selected.replace("{n}", rows.length.toLocaleString());
  list.previousElementSibling.textContent = rows.length ? count : "";
  list.replaceChildren(...lines, ...(rows.length > MOST_LISTED ? ["…"] : []));
}

const requested = () => {}; // all texts are in the file
const twin = openTwin(document.getElementById("cloud"), { ...described, held }, { selected, requested });

function select(rows) {
  twin.select(rows);
  selected(rows);
}

selected(Uint32Array.from(described.selected)); // the pictures select them by themselves
search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  const found = wanted ? texts.flatMap((text, row) => (text.includes(wanted) ? [row] : [])) : [];
  select(Uint32Array.from(found));
});
