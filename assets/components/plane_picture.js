// One picture of the plane as SVG: made once, then only its attributes change. Colours and widths are
// attributes, not in a style sheet, so that a saved picture equals the one on screen.

import { halfSize, placeLabels } from "./plane_labels.js";
import { applied, direction } from "./plane_math.js";

const SVG = "http://www.w3.org/2000/svg";
export const SIDE = 320; // of the whole picture, in its own pixels: its words are 14 px of these
export const BOX = { left: 34, top: 6, side: 280 }; // where the plane is drawn
const LATTICE = 5; // lines on each side of the origin
export const CIRCLE = 72; // points
const ARC_RADII = [0.15, 0.21]; // of the angles a-b and a-c, as shares of the half range
const ARC_SPOTS = [16, 11, 21, 6, 26]; // those of its 33 points where the degrees may be written
const NOWHERE = 1e-9; // a vector shorter than this has no direction
const TIP = 11; // px, an arrow's head
export const GRIP = 7; // px, a handle's ring
export const FINGER = 20; // px around a handle in which a touch still takes it
const TYPEFACE = '"Source Sans", sans-serif';
const HANDLES = ["shift", "e1", "e2", "c", "b", "a"];

export function part(parent, name, looks) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(looks)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

export function words(parent, looks) {
  return part(parent, "text", { "font-family": TYPEFACE, "font-size": 13, ...looks });
}

// The colour of text: halfway from the hue to the ink, legible on both backgrounds.
function legible(hue, ink) {
  const parts = (colour) => [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
  const dark = parts(ink);
  return `#${parts(hue).map((part, i) => Math.round(0.55 * part + 0.45 * dark[i]).toString(16).padStart(2, "0")).join("")}`;
}

export function makePicture(svg, colours, handles) {
  const id = `plane-clip-${svg.dataset.panel}`;
  svg.setAttribute("viewBox", `0 0 ${SIDE} ${SIDE}`);
  part(svg, "rect", { width: SIDE, height: SIDE, fill: colours.paper });
  const clip = part(part(svg, "defs", {}), "clipPath", { id });
  part(clip, "rect", { x: BOX.left, y: BOX.top, width: BOX.side, height: BOX.side });
  const inside = part(svg, "g", { "clip-path": `url(#${id})`, fill: "none" });
  const line = (colour, width, more = {}) => part(inside, "path", { stroke: colour, "stroke-width": width, ...more });
  const made = {
    svg,
    colours,
    lattice: line(colours.grid, 1),
    axes: line(colours.ink, 1, { opacity: 0.55 }),
    cloud: line("none", 4, { "stroke-linecap": "round", opacity: 0.35 }),
    circle: line(colours.basis, 1.5, { "stroke-dasharray": "6 5" }),
    ellipse: line(colours.metric, 2),
    arcs: [colours.b, colours.c].map((colour) => line(colour, 2)),
    arrows: {},
    origin: null,
    ticks: part(svg, "g", { "aria-hidden": "true" }),
    titles: [
      words(svg, { x: BOX.left + BOX.side / 2, y: SIDE - 3, "text-anchor": "middle", fill: colours.ink }),
      words(svg, { transform: `translate(13 ${BOX.top + BOX.side / 2}) rotate(-90)`, "text-anchor": "middle", fill: colours.ink }),
    ],
    labels: {},
    handles: {},
    places: [],
  };
  for (const name of ["e1", "e2", "a", "b", "c"]) {
    const colour = colours[name] ?? colours.basis;
    made.arrows[name] = part(inside, "path", { stroke: colour, fill: colour, "stroke-width": name[0] === "e" ? 3.5 : 2.5 });
  }
  made.origin = part(inside, "circle", { r: 4, fill: colours.paper, stroke: colours.ink, "stroke-width": 2 });
  for (const name of ["e1", "e2", "a", "b", "c", "ab", "ac"]) {
    const hue = { e1: colours.basis, e2: colours.basis, ab: colours.b, ac: colours.c }[name] ?? colours[name];
    made.labels[name] = words(svg, {
      fill: legible(hue, colours.ink), "font-size": 14, "text-anchor": "middle", "dominant-baseline": "central", "aria-hidden": "true",
      "paint-order": "stroke", stroke: colours.paper, "stroke-width": 4, "stroke-linejoin": "round",
    });
  }
  for (const name of HANDLES.filter((handle) => handles.includes(handle))) {
    const handle = part(svg, "g", { class: "plane-handle", role: "slider", tabindex: 0, "data-handle": name });
    part(handle, "circle", { class: "plane-hit", r: FINGER, fill: "transparent" });
    const colour = name === "shift" ? colours.ink : (colours[name] ?? colours.basis);
    part(handle, "circle", { class: "plane-grip", r: GRIP, fill: colours.paper, "fill-opacity": 0.6, stroke: colour, "stroke-width": 2 });
    made.handles[name] = handle;
  }
  return made;
}

// The maps between the plane and the picture's pixels.
export function frameOf(halfRange) {
  const scale = BOX.side / (2 * halfRange);
  const middle = [BOX.left + BOX.side / 2, BOX.top + BOX.side / 2];
  return {
    halfRange,
    scale,
    pixel: ([x, y]) => [middle[0] + x * scale, middle[1] - y * scale],
    place: ([u, v]) => [(u - middle[0]) / scale, (middle[1] - v) / scale],
  };
}

export const short = (value) => Number(value.toFixed(1));

export function pathOf(points, frame) {
  return points.map((point, i) => (i ? "L" : "M") + frame.pixel(point).map(short).join(" ")).join("");
}

export function arrowPath(start, end, frame) {
  const [[x0, y0], [x1, y1]] = [frame.pixel(start), frame.pixel(end)];
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < NOWHERE * frame.scale || length === 0) return `M${short(x1 - 4)} ${short(y1)}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`;
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = Math.min(TIP, length);
  const [u, v] = [x1 - dx * head, y1 - dy * head];
  const wing = (side) => `${short(u - side * dy * head * 0.42)} ${short(v + side * dx * head * 0.42)}`;
  return `M${short(x0)} ${short(y0)}L${short(u)} ${short(v)}M${wing(1)}L${short(x1)} ${short(y1)}L${wing(-1)}Z`;
}

