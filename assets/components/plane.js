// The plane of cosine_basis. A drag is drawn here, within a frame; the server gets a message when it
// ends. plane_math.js computes, plane_picture.js draws, plane_table.js writes numbers and text.

import {
  after, applied, between, carried, chosenWhitening, cosinesOf, halfRangeOf, isAtHome,
  metricEllipse, NAMES, placing, pointsOf,
} from "./plane_math.js";
import {
  BOX, CIRCLE, drawPicture, FINGER, frameOf, makePicture, savedPicture, SIDE,
} from "./plane_picture.js";
import {
  brief, cosinesInWords, describeHandle, filled, fillTable, makeTable, MARKUP, spokenCosines,
} from "./plane_table.js";

const STEP = 0.1; // of an arrow key; a tenth of it with Shift
const SNAP = { mouse: 7, touch: 11 }; // px of the picture
const KEYS_TOGETHER = 300; // ms; key presses closer together are one message
const SPOKEN_AFTER = 700; // ms without a change before a screen reader gets the cosines
const UNANSWERED = 5000; // ms without an answer after which older messages may set the picture again
const MORPH = 700; // ms of the animation of whitening
const REFRAME = 250;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const views = new WeakMap(); // root -> PlaneView

class PlaneView {
  constructor(root) {
    this.root = root;
    this.pending = {}; // changes that the server has not confirmed
    this.serial = 0;
    root.addEventListener("pointerdown", (event) => this.grab(event));
    // some browsers ignore touch-action on parts of an SVG and would scroll the page
    root.addEventListener("touchstart", (event) => this.drag && event.preventDefault(), { passive: false });
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", () => this.letGo());
    root.addEventListener("pointercancel", () => this.abandon());
    root.addEventListener("keydown", (event) => this.press(event));
  }

  // A message from the server: {serial, plane, choices, words, colours, limits, snaps, cloud}.
  receive(message, send) {
    this.send = send;
    const unsure = Object.keys(this.pending).length > 0 && Date.now() - this.sentAt < UNANSWERED;
    if (!unsure || message.serial >= this.serial) {
      this.pending = this.drag || this.keyTimer ? this.pending : {};
      this.serial = Math.max(this.serial, message.serial);
    }
    const looks = JSON.stringify([message.words, message.colours]);
    const before = this.message;
    this.message = message;
    if (looks !== this.looks) this.build();
    this.looks = looks;
    if (before && (this.drag || this.keyTimer || Object.keys(this.pending).length > 0)) {
      this.request(); // the picture is newer than the message and stays as it is
      return;
    }
    const morphs = before && this.choices.whiten !== message.choices.whiten;
    this.plane = message.plane;
    this.choices = message.choices;
    if (morphs) this.animate(MORPH);
    if (this.shown) this.request();
    else this.draw();
    this.speakSoon();
  }

  build() {
    const { words, colours } = this.message;
    this.root.innerHTML = MARKUP;
    const all = (selector) => [...this.root.querySelectorAll(selector)];
    const [standard, yours] = all("svg");
    this.pictures = {
      standard: makePicture(standard, colours, NAMES),
      yours: makePicture(yours, colours, ["shift", "e1", "e2", ...NAMES]),
    };
    this.captions = all("figcaption");
    this.table = this.root.querySelector("table");
    makeTable(this.table, words);
    all(".plane-key").forEach((line, i) => (line.lastElementChild.textContent = words.key[i]));
    for (const [name, colour] of Object.entries(colours)) this.root.style.setProperty(`--plane-${name}`, colour);
    this.root.querySelector("[data-does=whiten]").onclick = () => this.toggleWhitening();
    const save = this.root.querySelector("[data-does=save]");
    save.textContent = words.save;
    save.onclick = () => this.save();
    const savePixels = this.root.querySelector("[data-does=savePixels]");
    savePixels.textContent = words.savePixels;
    savePixels.onclick = () => this.savePixels();
    this.liveRegion = this.root.querySelector(".plane-live");
  }

