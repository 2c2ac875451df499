// Moves the film without a drag: for the play button, or to a new position of the page's sliders.

import { advance } from "./morph.js";

export const FILM_SPEED = 1.6; // stops a second, when it is played
export const MOVE_SPEED = 8; // stops a second, to a new position of the page's sliders
const LONGEST_TICK = 0.1; // s: in a hidden tab the film does not move on
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  // film: {at, goTo(at), ended()}; ended is called when a played film reaches its end.
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
    // with reduced motion: a jump instead of a move, and only the stops of a film
    if (calm.matches && !isPlayed) return this.film.goTo(at);
    this.goal = { at, speed, isPlayed };
    this.former = performance.now();
    this.frame ??= requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    this.frame = null;
    if (!this.goal) return;
    const { at, speed, isPlayed } = this.goal;
    // a frame's time can be before the press that requested it; time must not run backwards
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
