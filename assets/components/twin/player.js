// What moves the film by itself: a play button, or a slider of the page's that has jumped.

import { advance } from "./morph.js";

const LONGEST_TICK = 0.1; // s: a hidden tab comes back where it was
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  // film: {at, goTo(at), ended()}; ended is told when a film that was played has come to its end.
  constructor(film) {
    this.film = film;
    this.goal = null; // {at, speed in stops a second, isPlayed}
  }

  get isPlaying() {
    return Boolean(this.goal?.isPlayed);
  }

  get isMoving() {
    return this.goal !== null;
  }

  moveTo(at, speed, isPlayed = false) {
    // with reduced motion a jump instead of a move, and a film of its stops only
    if (calm.matches && !isPlayed) return this.film.goTo(at);
    this.goal = { at, speed, isPlayed };
    this.former = performance.now();
    this.frame ??= requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    this.frame = null;
    if (!this.goal) return;
    const { at, speed, isPlayed } = this.goal;
    // a frame's time can lie before the press that asked for it: never backwards
    const passed = Math.max(now - this.former, 0) / 1000;
    if (!calm.matches || passed >= 1 / speed) {
      this.former = now;
      const seconds = calm.matches ? 1 / speed : Math.min(passed, LONGEST_TICK);
      this.film.goTo(advance(this.film.at, at, seconds, speed));
    }
    if (this.film.at !== at) {
      this.frame = requestAnimationFrame((next) => this.#tick(next));
      return;
    }
    this.goal = null;
    if (isPlayed) this.film.ended();
  }

  stop() {
    this.goal = null;
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = null;
  }
}
