// The twin cloud: the same points in two to four pictures, one camera, one selection, one film.

import { homeCamera, orbit, pan, zoom } from "./camera.js";
import { fillBar, fillLegend, press, toldOf } from "./controls.js";
import { listen } from "./input.js";
import { rowsInside } from "./lasso.js";
import { boxAt } from "./layout.js";
import { advance, isAtStop } from "./morph.js";
import { nearestRow } from "./picking.js";
import { packRows } from "./rows.js";
import { neighbourIn, union } from "./selection.js";
import { Stage } from "./stage.js";

const NEAR = 9; // pixels around a point that still mean it
const FILM_SPEED = 1.6; // stops a second
const MOVE_SPEED = 8; // where the server's sliders say where to go
const LONGEST_TICK = 0.1; // s: a hidden tab comes back where it was
const TIP_GAP = 14;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const twins = new WeakMap(); // element -> Twin

class Twin {
  constructor(root) {
    this.root = root;
    this.element = root.querySelector(".twin-stage");
    this.tip = root.querySelector(".twin-tip");
    this.live = root.querySelector(".twin-live");
    this.film = root.querySelector('[data-set="at"]');
    this.ending = new AbortController();
    this.stage = new Stage(this.element);
    this.isLasso = false;
    this.emit = () => {};
  }

