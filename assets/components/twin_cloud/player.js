// Plays the film.

import { advance } from "./film.js";

export const LEG_SECONDS = 2.5; // from a landmark of the film to the next, when it is played
const LONGEST_TICK = 0.1; // s: in a hidden tab the film does not move on
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  // film: {at, speed in stops a second, goTo(at), ended() at the film's end}
  constructor(film) {
    this.film = film;
    this.goal = null;
  }

  get isPlaying() {
    return this.goal !== null;
  }

  playTo(goal) {
    this.goal = goal;
    this.former = performance.now();
    this.frame ??= requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    this.frame = null;
    if (!this.isPlaying) return;
    const { film, goal } = this;
    const { speed } = film;
    // a frame's time can be before the press that requested it; time must not run backwards
    const passed = Math.max(now - this.former, 0) / 1000;
    if (!calm.matches || passed >= 1 / speed) { // with reduced motion only the stops are shown
      this.former = now;
      const seconds = calm.matches ? 1 / speed : Math.min(passed, LONGEST_TICK);
      film.goTo(advance(film.at, goal, seconds, speed));
    }
    if (film.at !== goal) {
      this.frame = requestAnimationFrame((next) => this.#tick(next));
      return;
    }
    this.goal = null;
    film.ended();
  }

  stop() {
    this.goal = null;
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = null;
  }
}
