// A twin cloud without the app around it: in a notebook (notebook.js) and in a saved file (saved.js).

import showTwin from "./twin_cloud/twin_cloud.js";
import markup from "./twin_cloud/twin_cloud.html";

const arrays = (window.narrowConeArrays ??= new Map()); // name -> bytes
const texts = (window.narrowConeTexts ??= new Map()); // name -> texts by row
const requests = (window.narrowConeTextRequests ??= new Map()); // name -> function that requests a row's text
const uses = (window.narrowConeUses ??= new Map()); // name -> views on this page that show it

// Whether the page behind an element is dark. The browser's own setting decides where nothing has a
// background.
export function isOnDark(element) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = getComputedStyle(each).backgroundColor; // in whatever space of colours
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    if (alpha > 127) return 0.3 * red + 0.6 * green + 0.1 * blue < 128;
  }
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// cloud: {message, themes: {light, dark}, held, texts, picture} as geometry/notebook/view.py writes it,
// with [name, bytes] of each array in held; picture is a PNG in base64, for a browser without WebGL2.
// actions: {selected(rows), requested(row)}
// Returns {select(rows), answer(row, text), end()}.
export function openTwin(place, { message, themes, held: given, texts: known, picture }, actions) {
  const held = [...given.map((each) => [arrays, ...each]), [texts, message.texts, known]];
  for (const [map, name, value] of held) {
    map.set(name, value);
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  requests.set(message.texts, actions.requested);
  place.classList.add("twin-view");
  place.innerHTML = markup;
  for (const line of [message.alt, ...message.below, message.provenance]) {
    const note = document.createElement("p");
    note.className = "twin-note";
    note.textContent = line;
    place.append(note);
  }
  const root = place.querySelector(".twin");
  const still = () => {
    const image = document.createElement("img");
    image.src = `data:image/png;base64,${picture}`;
    image.alt = message.alt;
    root.replaceChildren(image);
  };
  const emit = (name, value) => {
    const { twin } = root;
    if (name === "missing") still();
    else if (name === "chosen") twin.gestures.select(Uint32Array.of(value));
    else if (name === "selected") actions.selected(twin.stage.rows);
  };
  let shown = null;
  let wanted = null; // rows to select, until the pictures are there
  let finish = () => {};
  const follow = () => {
    if (!place.isConnected) return;
    const theme = isOnDark(place) ? themes.dark : themes.light;
    if (theme === shown) return;
    shown = theme;
    place.style.setProperty("--st-primary-color", theme.band);
    place.style.setProperty("--twin-ink", theme.ink);
    const data = new TextEncoder().encode(JSON.stringify({ ...message, theme }));
    finish = showTwin({ data, parentElement: place, setTriggerValue: emit });
    if (wanted) select(wanted);
  };
  const select = (rows) => {
    const { stage } = root.twin ?? {};
    wanted = stage?.isReady ? null : rows;
    if (wanted || isSame(rows, stage.rows)) return;
    stage.select(rows);
    root.twin.redraw();
  };
  const ending = new AbortController();
  const sized = new ResizeObserver(follow); // also when it comes onto the page
  const themed = new MutationObserver(() => requestAnimationFrame(follow));
  sized.observe(place);
  for (const each of [document.documentElement, document.body]) themed.observe(each, { attributes: true });
  const setting = matchMedia("(prefers-color-scheme: dark)");
  setting.addEventListener("change", () => requestAnimationFrame(follow), { signal: ending.signal });
  follow();
  return {
    select,
    answer(row, text) {
      texts.set(message.texts, { ...texts.get(message.texts), [row]: text });
      window.dispatchEvent(new Event("narrow-cone-text"));
    },
    end() {
      ending.abort();
      sized.disconnect();
      themed.disconnect();
      root.remove();
      finish();
      for (const [map, name] of held) {
        uses.set(name, uses.get(name) - 1);
        if (uses.get(name)) continue;
        uses.delete(name);
        map.delete(name);
        requests.delete(name);
      }
    },
  };
}

function isSame(rows, others) {
  return rows.length === others.length && rows.every((row, i) => row === others[i]);
}