function latticePath(map, frame) {
  let path = "";
  for (let k = -LATTICE; k <= LATTICE; k++) {
    path += pathOf([[k, -LATTICE], [k, LATTICE]].map((point) => applied(map, point)), frame);
    path += pathOf([[-LATTICE, k], [LATTICE, k]].map((point) => applied(map, point)), frame);
  }
  return path;
}

// The angle between two points around the origin; null if one of them is the origin.
function arcBetween(from, to, radius) {
  if (Math.min(Math.hypot(...from), Math.hypot(...to)) < NOWHERE) return null;
  const turn = Math.atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
  const start = Math.atan2(from[1], from[0]);
  const at = (i) => start + (turn * i) / 32;
  const path = Array.from({ length: 33 }, (_, i) => [radius * Math.cos(at(i)), radius * Math.sin(at(i))]);
  return { path, text: `${Math.round((Math.abs(turn) * 180) / Math.PI)}°` };
}

function drawTicks(picture, frame) {
  if (picture.ticksAt === frame.halfRange) return;
  picture.ticksAt = frame.halfRange;
  picture.ticks.replaceChildren();
  const step = frame.halfRange < 6 ? 1 : frame.halfRange < 12 ? 2 : 5;
  const last = Math.floor((0.98 * frame.halfRange) / step) * step; // no number in the corner
  for (let tick = -last; tick <= last; tick += step) {
    const [u, v] = frame.pixel([tick, tick]);
    const looks = { fill: picture.colours.ink, "font-size": 12 };
    const below = words(picture.ticks, { ...looks, x: short(u), y: BOX.top + BOX.side + 13, "text-anchor": "middle" });
    const beside = words(picture.ticks, { ...looks, x: BOX.left - 4, y: short(v + 4), "text-anchor": "end" });
    for (const label of [below, beside]) label.textContent = String(tick).replace("-", "−");
  }
}

function ringAround([x, y]) {
  return [0, 1, 2, 3, 4].map((i) => direction(90 * i)).map(([dx, dy]) => [x + GRIP * dx, y + GRIP * dy]);
}

