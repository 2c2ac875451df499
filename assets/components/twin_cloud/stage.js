// The pictures: their state (the server's message, the reader's camera and selection) and drawing.

import { homeCamera, movedCamera, toPixels } from "./camera.js";
import { conesAt, drawCone, labelsAt } from "./cone.js";
import { decodeCloud, decodeCodes, placeOf, stretchOf } from "./decode.js";
import { blendFrames, lensOf, matrixThrough, plainFrame } from "./frame.js";
import { contextOf, MOST_SHAPED, Painter } from "./gl.js";
import {
  crowd, inDevicePixels, isSmall, layOut, layOutToFill, layOutWithLead, pointSize,
} from "./layout.js";
import { factorAt, titleAt } from "./film.js";
import { centresOf } from "./groups.js";
import {
  drawFrame, drawLasso, drawRing, drawScale, drawWay, writeAxes, writeConeLabels, writeGroups,
  writeTitle,
} from "./overlay.js";
import { paintOf } from "./paint.js";
import { bitOf, MOST_GROUPS } from "./palette.js";
import { gridOf, projectAll } from "./picking.js";
import { roomOf } from "./room.js";

const RATIOS = [1, 3]; // device pixels a CSS pixel, least and most; more is not visible
const LARGE = 1.2;
const LABELLED = 320; // pixels; a narrower picture has no room for the cones' angles
const AROUND = 430; // pixels of the window for title, controls and numbers, for an audience
const AROUND_ALONE = 170; // pixels of the window for controls and legend, where the picture is alone
const LEAST_SIDE = 260; // pixels, of a picture's height
const SIDE_SHARE = 0.4; // of the window's height, for a picture
const SMALL_POINTS = 0.6; // size of the points in a small picture
const MOST_WAYS = 400; // lines between pictures
const OPACITIES = [0.35, 0.9]; // of a point in a crowd, and alone
const NONE = new Uint32Array(0);

export class Stage {
  // element: .twin-stage, the parent of both canvases.
  constructor(element) {
    this.element = element;
    this.canvas = element.querySelector(".twin-points");
    this.over = element.querySelector(".twin-over");
    this.gl = contextOf(this.canvas);
    if (this.gl) this.painter = new Painter(this.gl);
    // where the graphics card is imitated, the processor draws words and marks faster itself
    this.pen = this.over.getContext("2d", { willReadFrequently: this.painter?.isImitated });
    this.clouds = new Map(); // name -> decoded
    this.at = 0;
    this.rows = NONE;
    this.hidden = 0; // a bit for each category
    this.isolated = 0; // the same
    this.version = 0; // changes whenever points move on screen
    this.screens = [];
    this.frames = 0;
    this.size = 1; // factor on the usual size for this many points
    this.opacity = null; // the reader's; by default it depends on how crowded the points are
    this.corners = []; // where the cones' labels are
    this.dots = null; // a byte for each point, or null
    this.dotsName = "";
    this.selectedName = "";
    this.isDensity = false;
    this.hasWays = false; // whether lines join a point's places in two pictures
  }

  get isReady() {
    return Boolean(this.message && this.codes);
  }

  // message: as pages/common/draw/twin_message.py writes it; all its arrays have arrived.
  show(message, arrays) {
    const isOtherRows = this.message?.rows !== message.rows;
    const formerK = this.camera?.k;
    const names = message.views.flatMap((view) => [view.points, view.aside?.points ?? []].flat());
    this.#keepClouds(new Set(names), arrays);
    this.message = message;
    this.n = this.clouds.get(names[0]).n;
    if (this.codesName !== message.codes) {
      this.codes = decodeCodes(arrays.get(message.codes));
      this.codesName = message.codes;
      this.hidden = this.isolated = 0;
    }
    if (this.dotsName !== message.dots) {
      this.dots = message.dots ? decodeCodes(arrays.get(message.dots)).values : null;
      this.dotsName = message.dots;
    }
    if (isOtherRows) this.rows = NONE;
    if (this.selectedName !== message.selected) { // by the server, such as the hits of a search
      const chosen = message.selected ? decodeCodes(arrays.get(message.selected)).values : [];
      this.rows = Uint32Array.from([...chosen.keys()].filter((row) => chosen[row]));
      this.selectedName = message.selected;
    }
    this.repaint();
    const k = this.clouds.get(names[0]).k;
    if (k !== formerK) { // another picture of the same kind keeps the reader's camera
      this.camera = homeCamera(k, 1);
      if (message.camera) this.camera = movedCamera(this.camera, message.camera);
    }
    this.version++;
  }

