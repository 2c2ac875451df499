// The twin cloud: the same points in two to four pictures, one camera, one selection, one film.

import { fillBar, fillLegend, nameIcon } from "./controls.js";
import { PlacesNotFinite } from "./decode.js";
import { listenToFilm, nameLandmarks, restOf, showFilm } from "./film_slider.js";
import { Gestures } from "./gestures.js";
import { listen } from "./input.js";
import { fillKnobs, showKnobs } from "./knobs.js";
import { knobsAt, legLength, placeOn } from "./film.js";
import { LEG_SECONDS, Player } from "./player.js";
import { Stage } from "./stage.js";
import { Turn } from "./turn.js";

const twins = new WeakMap(); // element -> Twin

class Twin {
  constructor(root) {
    this.root = root;
    root.twin = this; // for tests and measurements
    this.element = root.querySelector(".twin-stage");
    this.live = root.querySelector(".twin-live");
    this.film = root.querySelector('[data-set="at"]');
    this.knobs = root.querySelector(".twin-knobs");
    this.more = root.querySelector(".twin-more");
    this.ending = new AbortController();
    this.stage = new Stage(this.element);
    this.player = new Player(this);
    this.firstTurn = new Turn(this.stage, () => this.drawNow());
    this.gestures = new Gestures(this);
    this.emit = () => {};
  }

