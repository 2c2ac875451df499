// Points that the reader drags, and their convex hull, cone or convex cone. hull_math.js computes,
// plane_picture.js has the parts of the picture. The server gets a message when a drag ends.

import { directionFor, hullOf, isOrigin, placeOfOrigin, sectorOf } from "./hull_math.js";
import {
  arrowPath, BOX, FINGER, frameOf, GRIP, part, pathOf, short, SIDE, words,
} from "./plane_picture.js";

const REACH = 4; // half of the picture's width, in units of the plane
const KEY_STEP = 0.1;
const KEYS_REST = 400; // ms without a key press after which the server gets the points
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const hullViews = new WeakMap(); // root -> HullView

class HullView {
  constructor(root) {
    this.root = root;
    root.addEventListener("pointerdown", (event) => this.grab(event));
    root.addEventListener("touchstart", (event) => this.held && event.preventDefault(), { passive: false });
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("pointerup", () => this.letGo());
    root.addEventListener("pointercancel", () => this.letGo());
    root.addEventListener("keydown", (event) => this.press(event));
  }

  // A message from the server: {points, shape, words, colours}.
  receive(message, send) {
    this.send = send;
    const looks = JSON.stringify([message.words, message.colours, message.points.length]);
    if (!this.held && !this.keyTimer) this.points = message.points;
    this.message = message;
    if (looks !== this.looks) this.build();
    this.looks = looks;
    this.draw();
  }

  build() {
    const { colours } = this.message;
    this.root.innerHTML = '<svg role="group"></svg><p class="hull-text" aria-live="polite"></p>';
    const svg = (this.svg = this.root.querySelector("svg"));
    this.root.style.setProperty("--plane-ink", colours.ink);
    svg.setAttribute("viewBox", `0 0 ${SIDE} ${SIDE}`);
    part(svg, "rect", { width: SIDE, height: SIDE, fill: colours.paper });
    const clip = part(part(svg, "defs", {}), "clipPath", { id: "hull-clip" });
    part(clip, "rect", { x: BOX.left, y: BOX.top, width: BOX.side, height: BOX.side });
    const inside = part(svg, "g", { "clip-path": "url(#hull-clip)", fill: "none" });
    const line = (looks) => part(inside, "path", { "stroke-linejoin": "round", ...looks });
    this.frame = frameOf(REACH);
    this.axes = line({ stroke: colours.ink, opacity: 0.4 });
    this.area = line({ fill: colours.set, "fill-opacity": 0.2, stroke: "none" });
    this.edges = line({ stroke: colours.set, "stroke-width": 2 });
    this.border = line({ stroke: colours.side, "stroke-width": 2, "stroke-dasharray": "7 5" });
    this.arrow = line({ stroke: colours.side, fill: colours.side, "stroke-width": 2.5 });
    const [x, y] = this.frame.pixel([0, 0]);
    part(inside, "circle", { cx: x, cy: y, r: 5, fill: colours.ink });
    const label = words(svg, { x: x + 8, y: y + 16, fill: colours.ink, "aria-hidden": "true" });
    label.textContent = this.message.words.origin;
    this.handles = this.points.map((_, i) => {
      const handle = part(svg, "g", { class: "plane-handle", role: "slider", tabindex: 0, "data-point": i });
      part(handle, "circle", { r: FINGER, fill: "transparent" });
      part(handle, "circle", { class: "plane-grip", r: GRIP, fill: colours.set, stroke: colours.paper, "stroke-width": 1.5 });
      return handle;
    });
    const ends = [[-REACH, 0], [REACH, 0]];
    this.axes.setAttribute("d", pathOf(ends, this.frame) + pathOf(ends.map(([u, v]) => [v, u]), this.frame));
  }

  draw() {
    const { points, frame } = this;
    const { shape, words } = this.message;
    const where = placeOfOrigin(points);
    const outside = where === "outside";
    const far = (angle) => [3 * REACH * Math.cos(angle), 3 * REACH * Math.sin(angle)];
    const ray = (point) => pathOf([[0, 0], far(Math.atan2(point[1], point[0]))], frame);
    const pairs = points.flatMap((a, i) => points.slice(i + 1).map((b) => pathOf([a, b], frame)));
    const { from = 0, to = 0 } = sectorOf(points.filter((point) => !isOrigin(point)));
    const arc = Array.from({ length: 25 }, (_, i) => far(from + ((to - from) * i) / 24));
    const everywhere = [[-REACH, -REACH], [REACH, -REACH], [REACH, REACH], [-REACH, REACH]];
    const sector = `${pathOf(where === "inside" ? everywhere : [[0, 0], ...arc], frame)}Z`;
    const hull = `${pathOf(hullOf(points), frame)}Z`;
    const [area, edges] = {
      segments: ["", pairs.join("")],
      hull: [hull, hull],
      cone: ["", points.map(ray).join("")],
      "convex-cone": [sector, where === "inside" ? "" : sector],
    }[shape];
    this.area.setAttribute("d", area);
    this.edges.setAttribute("d", edges);
    const [u, v] = directionFor(points);
    const across = [[-v, u], [v, -u]].map(([x, y]) => [3 * REACH * x, 3 * REACH * y]);
    this.border.setAttribute("d", outside ? pathOf(across, frame) : "");
    this.arrow.setAttribute("d", outside ? arrowPath([0, 0], [1.5 * u, 1.5 * v], frame) : "");
    this.handles.forEach((handle, i) => {
      const [x, y] = frame.pixel(points[i]);
      handle.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
      handle.setAttribute("aria-label", words.point.replace("{i}", i + 1));
      handle.setAttribute("aria-valuetext", `(${points[i].map((part) => part.toFixed(1)).join(", ")})`);
      handle.setAttribute("aria-valuenow", points[i][0].toFixed(1));
    });
    const text = words[where];
    this.svg.setAttribute("aria-label", text);
    this.root.dataset.outside = outside;
    const line = this.root.querySelector(".hull-text");
    if (line.textContent !== text) line.textContent = text;
  }

  placeOf(event) {
    const box = this.svg.getBoundingClientRect();
    return this.frame.place([event.clientX - box.left, event.clientY - box.top].map((p) => (p * SIDE) / box.width));
  }

  grab(event) {
    const handle = event.target.closest?.("[data-point]");
    if (!handle || event.button > 0) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    this.svg.setPointerCapture(event.pointerId);
    this.held = handle;
  }

  move(event) {
    if (this.held) this.put(Number(this.held.dataset.point), this.placeOf(event));
  }

  put(i, place) {
    const within = (value) => Math.round(10 * Math.min(Math.max(value, 0.1 - REACH), REACH - 0.1)) / 10;
    this.points = this.points.map((point, k) => (k === i ? place.map(within) : point));
    this.draw();
  }

  letGo() {
    if (!this.held) return;
    this.held = null;
    this.send(this.points);
  }

  press(event) {
    const way = WAYS[event.key];
    const handle = event.target.closest?.("[data-point]");
    if (!way || !handle || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const i = Number(handle.dataset.point);
    this.put(i, this.points[i].map((value, axis) => value + KEY_STEP * way[axis]));
    clearTimeout(this.keyTimer);
    this.keyTimer = setTimeout(() => {
      this.keyTimer = null;
      this.send(this.points);
    }, KEYS_REST);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".hull");
  if (!hullViews.has(root)) hullViews.set(root, new HullView(root));
  hullViews.get(root).receive(JSON.parse(new TextDecoder().decode(data)), (points) => setTriggerValue("moved", points));
}