  #keepClouds(names, arrays) {
    for (const [name, cloud] of this.clouds) {
      if (names.has(name)) continue;
      for (const frame of cloud.frames) this.painter?.forget(frame.values);
      this.clouds.delete(name);
    }
    for (const name of names) {
      if (!this.clouds.has(name)) this.clouds.set(name, decodeCloud(arrays.get(name)));
    }
  }

  // The last position of the film, by the longest path.
  get lastStop() {
    return Math.max(...this.message.views.map(({ path }) => path.length)) - 1;
  }

  // The stops that the film's slider names, from its first to its last.
  get landmarks() {
    const { landmarks } = this.message;
    return landmarks?.length && this.lastStop ? landmarks : [0, this.lastStop];
  }

  // Words and points are larger for an audience.
  get scale() {
    return this.message.isLarge ? LARGE : 1;
  }

  get isFlat() {
    return this.clouds.values().next().value.k === 2;
  }

  // Whether some points are hidden, faded, behind others or of another size.
  get hasMarks() {
    const hasOthers = this.isFlat && (this.message.legend.names?.length ?? 0) > MOST_GROUPS;
    const isMarked = (this.hidden | this.isolated) !== 0 || this.rows.length > 0;
    return hasOthers || isMarked || this.dots !== null;
  }

  goTo(at) {
    this.isAside = false;
    this.at = Math.min(Math.max(at, 0), this.lastStop);
    this.version++;
  }

  // Show settings that are not on the film's path; `nearest` is the closest position on it.
  standAside(nearest) {
    this.goTo(nearest);
    this.isAside = true;
  }

  // The cloud that a picture shows now, and between which of its frames.
  shown(view) {
    const aside = this.isAside && view.aside;
    return {
      cloud: this.clouds.get(aside ? aside.points : view.points),
      stretch: aside ? { a: 0, b: 0, share: 0 } : stretchOf(view.path, this.at),
      cones: aside ? [aside.cones] : this.message.cones,
      factors: aside ? [aside.factor] : this.message.factors,
      frames: aside ? [aside.frame].filter(Boolean) : this.message.frames,
      title: aside ? aside.name : titleAt(view, this.message.knobs, this.at),
    };
  }

  select(rows) {
    this.rows = rows;
    this.repaint();
  }

  // hidden: a bit for each category.
  hide(hidden) {
    this.hidden = hidden;
    this.version++;
    this.repaint();
  }

  // isolated: a bit for each category; the others fade.
  isolate(isolated) {
    this.isolated = isolated;
    this.repaint();
  }

  repaint() {
    this.painter?.forget(this.paint);
    const { codes, rows, hidden, isolated, isFlat, dots, message } = this;
    this.paint = paintOf(codes, rows, hidden, message.theme, { isolated, isFlat, dots });
  }

  setCamera(camera) {
    this.camera = camera;
    this.version++;
  }

  resize() {
    const ratio = Math.min(Math.max(window.devicePixelRatio || 1, RATIOS[0]), RATIOS[1]);
    const width = Math.max(this.element.clientWidth, 1);
    const { views, side, isLarge, hasLead, fills } = this.message;
    // what follows the pictures stays on the screen
    const around = fills ? AROUND_ALONE : AROUND;
    const room = isLarge || fills ? window.innerHeight - around : window.innerHeight * SIDE_SHARE;
    const most = Math.min(isLarge || fills ? Infinity : side, Math.max(LEAST_SIDE, Math.round(room)));
    const plain = fills ? layOutToFill : layOut;
    const arrange = hasLead && views.length > 1 ? layOutWithLead : plain;
    const { boxes, height } = arrange(views.length, width, most);
    Object.assign(this, { ratio, width, height, boxes });
    this.element.style.height = `${height}px`;
    this.#setSize(ratio);
    this.version++;
  }

  #setSize(ratio) {
    for (const canvas of [this.canvas, this.over]) {
      const size = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
      if (canvas.width !== size[0]) canvas.width = size[0];
      if (canvas.height !== size[1]) canvas.height = size[1];
    }
  }

  // What a picture shows now: both ends of each axis, and the length of its cones.
  frameIn(place) {
    const { cloud, stretch: { a, b, share }, frames } = this.shown(this.message.views[place]);
    if (!frames.length) return plainFrame(this.message.reach, cloud.k);
    return share ? blendFrames(frames[a], frames[b], share) : frames[a];
  }

  lensIn(place) {
    const box = this.boxes[place];
    return lensOf(this.frameIn(place), box, isSmall(box), this.scale);
  }

  matrixIn(place) {
    return matrixThrough(this.lensIn(place), this.camera, this.boxes[place]);
  }

  // A row's place in pixels of the whole stage; NaN behind the camera.
  pixelsOf(row, place) {
    const { cloud, stretch } = this.shown(this.message.views[place]);
    const box = this.boxes[place];
    const there = placeOf(cloud, stretch, row);
    const [x, y] = toPixels(this.matrixIn(place), there, box.width, box.height);
    return [box.left + x, box.top + y];
  }

  isHidden(row) {
    return this.codes.kind === "codes" && (this.hidden & bitOf(this.codes.values[row])) !== 0;
  }

  // The points of a picture on the screen, computed when first needed.
  screenOf(place) {
    const known = this.screens[place];
    if (known?.version === this.version) return known;
    const { cloud, stretch } = this.shown(this.message.views[place]);
    const { width, height } = this.boxes[place];
    const matrix = this.matrixIn(place);
    const isHidden = this.hidden ? (row) => this.isHidden(row) : null;
    const projected = projectAll(cloud, stretch, matrix, width, height, isHidden);
    const screen = { version: this.version, ...projected };
    let grid;
    screen.grid = () => (grid ??= gridOf(projected, width, height));
    this.screens[place] = screen;
    return screen;
  }

  // ratio: device pixels a CSS pixel; a PNG file has another than the screen.
  draw(ratio = this.ratio) {
    const { theme } = this.message;
    if (this.gl.isContextLost()) return;
    this.#setSize(ratio);
    this.painter.begin(theme.paper);
    this.rooms = [];
    this.message.views.forEach((view, place) => this.#drawPoints(view, place, ratio));
    this.#drawOver(ratio);
    this.frames++;
  }

  #drawPoints(view, place, ratio) {
    const { painter, message, n } = this;
    const { theme } = message;
    const matrix = this.matrixIn(place);
    const frame = this.frameIn(place);
    const box = this.boxes[place];
    const { cloud, stretch, cones } = this.shown(view);
    this.rooms[place] = roomOf(box, { cloud, stretch }, matrix, (row) => this.isHidden(row));
    painter.enter(inDevicePixels(box, ratio));
    // a flat picture has no depth: filled shapes are drawn below the points
    const drawn = conesAt(cones, stretch);
    const drawCones = () => {
      for (const cone of drawn) drawCone(painter, cone, frame.length, matrix, theme.cone);
    };
    for (const band of message.bands) drawCone(painter, band, frame.length, matrix, theme.band);
    if (cloud.k === 2) drawCones();
    if (message.origin) painter.drawAxes(frame, matrix, theme.ink);
    const shrunk = isSmall(box) ? SMALL_POINTS : 1;
    const size = pointSize(n) * this.size * this.scale * shrunk;
    painter.drawPoints(cloud, stretch, this.paint, matrix, {
      paper: theme.paper,
      hasMarks: this.hasMarks,
      size: size * ratio,
      opacity: this.opacity ?? this.#opacityIn(place, size),
      isDensity: this.isDensity,
      most: crowd(n, size, box),
    });
    if (cloud.k === 3) drawCones();
  }

  // The more points lie one on the other, the fainter each is. Very many are drawn faster opaque.
  #opacityIn(place, size) {
    if (this.n > MOST_SHAPED) return 1;
    const [least, most] = OPACITIES;
    return Math.min(Math.max(1 / Math.sqrt(this.rooms[place].crowding(size) || 1), least), most);
  }

  // Words, marks and lines on another pen, such as one that writes SVG.
  writeOn(pen) {
    const own = this.pen;
    this.pen = pen;
    this.#drawOver(1);
    this.pen = own;
  }

  #drawOver(ratio) {
    const { pen, message, boxes, camera } = this;
    const { theme } = message;
    const typeface = getComputedStyle(this.element).fontFamily;
    const font = (pixels) => `${pixels * this.scale}px ${typeface}`;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    message.views.forEach((view, place) => {
      const box = boxes[place];
      pen.save();
      pen.beginPath();
      pen.rect(box.left, box.top, box.width, box.height);
      pen.clip();
      drawFrame(pen, box, theme, this.#isAtFilm(view));
      const { cones, factors, stretch, title } = this.shown(view);
      const room = this.rooms[place];
      this.#drawMarks(place);
      writeTitle(pen, title, box, theme, font, room);
      if (!isSmall(box)) {
        const matrix = this.matrixIn(place);
        const unit = (2 * camera.span * this.lensIn(place).half) / box.height;
        drawScale(pen, unit, factorAt(factors, stretch), box, theme, font, room);
        const labels = box.width < LABELLED ? [] : labelsAt(cones, stretch);
        this.corners[place] = writeConeLabels(pen, labels, box, theme, font, room, this.corners[place]);
        writeAxes(pen, { axes: message.axes, origin: view.origin }, this.frameIn(place).high, matrix, box, theme, font, room);
        writeGroups(pen, this.#groupsIn(place, matrix), box, theme, font, room);
      }
      pen.restore();
    });
    if (this.hasWays) this.#drawWays();
    if (this.lasso) drawLasso(pen, this.lasso, theme);
  }

  // The names and the centres, in pixels of the picture, of the groups that are shown.
  #groupsIn(place, matrix) {
    const { codes, hidden, message } = this;
    const { names } = message.legend;
    if (codes.kind !== "codes" || !names || names.length < 2) return [];
    const { cloud, stretch } = this.shown(message.views[place]);
    const { width, height } = this.boxes[place];
    return centresOf(cloud, stretch, codes.values, Math.min(names.length, message.legend.named))
      .map((centre, code) => ({ name: names[code], code, place: toPixels(matrix, centre, width, height) }))
      .filter(({ name }) => name)
      .filter(({ code, place: [x] }) => Number.isFinite(x) && (hidden & bitOf(code)) === 0);
  }

  // Beside a leading film: whether a still picture is the one that the film is nearest to.
  #isAtFilm({ path }) {
    const { hasLead, views } = this.message;
    return Boolean(hasLead) && path.length === 1 && path[0] === views[0].path[Math.round(this.at)];
  }

  // Lines from each selected or ringed point's place in a picture to its place in the next.
  #drawWays() {
    const { message, rows } = this;
    const step = Math.max(1, Math.ceil(rows.length / MOST_WAYS)); // at most MOST_WAYS of them
    const meant = rows.filter((_row, i) => i % step === 0);
    const ringed = message.marks.flatMap((mark) => mark.rows);
    for (const row of new Set([...meant, ...ringed, this.hovered ?? -1])) {
      if (row < 0 || row >= this.n || this.isHidden(row)) continue;
      const places = message.views.map((_view, place) => this.pixelsOf(row, place));
      if (places.flat().every(Number.isFinite)) drawWay(this.pen, places, message.theme);
    }
  }

  #drawMarks(place) {
    const { pen, message } = this;
    const ring = (row, shape, size) => {
      const there = row < this.n && !this.isHidden(row) ? this.pixelsOf(row, place) : [NaN];
      if (Number.isFinite(there[0])) drawRing(pen, there, shape, message.theme, size);
    };
    for (const { rows, shape } of message.marks) for (const row of rows) ring(row, shape);
    for (const row of [this.hovered, this.walked]) if (row >= 0) ring(row, "circle", 9);
  }

  // After a lost context was restored; the arrays are still in memory.
  restore() {
    this.painter = new Painter(this.gl);
  }

  dispose() {
    this.painter?.dispose();
    this.clouds.clear();
    this.screens = [];
    this.painter = this.gl = this.codes = this.paint = null;
  }
}