  request() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.drag?.pointer) this.carry();
      this.draw();
      if (this.motion) this.request();
    });
  }

  animate(duration) {
    if (calm.matches || !this.shown) return;
    this.motion = { ...this.shown, start: performance.now(), duration };
    this.request();
  }

  // The right panel's map from coordinates, and the frame; both may be in the middle of an animation.
  target() {
    const { cloud } = this.message;
    const white = chosenWhitening(this.plane, this.choices.whiten, cloud);
    const map = after(white, placing(this.plane));
    const range = this.drag ? this.shown.range : halfRangeOf(this.plane, [[1, 0, 0, 1, 0, 0], map], cloud);
    if (!this.motion) return { white, range };
    const share = Math.min(1, (performance.now() - this.motion.start) / this.motion.duration);
    const eased = share * share * (3 - 2 * share);
    const now = {
      white: between(this.motion.white, white, eased),
      range: this.drag ? range : this.motion.range + eased * (range - this.motion.range),
    };
    if (share === 1) this.motion = null;
    return now;
  }

  draw() {
    const { words, colours, cloud, limits } = this.message;
    const { plane, choices } = this;
    const isWhite = choices.whiten !== "no";
    this.shown = this.target();
    const place = placing(plane);
    const maps = { standard: [1, 0, 0, 1, 0, 0], yours: after(this.shown.white, place) };
    const frame = frameOf(this.shown.range);
    const points = pointsOf(plane);
    const byCoordinates = choices.reading === "coordinates" && !isWhite;
    const settled = after(chosenWhitening(plane, choices.whiten, cloud), place);
    for (const [panel, picture] of Object.entries(this.pictures)) {
      const coordinates = panel === "standard" || byCoordinates ? points : points.map((point) => applied(settled, point));
      const white = panel === "yours" && isWhite;
      const texts = { e1: "e₁", e2: "e₂" };
      NAMES.forEach((name, i) => (texts[name] = `${name} (${coordinates[i].map(brief).join(", ")})`));
      drawPicture(picture, {
        map: maps[panel],
        points,
        ellipse: metricEllipse(plane, CIRCLE),
        cloud,
        texts,
        titles: white ? words.whiteTitles : words.titles,
        cloudColour: panel === "standard" ? colours.ink : white ? colours.white : colours.raw,
        circles: choices.circle,
      }, frame);
      picture.alt = [panel === "standard" ? words.captions.standard : white ? words.captions.white : words.captions.yours, texts];
      picture.svg.toggleAttribute("data-still", white);
      for (const [name, handle] of Object.entries(picture.handles)) describeHandle(handle, name, plane, limits, words);
    }
    this.cosines = cosinesOf(plane, choices.whiten, cloud);
    fillTable(this.table, this.cosines, choices.reading, words);
    this.captions[0].textContent = words.captions.standard;
    this.captions[1].textContent = isWhite ? words.captions.white : words.captions.yours;
    this.root.querySelector("[data-does=whiten]").textContent = isWhite ? words.undo : words.whiten;
    this.root.querySelector(".plane-hint").textContent = isWhite ? words.hintWhite : words.hint;
    for (const line of this.root.querySelectorAll(".plane-key")) line.hidden = !choices.circle;
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn || 0) + 1);
  }

  // --- pointer and keys

  pixelOf(event, svg) {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top].map((part) => (part * SIDE) / box.width);
  }

  grab(event) {
    const svg = event.target.closest?.("svg[data-panel]");
    if (!svg || event.button > 0 || this.drag || svg.hasAttribute("data-still")) return;
    const picture = this.pictures[svg.dataset.panel];
    const [u, v] = this.pixelOf(event, svg);
    const far = (name) => {
      const [x, y] = picture.frame.pixel(picture.tips[name]);
      return Math.hypot(x - u, y - v);
    };
    const name = Object.keys(picture.handles).reverse().reduce((best, other) => (far(other) < far(best) ? other : best));
    if (far(name) > FINGER) return;
    event.preventDefault();
    picture.handles[name].focus({ preventScroll: true });
    svg.setPointerCapture(event.pointerId);
    const [x, y] = picture.frame.pixel(picture.tips[name]);
    this.motion = null;
    this.drag = { name, picture, apart: [x - u, y - v], before: [this.plane, this.pending], radius: SNAP[event.pointerType] ?? SNAP.mouse };
    this.pending = { ...this.pending };
    svg.toggleAttribute("data-dragging", true);
  }

  move(event) {
    if (!this.drag) return;
    this.drag.pointer = this.pixelOf(event, this.drag.picture.svg);
    this.drag.free = event.shiftKey;
    this.request();
  }

  carry() {
    const { name, picture, apart, pointer, radius, free } = this.drag;
    const inside = (pixel, from) => Math.min(Math.max(pixel, from + 4), from + BOX.side - 4);
    const [u, v] = pointer.map((part, i) => part + apart[i]);
    const place = picture.frame.place([inside(u, BOX.left), inside(v, BOX.top)]);
    const isStandard = picture === this.pictures.standard;
    this.change(carried(name, place, this.plane, this.rules(free ? 0 : radius / picture.frame.scale), isStandard));
    picture.handles[name].classList.toggle("plane-snapped", isAtHome(name, this.plane, this.message.snaps));
  }

  rules(radius) {
    return { limits: this.message.limits, ...this.message.snaps, radius };
  }

  change(found) {
    this.plane = { ...this.plane, ...found };
    Object.assign(this.pending, found);
    this.speakSoon();
  }

  letGo() {
    if (!this.drag) return;
    if (this.drag.pointer) this.carry(); // the last move may not be drawn yet
    this.drag.picture.svg.removeAttribute("data-dragging");
    this.drag.picture.handles[this.drag.name].classList.remove("plane-snapped");
    const moved = this.drag.before[0] !== this.plane;
    this.drag = null;
    if (!moved) return;
    this.animate(REFRAME);
    this.request();
    this.sendChanges();
  }

  abandon() {
    if (!this.drag) return;
    const { before, picture, name } = this.drag;
    picture.svg.removeAttribute("data-dragging");
    picture.handles[name].classList.remove("plane-snapped");
    [this.plane, this.pending] = before;
    this.drag = null;
    this.request();
  }

  press(event) {
    if (event.key === "Escape") this.abandon();
    const way = ARROWS[event.key];
    const handle = event.target.closest?.("[data-handle]");
    if (!way || !handle || this.drag || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault(); // the arrows would scroll the page
    const name = handle.dataset.handle;
    const isStandard = handle.closest("svg").dataset.panel === "standard";
    const picture = this.pictures[isStandard ? "standard" : "yours"];
    const step = event.shiftKey ? STEP / 10 : STEP;
    // in both pictures an arrow key changes a point's coordinates, along the lattice
    const isPoint = NAMES.includes(name);
    const from = isPoint ? [this.plane[`${name}_x`], this.plane[`${name}_y`]] : picture.tips[name];
    const place = from.map((part, i) => part + step * way[i]);
    this.change(carried(name, place, this.plane, this.rules(0), isStandard || isPoint));
    this.draw();
    clearTimeout(this.keyTimer);
    this.keyTimer = setTimeout(() => {
      this.keyTimer = null;
      this.sendChanges();
    }, KEYS_TOGETHER);
  }

  toggleWhitening() {
    const whiten = this.choices.whiten === "no" ? "cloud" : "no";
    this.choices = { ...this.choices, whiten };
    this.animate(MORPH);
    this.pending.whiten = whiten;
    this.request();
    this.speakSoon();
    this.sendChanges();
  }

  // --- the server and screen readers

  // Send all unconfirmed changes: of two messages at the same time only the later arrives.
  sendChanges() {
    this.serial += 1;
    this.sentAt = Date.now();
    this.send({ serial: this.serial, ...this.pending });
  }

  speakSoon() {
    clearTimeout(this.speakTimer);
    this.speakTimer = setTimeout(() => {
      const { words } = this.message;
      const text = spokenCosines(this.cosines, words);
      if (this.lastText && this.lastText !== text) this.liveRegion.textContent = text; // not when the page opens
      this.lastText = text;
      for (const [panel, picture] of Object.entries(this.pictures)) {
        const [title, texts] = picture.alt;
        const values = panel === "standard" ? this.cosines.coordinates : (this.cosines.whitened ?? this.cosines.true);
        const where = NAMES.map((name) => texts[name]).join(words.comma);
        picture.svg.setAttribute("aria-label", filled(words.alt, { title, where, cosines: cosinesInWords(values, words) }));
      }
    }, this.lastText ? SPOKEN_AFTER : 0);
  }

  save() {
    download(new Blob([this.picture()], { type: "image/svg+xml" }), "cosine-basis.svg");
  }

  // The same picture at twice its size.
  savePixels() {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download(blob, "cosine-basis.png"), "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.picture())}`;
  }

  picture() {
    const { words, colours } = this.message;
    const lines = [...spokenCosines(this.cosines, words).split(/(?<=\.) /), words.provenance];
    return savedPicture(Object.values(this.pictures), this.captions.map((caption) => caption.textContent), lines, colours);
  }
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000); // after the browser has read it
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".plane");
  if (!views.has(root)) views.set(root, new PlaneView(root));
  views.get(root).receive(JSON.parse(new TextDecoder().decode(data)), (moved) => setTriggerValue("moved", moved));
}