  begin() {
    const { signal } = this.ending;
    listen(this.element, this, {
      isLasso: () => this.isLasso,
      isFlat: () => this.stage.camera?.k === 2,
      signal,
    });
    this.root.addEventListener("click", (event) => {
      const asked = event.target.closest("[data-do]")?.dataset.do;
      if (asked && this.stage.isReady) this[asked]();
    }, { signal });
    this.film.addEventListener("input", () => this.goTo(Number(this.film.value)), { signal });
    this.film.addEventListener("change", () => this.settle(), { signal });
    const { canvas } = this.stage;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // else the browser never gives it back
      this.notice(this.wanted?.words.lost);
    }, { signal });
    canvas.addEventListener("webglcontextrestored", () => {
      this.stage.restore();
      this.notice("");
      this.redraw();
    }, { signal });
    window.addEventListener("narrow-cone-array", () => this.showWhenComplete(), { signal });
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.element.parentElement);
    this.watchRatio();
  }

  // A window moved to another screen has other pixels, and no other event says so.
  watchRatio() {
    if (this.ending.signal.aborted) return;
    const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const again = () => {
      this.fit();
      this.watchRatio();
    };
    query.addEventListener("change", again, { once: true, signal: this.ending.signal });
  }

  update(message, emit) {
    this.emit = emit;
    this.wanted = message;
    this.showWhenComplete();
  }

  showWhenComplete() {
    const arrays = window.narrowConeArrays ?? new Map();
    const message = this.wanted;
    const text = JSON.stringify(message);
    if (!message || text === this.shownText) return;
    const named = message.views.flatMap(({ points, aside }) => [points, aside?.points ?? points]);
    if (![message.codes, ...named].every((name) => arrays.has(name))) return;
    try {
      this.stage.show(message, arrays);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.notice(error.message);
      return;
    }
    this.shownText = text;
    this.follow(message);
    const { theme } = message;
    this.root.style.setProperty("--twin-ink", theme.ink);
    this.root.style.setProperty("--twin-ink-faint", theme.grid);
    this.root.style.setProperty("--twin-paper", theme.paper);
    this.root.style.color = theme.ink;
    this.root.setAttribute("aria-label", message.name);
    this.element.setAttribute("aria-label", message.alt);
    this.element.setAttribute("aria-description", message.words.keys);
    fillBar(this.root, message, this.stage);
    this.film.value = this.stage.at;
    fillLegend(this.root.querySelector(".twin-legend"), message, this.stage, (code) => {
      this.stage.hidden ^= 1 << code;
      this.stage.version++;
      this.redraw();
    });
    this.notice(this.stage.n ? "" : message.words.empty);
    this.fit();
  }

  // The server's sliders say where the film stands; an echo of what was moved here changes nothing.
  follow(message) {
    const asked = JSON.stringify([message.at, message.views.map(({ aside }) => aside ?? null)]);
    if (asked === this.followed) return;
    const isFirst = this.followed === undefined;
    this.followed = asked;
    this.stage.isAside = message.at === null;
    if (message.at === null || message.at === this.stage.at) return;
    if (isFirst) this.goTo(message.at);
    else this.moveTo(message.at);
  }

  goTo(at) {
    this.goal = undefined;
    this.stage.isAside = false;
    this.stage.at = Math.min(Math.max(at, 0), this.stage.lastStop);
    this.stage.version++;
    this.film.value = this.stage.at;
    this.redraw();
  }

  moveTo(at, speed = MOVE_SPEED) {
    if (calm.matches) return this.goTo(at);
    this.goal = { at, speed };
    this.tick();
  }

  play() {
    const { stage } = this;
    if (this.goal) {
      this.goal = undefined;
      this.label();
      this.settle();
      return;
    }
    if (stage.at >= stage.lastStop) this.goTo(0);
    this.goal = { at: stage.lastStop, speed: FILM_SPEED, ends: true };
    this.label();
    this.tick();
  }

  label() {
    const { words } = this.wanted;
    this.root.querySelector('[data-do="play"]').textContent = this.goal?.ends
      ? words.stop : words.play;
  }

  // One step towards the goal a frame; with reduced motion a whole stop at a time.
  tick() {
    if (this.ticking) return;
    let former = performance.now();
    const step = (now) => {
      this.ticking = 0;
      if (!this.goal || this.ending.signal.aborted) return;
      const { at, speed, ends } = this.goal;
      const seconds = Math.min((now - former) / 1000, LONGEST_TICK);
      const pause = 1000 / speed;
      if (calm.matches && now - former < pause) {
        this.ticking = requestAnimationFrame(step);
        return;
      }
      const way = calm.matches ? 1 / speed : seconds;
      former = now;
      const { goal } = this;
      this.goTo(advance(this.stage.at, at, way, speed));
      if (this.stage.at !== at) {
        this.goal = goal;
        this.ticking = requestAnimationFrame(step);
      } else if (ends) {
        this.label();
        this.settle();
      }
    };
    this.ticking = requestAnimationFrame(step);
  }

  // The hand has let the film go: now the page's numbers may follow.
  settle() {
    const { at } = this.stage;
    this.stage.told.at = at;
    this.followed = undefined;
    this.emit("settled", isAtStop(at) ? Math.round(at) : at);
  }

  fit() {
    if (!this.stage.isReady || !this.element.clientWidth) return;
    this.stage.resize();
    this.drawNow();
  }

  redraw() {
    if (this.drawing || !this.stage.isReady) return;
    this.drawing = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.drawing);
    this.drawing = 0;
    if (this.ending.signal.aborted || !this.stage.boxes) return;
    this.stage.draw();
    this.root.dataset.drawn = String(this.stage.frames);
  }

  notice(text) {
    const place = this.root.querySelector(".twin-notice");
    place.hidden = !text;
    place.textContent = text ?? "";
  }

  // What the hand asks for

  turned(camera) {
    this.stage.setCamera(camera);
    this.redraw();
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
    const { k, reach, perspective } = this.stage.camera;
    this.turned(homeCamera(k, reach, perspective));
  }

  perspective() {
    const { camera } = this.stage;
    this.turned({ ...camera, perspective: !camera.perspective });
    press(this.root, "perspective", !camera.perspective);
  }

  // Also the line in the making, or null for none.
  lasso(polygon) {
    if (polygon === undefined) {
      this.isLasso = !this.isLasso;
      this.element.classList.toggle("is-lasso", this.isLasso);
      press(this.root, "lasso", this.isLasso);
      return;
    }
    this.stage.lasso = polygon;
    this.redraw();
  }

  lassoed(polygon, adds) {
    const { stage } = this;
    stage.lasso = null;
    const place = boxAt(stage.boxes, ...polygon[0]);
    if (place < 0) return this.redraw();
    const { left, top } = stage.boxes[place];
    const inBox = polygon.map(([x, y]) => [x - left, y - top]);
    const rows = rowsInside(stage.screenOf(place).xy, inBox);
    this.select(adds ? union(stage.rows, rows) : rows);
  }

  select(rows) {
    this.stage.select(rows);
    this.stage.walked = undefined;
    this.redraw();
    this.say(this.wanted.words.selected.replace("{n}", rows.length.toLocaleString()));
    this.emit("selected", rows.length ? packRows(rows, this.stage.n) : "");
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
    const row = x < 0 || this.goal ? -1 : this.rowAt(x, y);
    if (row === (this.stage.hovered ?? -1)) return;
    this.stage.hovered = row;
    this.showTip(row, x, y);
    this.redraw();
  }

  showTip(row, x, y) {
    this.tip.hidden = row < 0;
    if (row < 0) return;
    const { text, about } = this.told(row);
    this.tip.replaceChildren(text, document.createElement("br"), about);
    const { clientWidth, clientHeight } = this.element;
    const { offsetWidth, offsetHeight } = this.tip;
    const left = Math.min(x + TIP_GAP, clientWidth - offsetWidth);
    const below = y + TIP_GAP;
    const top = below + offsetHeight > clientHeight ? y - TIP_GAP - offsetHeight : below;
    this.tip.style.left = `${Math.max(left, 0)}px`;
    this.tip.style.top = `${Math.max(top, 0)}px`;
  }

  told(row) {
    const texts = window.narrowConeTexts?.get(this.wanted.texts);
    return toldOf(row, this.wanted, this.stage.codes, texts);
  }

  click(x, y, radius) {
    const row = this.rowAt(x, y, radius);
    if (row >= 0) this.emit("chosen", row);
  }

  // To the next or former selected point, its text read out; false at the end, so that Tab leaves.
  walk(step) {
    const { stage } = this;
    const row = neighbourIn(stage.rows, stage.walked, step);
    stage.walked = row;
    this.redraw();
    if (row === undefined) return false;
    const { text, about } = this.told(row);
    const place = stage.rows.indexOf(row) + 1;
    this.say(`${place} / ${stage.rows.length}: ${text} ${about}`);
    return true;
  }

  choose() {
    if (this.stage.walked !== undefined) this.emit("chosen", this.stage.walked);
  }

  clear() {
    if (!this.stage.rows.length) return false;
    this.select(new Uint32Array(0));
    return true;
  }

  say(text) {
    this.live.textContent = text;
  }

  end() {
    this.ending.abort();
    this.resized?.disconnect();
    cancelAnimationFrame(this.ticking);
    cancelAnimationFrame(this.drawing);
    this.stage.dispose();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const message = JSON.parse(new TextDecoder().decode(data));
  const root = parentElement.querySelector(".twin");
  let twin = twins.get(root);
  if (!twin) {
    twin = new Twin(root);
    twins.set(root, twin);
    if (twin.stage.gl) twin.begin();
    else {
      twin.notice(message.words.missing);
      setTriggerValue("missing", true); // the page draws with Plotly instead
    }
  }
  if (twin.stage.gl) twin.update(message, setTriggerValue);
  return () => {
    if (root.isConnected) return;
    twin.end();
    twins.delete(root);
  };
}
