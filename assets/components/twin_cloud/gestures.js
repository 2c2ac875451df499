// The reader's pointer and keys on the pictures: the camera, the selection, the hovered point.

import { cameraText, homeCamera, orbit, pan, zoom } from "./camera.js";
import { press, textOf } from "./controls.js";
import { rowsInside } from "./lasso.js";
import { boxAt } from "./layout.js";
import { nearestRow } from "./picking.js";
import { pictureOf, saveAs, saveBlob, vectorsOf } from "./png.js";
import { packRows } from "./rows.js";
import { neighbourIn, neighbourOutward, union } from "./selection.js";
import { hideTip, showTip } from "./tip.js";

const NEAR = 9; // pixels around a point in which the pointer is on it
const REST = 120; // ms
const LONG_REST = 500; // ms; then the camera goes into the address

export class Gestures {
  // twin: the component (twin_cloud.js), which draws, updates texts and sends messages.
  constructor(twin) {
    this.twin = twin;
    this.stage = twin.stage;
    this.root = twin.root;
    this.element = twin.element;
    this.tip = twin.root.querySelector(".twin-tip");
    this.isLasso = false;
  }

  turned(camera) {
    this.twin.firstTurn.stop();
    this.stage.setCamera(camera);
    this.twin.redraw();
    if (!this.twin.wanted.isInAddress) return;
    clearTimeout(this.cameraTimer);
    this.cameraTimer = setTimeout(() => window.narrowConeCamera?.(cameraText(camera)), LONG_REST);
  }

  orbit(dx, dy) {
    this.turned(orbit(this.stage.camera, dx, dy, this.stage.boxes[0].height));
  }

  pan(dx, dy) {
    this.turned(pan(this.stage.camera, dx, dy, this.stage.boxes[0].height));
  }

  zoom(factor, x = null, y = null) {
    const { boxes, camera } = this.stage;
    const box = x === null ? null : boxes[boxAt(boxes, x, y)];
    const about = box
      ? [(2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height] : [0, 0];
    this.turned(zoom(camera, factor, about, boxes[0].width / boxes[0].height));
  }

  nearer() {
    this.zoom(1.25);
  }

  farther() {
    this.zoom(0.8);
  }

  reset() {
    const { k, perspective } = this.stage.camera;
    this.turned(homeCamera(k, 1, perspective));
  }

  perspective() {
    const { camera } = this.stage;
    this.turned({ ...camera, perspective: !camera.perspective });
    press(this.root, "perspective", !camera.perspective);
  }

  density() {
    this.stage.isDensity = !this.stage.isDensity;
    press(this.root, "density", this.stage.isDensity);
    this.twin.redraw();
  }

  ways() {
    this.stage.hasWays = !this.stage.hasWays;
    press(this.root, "ways", this.stage.hasWays);
    this.twin.redraw();
  }

  save() {
    const { file } = this.twin.wanted;
    saveAs(pictureOf(this.stage, getComputedStyle(this.element).fontFamily), `${file}.png`);
  }

  saveVectors() {
    const text = vectorsOf(this.stage, getComputedStyle(this.element).fontFamily);
    saveBlob(new Blob([text], { type: "image/svg+xml" }), `${this.twin.wanted.file}.svg`);
  }

  // Also the lasso that is being drawn, or null.
  lasso(polygon) {
    if (polygon === undefined) {
      this.isLasso = !this.isLasso;
      this.element.classList.toggle("is-lasso", this.isLasso);
      press(this.root, "lasso", this.isLasso);
      this.twin.closeMore();
      return;
    }
    this.stage.lasso = polygon;
    this.twin.redraw();
  }

  lassoed(polygon, adds) {
    const { stage } = this;
    stage.lasso = null;
    const place = boxAt(stage.boxes, ...polygon[0]);
    if (place < 0) return this.twin.redraw();
    const { left, top } = stage.boxes[place];
    const inBox = polygon.map(([x, y]) => [x - left, y - top]);
    const rows = rowsInside(stage.screenOf(place).xy, inBox);
    this.select(adds ? union(stage.rows, rows) : rows);
  }

  select(rows) {
    this.stage.select(rows);
    this.stage.walked = undefined;
    this.twin.redraw();
    this.twin.say(this.twin.wanted.words.selected.replace("{n}", rows.length.toLocaleString()));
    this.twin.emit("selected", rows.length ? packRows(rows, this.stage.n) : "");
  }

  rowAt(x, y, radius = NEAR) {
    const { stage } = this;
    const place = boxAt(stage.boxes ?? [], x, y);
    if (place < 0) return -1;
    const { left, top } = stage.boxes[place];
    return nearestRow(stage.screenOf(place).grid(), x - left, y - top, radius);
  }

  hover(x, y) {
    if (!this.stage.isReady) return;
    const row = x < 0 || this.twin.player.isPlaying ? -1 : this.rowAt(x, y);
    if (row === (this.stage.hovered ?? -1)) return;
    this.stage.hovered = row;
    this.place = [x, y];
    if (row < 0) hideTip(this.tip);
    else showTip(this.tip, this.textAt(row), this.place, this.element);
    this.twin.redraw();
  }

  textAt(row) {
    const name = this.twin.wanted.texts;
    const texts = window.narrowConeTexts?.get(name);
    if (texts?.[row] === undefined) this.#request(name, row);
    return textOf(row, this.twin.wanted, this.stage.codes, texts);
  }

  // Request the text of a point on which the pointer rests.
  #request(name, row) {
    clearTimeout(this.requestTimer);
    const request = window.narrowConeTextRequests?.get(name);
    if (request) this.requestTimer = setTimeout(() => request(row), REST);
  }