function drawLabels(picture, arrows, arcs, texts, frame) {
  const upright = ([x, y]) => [x * frame.scale, y * frame.scale];
  const names = Object.keys(arrows);
  const gap = (name) => (name in picture.handles ? GRIP + 4 : 5);
  const marks = names.map((name) => ({ name, spots: [upright(arrows[name][1])], text: texts[name], gap: gap(name) }));
  arcs.forEach((arc, i) => {
    const name = ["ab", "ac"][i];
    if (arc) marks.push({ name, spots: ARC_SPOTS.map((spot) => upright(arc.path[spot])), text: arc.text, gap: 5 });
  });
  const lines = [...Object.values(arrows), ...arcs.filter(Boolean).map((arc) => arc.path)];
  const ink = lines.map((line) => line.map(upright));
  for (const name of names.filter((handle) => handle in picture.handles)) ink.push(ringAround(upright(arrows[name][1])));
  picture.places = placeLabels(marks, ink, BOX.side, picture.places);
  for (const label of Object.values(picture.labels)) label.textContent = "";
  marks.forEach(({ name, text }, i) => {
    const [x, y] = picture.places[i].centre;
    const label = picture.labels[name];
    label.textContent = text;
    label.setAttribute("x", short(BOX.left + BOX.side / 2 + x));
    label.setAttribute("y", short(BOX.top + BOX.side / 2 - y));
  });
}

// scene: {map, points, ellipse, cloud, texts, titles, cloudColour, circles}; map from coordinates.
export function drawPicture(picture, scene, frame) {
  const { map } = scene;
  const start = applied(map, [0, 0]);
  const points = scene.points.map((point) => applied(map, point));
  const tips = { e1: applied(map, [1, 0]), e2: applied(map, [0, 1]), a: points[0], b: points[1], c: points[2] };
  const arrows = Object.fromEntries(Object.entries(tips).map(([name, tip]) => [name, [name[0] === "e" ? start : [0, 0], tip]]));
  const arcs = [1, 2].map((i) => arcBetween(points[0], points[i], ARC_RADII[i - 1] * frame.halfRange));
  const set = (element, path) => element.setAttribute("d", path);
  const [low, high] = [-frame.halfRange, frame.halfRange];
  drawTicks(picture, frame);
  set(picture.axes, pathOf([[low, 0], [high, 0]], frame) + pathOf([[0, low], [0, high]], frame));
  set(picture.lattice, latticePath(map, frame));
  picture.cloud.setAttribute("stroke", scene.cloudColour);
  set(picture.cloud, scene.cloud.map((point) => `M${frame.pixel(applied(map, point)).map(short).join(" ")}h0`).join(""));
  const turn = Array.from({ length: CIRCLE + 1 }, (_, i) => applied(map, direction((360 * i) / CIRCLE)));
  set(picture.circle, scene.circles ? pathOf(turn, frame) : "");
  set(picture.ellipse, scene.circles ? pathOf(scene.ellipse.map((point) => applied(map, point)), frame) : "");
  arcs.forEach((arc, i) => set(picture.arcs[i], arc ? pathOf(arc.path, frame) : ""));
  for (const [name, [from, to]] of Object.entries(arrows)) set(picture.arrows[name], arrowPath(from, to, frame));
  const [ox, oy] = frame.pixel([0, 0]);
  picture.origin.setAttribute("cx", ox);
  picture.origin.setAttribute("cy", oy);
  picture.titles.forEach((title, i) => (title.textContent = scene.titles[i]));
  drawLabels(picture, arrows, arcs, scene.texts, frame);
  for (const [name, handle] of Object.entries(picture.handles)) {
    const [x, y] = frame.pixel(name === "shift" ? start : tips[name]);
    handle.setAttribute("transform", `translate(${short(x)} ${short(y)})`);
  }
  picture.frame = frame;
  picture.tips = { ...tips, shift: start };
}

// Both pictures side by side as one file, with captions above and settings below.
export function savedPicture(pictures, captions, lines, colours) {
  const height = SIDE + 34 + 20 * lines.length;
  const width = Math.max(2 * SIDE + 20, ...lines.map((line) => 2 * (BOX.left + halfSize(line)[0])));
  const whole = document.createElementNS(SVG, "svg");
  whole.setAttribute("xmlns", SVG);
  whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
  whole.setAttribute("width", width); // without a size an image of it has none
  whole.setAttribute("height", height);
  part(whole, "rect", { width, height, fill: colours.paper });
  pictures.forEach((picture, i) => {
    const place = part(whole, "g", { transform: `translate(${i * (SIDE + 20)} 26)` });
    words(place, { x: BOX.left, y: -8, fill: colours.ink }).textContent = captions[i];
    for (const child of picture.svg.children) {
      if (!child.classList.contains("plane-handle")) place.append(child.cloneNode(true));
    }
  });
  lines.forEach((text, i) => {
    words(whole, { x: BOX.left, y: SIDE + 44 + 20 * i, fill: colours.ink }).textContent = text;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(whole)}`;
}
