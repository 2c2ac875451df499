// The film's slider: where the film stands, in sight and in words, and what keys do to it.

import { nearestStep, nextStep } from "./morph.js";

const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

// asks: {goTo(at) by the reader's hand, settle() where the hand lets go}
export function listenToFilm(slider, stage, asks, signal) {
  slider.addEventListener("input", () => asks.goTo(Number(slider.value)), { signal });
  slider.addEventListener("change", () => asks.settle(), { signal });
  let isHeld = false;
  slider.addEventListener("keydown", (event) => {
    const direction = KEY_STEPS[event.key];
    const { knobs, steps } = stage.told ?? {};
    if (!direction || !steps) return; // a film that no slider of the page's follows has any step
    event.preventDefault();
    asks.goTo(nextStep(knobs, stage.at, direction, steps));
    isHeld = true; // a key that is held down repeats; the page need not answer every step of it
  }, { signal });
  const letGo = () => {
    if (isHeld) asks.settle();
    isHeld = false;
  };
  slider.addEventListener("keyup", letGo, { signal });
  slider.addEventListener("blur", letGo, { signal });
}

// A picture beside the film's path has the film's nearest place, and says that it is not there.
export function showFilm(slider, stage) {
  slider.value = stage.at;
  slider.classList.toggle("is-aside", Boolean(stage.isAside));
  slider.setAttribute("aria-valuetext", stage.shown(stage.told.views.at(-1)).title);
}

// Where a film that is let go comes to rest: a place that the page's sliders can say.
export function restOf({ knobs, steps }, at) {
  return steps ? nearestStep(knobs, at, steps) : at;
}