  // A text has arrived.
  showText() {
    const { hovered, walked } = this.stage;
    if (hovered >= 0) showTip(this.tip, this.textAt(hovered), this.place, this.element);
    if (walked >= 0) this.read();
  }

  click(x, y, radius) {
    const row = this.rowAt(x, y, radius);
    if (row >= 0) this.twin.emit("chosen", row);
  }

  // Go to the next or previous selected point, with its text for screen readers. False at the end,
  // so that Tab leaves the picture.
  walk(step) {
    const { stage } = this;
    const row = neighbourIn(stage.rows, stage.walked, step);
    stage.walked = row;
    this.twin.redraw();
    if (row === undefined) return false;
    this.read();
    return true;
  }

  // The same without a selection: ringed points, then all from the middle outward.
  stroll(step) {
    const { stage } = this;
    if (!stage.isReady || !stage.n) return;
    const ringed = stage.message.marks.flatMap(({ rows }) => rows);
    const row = stage.rows.length
      ? neighbourIn(stage.rows, stage.walked, step)
      : neighbourOutward(this.#fromMiddle(), ringed, stage.walked, step);
    if (row === undefined) return; // at an end
    stage.walked = row;
    this.twin.redraw();
    this.read();
  }

  // Each row's distance from the middle of the last picture; Infinity outside of it.
  #fromMiddle() {
    const { stage } = this;
    const place = stage.boxes.length - 1;
    const { width, height } = stage.boxes[place];
    const { xy } = stage.screenOf(place);
    return Float32Array.from({ length: stage.n }, (_row, i) => {
      const [x, y] = [xy[2 * i] - width / 2, xy[2 * i + 1] - height / 2];
      const isInside = Math.abs(x) <= width / 2 && Math.abs(y) <= height / 2;
      return isInside ? Math.hypot(x, y) : Infinity;
    });
  }

  read() {
    const { rows, walked } = this.stage;
    const { text, about } = this.textAt(walked);
    const place = rows.indexOf(walked);
    const count = place < 0 ? "" : `${place + 1} / ${rows.length}: `;
    this.twin.say(`${count}${text} ${about}`);
  }

  choose() {
    if (this.stage.walked !== undefined) this.twin.emit("chosen", this.stage.walked);
  }

  clear() {
    const { stage } = this;
    if (!stage.rows.length && stage.walked === undefined) return false;
    stage.walked = undefined;
    this.twin.redraw();
    if (!stage.rows.length) return true;
    this.select(new Uint32Array(0));
    return true;
  }
}