  begin() {
    const { signal } = this.ending;
    listen(this.element, this.gestures, {
      isLasso: () => this.gestures.isLasso,
      isFlat: () => this.stage.camera?.k === 2,
      signal,
    });
    this.root.addEventListener("click", (event) => {
      const action = event.target.closest("[data-do]")?.dataset.do;
      if (!action || !this.stage.isReady) return;
      if (action === "play") this.play();
      else this.gestures[action]();
    }, { signal });
    listenToFilm(this.film, this.stage, {
      goTo: (at) => {
        this.stop();
        this.goTo(at);
      },
      settle: () => this.settle(),
    }, signal);
    for (const name of ["size", "opacity"]) {
      const input = this.root.querySelector(`[data-set="${name}"]`);
      input.addEventListener("input", () => {
        this.stage[name] = Number(input.value);
        this.redraw();
      }, { signal });
    }
    for (const name of ["pointerdown", "keydown"]) {
      document.addEventListener(name, () => this.firstTurn.stop(), { signal });
    }
    document.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(this.more)) this.closeMore(); // also inside a shadow root
    }, { signal });
    this.more.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.closeMore();
    }, { signal });
    const { canvas } = this.stage;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // otherwise the browser never restores it
      this.notice(this.wanted?.words.lost);
    }, { signal });
    canvas.addEventListener("webglcontextrestored", () => {
      this.stage.restore();
      this.notice("");
      this.redraw();
    }, { signal });
    window.addEventListener("narrow-cone-array", () => this.showWhenComplete(), { signal });
    window.addEventListener("narrow-cone-text", () => this.gestures.showText(), { signal });
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.element.parentElement);
    this.watchRatio();
  }

  // The pixel ratio changes when a window moves to another screen; there is no other event for it.
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
    const wanted = [message.codes, message.dots, message.selected, ...named].filter(Boolean);
    if (!wanted.every((name) => arrays.has(name))) return;
    try {
      this.stage.show(message, arrays);
    } catch (error) {
      if (!(error instanceof PlacesNotFinite)) throw error;
      this.notice(message.words.notFinite);
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
    const keys = this.stage.camera.k === 2 ? message.words.keysFlat : message.words.keys;
    this.element.setAttribute("aria-description", keys);
    this.root.querySelector(".twin-keys").textContent = keys;
    const hint = this.stage.camera.k === 2 ? message.words.hintFlat : message.words.hint;
    this.root.querySelector(".twin-hint").textContent = message.isLarge ? "" : hint;
    fillBar(this.root, message, this.stage);
    this.labelPlay();
    nameLandmarks(this.root.querySelector(".twin-landmarks"), message.landmarkNames);
    fillKnobs(this.knobs, message.knobNames, message.steps, {
      turn: (values) => this.turn(values),
      settle: () => this.settle(),
    });
    this.showSettings();
    fillLegend(this.root.querySelector(".twin-legend"), message, this.stage, {
      toggle: (bits) => {
        const { hidden } = this.stage;
        this.stage.hide((hidden & bits) === bits ? hidden & ~bits : hidden | bits);
        this.redraw();
      },
      isolate: (bits) => {
        this.stage.isolate(bits);
        this.redraw();
      },
    });
    this.notice(this.stage.n ? "" : message.words.empty);
    this.fit();
  }

  // The reader moves the film, and the page repeats each move. Only the first message sets the
  // position; a message with other settings than those here answers an earlier move. A message without
  // settings moves the film if its position is a new one: a training goes on. So does the one after it.
  follow(message) {
    const { former } = this;
    this.former = message;
    const isLed = former !== undefined && (message.values.length === 0
      ? message.at !== former.at : former.values.length === 0);
    const isFirst = this.values === undefined;
    if (isLed) this.stop();
    if (isLed || isFirst) this.values = message.values;
    else if (!(message.values.length && isSame(message.values, this.values))) return;
    if (message.at === null) this.stage.standAside(message.nearest);
    else if (isFirst || isLed || message.at !== this.at || this.stage.isAside) this.goTo(message.at);
  }

  get at() {
    return this.stage.at;
  }

  // Stops a second, when the film is played.
  get speed() {
    return legLength(this.stage.landmarks, this.at) / LEG_SECONDS;
  }

  goTo(at) {
    const { stage } = this;
    stage.goTo(at);
    if (stage.lastStop > 0 && this.values.length) this.values = knobsAt(stage.message.knobs, stage.at);
    this.showSettings();
    this.redraw();
  }

  // The settings of the knobs: on the film's path the picture follows at once, elsewhere the page
  // sends it after the drag.
  turn(values) {
    this.stop();
    this.values = values;
    const at = this.placeOnPath();
    if (at !== null) this.goTo(at);
    else this.showSettings();
  }

  placeOnPath() {
    const { message, lastStop } = this.stage;
    return lastStop > 0 ? placeOn(message.knobs, this.values) : null;
  }

  showSettings() {
    showFilm(this.film, this.stage);
    showKnobs(this.knobs, this.values);
    // the page's numbers are of another setting than the picture: they are grey until they follow
    const { values, at } = this.wanted;
    const isElsewhere = values.length
      ? !isSame(this.values, values) : at !== null && Math.abs(this.stage.at - at) > 1e-6;
    this.root.classList.toggle("is-elsewhere", isElsewhere);
  }

  play() {
    const { stage, player } = this;
    if (player.isPlaying) {
      this.stop();
      this.settle();
      return;
    }
    if (stage.at >= stage.lastStop) this.goTo(0);
    player.playTo(stage.lastStop);
    this.labelPlay();
  }

  stop() {
    this.player.stop();
    this.labelPlay();
  }

  ended() {
    this.labelPlay();
    this.settle();
  }

  labelPlay() {
    const { words } = this.wanted;
    const button = this.root.querySelector('[data-do="play"]');
    nameIcon(button, this.player.isPlaying ? words.stop : words.play);
    button.classList.toggle("is-playing", this.player.isPlaying);
  }

  closeMore() {
    this.more.open = false;
  }

  // A drag has ended: send the settings, so that the page's numbers follow.
  settle() {
    const { message, at } = this.stage;
    if (!message.settles) return;
    const rest = restOf(message, at);
    if (this.placeOnPath() !== null && rest !== at) this.goTo(rest);
    this.emit("settled", this.values);
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
    if (!this.root.dataset.drawn) this.announceFirst();
    this.root.dataset.drawn = String(this.stage.frames);
  }

  // Once the picture is on screen, scripts that block the browser may run.
  announceFirst() {
    const announce = () => window.dispatchEvent(new Event("narrow-cone-first-picture"));
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(announce)));
    if (this.wanted.turns && !this.wanted.camera) this.firstTurn.begin();
  }

  notice(text) {
    const place = this.root.querySelector(".twin-notice");
    place.hidden = !text;
    place.textContent = text ?? "";
  }

  say(text) {
    this.live.textContent = text;
  }

  end() {
    this.ending.abort();
    this.resized?.disconnect();
    this.player.stop();
    this.firstTurn.stop();
    cancelAnimationFrame(this.drawing);
    this.stage.dispose();
    this.root.twin = null;
    this.emit = () => {};
  }
}

function isSame(values, others) {
  return values.every((value, j) => Math.abs(value - others[j]) < 1e-6);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const message = JSON.parse(new TextDecoder().decode(data));
  const root = parentElement.querySelector(".twin");
  if (!twins.has(root)) twins.set(root, begun(root, message, setTriggerValue));
  const twin = twins.get(root);
  if (twin.stage.gl) twin.update(message, setTriggerValue);
  return endOf(new WeakRef(root)); // so that a stored function does not keep the picture in memory
}

function begun(root, message, setTriggerValue) {
  const twin = new Twin(root);
  if (twin.stage.gl) twin.begin();
  else {
    twin.notice(message.words.missing);
    setTriggerValue("missing", true); // the page draws with Plotly instead
  }
  return twin;
}

function endOf(reference) {
  return () => {
    const root = reference.deref();
    if (!root || root.isConnected) return;
    twins.get(root)?.end();
    twins.delete(root);
  };
}
