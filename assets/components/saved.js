// The twin cloud in a file of its own, written by geometry/notebook/page.py.

import { openTwin } from "./twin_view.js";

const MOST_LISTED = 50;
const read = (id) => document.getElementById(id).textContent;
const bytesOf = (id) => Uint8Array.from(atob(read(id)), (letter) => letter.charCodeAt(0));

const described = JSON.parse(read("cloud-description"));
const list = document.getElementById("selected");

openTwin(document.getElementById("cloud"), {
  ...described, points: bytesOf("cloud-points"), codes: bytesOf("cloud-codes"),
}, {
  selected(rows) {
    const lines = [...rows.subarray(0, MOST_LISTED)].map((row) => {
      const line = document.createElement("li");
      line.textContent = described.texts[row];
      return line;
    });
    const count = described.message.words.selected.replace("{n}", rows.length.toLocaleString());
    list.previousElementSibling.textContent = rows.length ? count : "";
    list.replaceChildren(...lines);
  },
  requested() {}, // all texts are in the file
});
