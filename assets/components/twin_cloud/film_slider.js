// The film's slider: its position, its text, its keys, and the names below it.

import { nearestStep, nextStep, onSlider, offSlider } from "./film.js";

const KEY_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };

// actions: {goTo(at) during a drag or key, settle() at its end}
export function listenToFilm(slider, stage, actions, signal) {
  slider.addEventListener("input", () => {
    actions.goTo(offSlider(stage.landmarks, Number(slider.value)));
  }, { signal });
  slider.addEventListener("change", () => actions.settle(), { signal });
  let isHeld = false;
  slider.addEventListener("keydown", (event) => {
    const direction = KEY_STEPS[event.key];
    const { knobs, steps } = stage.message ?? {};
    if (!direction || !steps) return; // without sliders on the page every position is allowed
    event.preventDefault();
    actions.goTo(nextStep(knobs, stage.at, direction, steps));
    isHeld = true; // a key that is held down repeats; the page gets only the last position
  }, { signal });
  const letGo = () => {
    if (isHeld) actions.settle();
    isHeld = false;
  };
  slider.addEventListener("keyup", letGo, { signal });
  slider.addEventListener("blur", letGo, { signal });
}

// For settings that are not on the film's path: the nearest position, marked as such.
export function showFilm(slider, stage) {
  slider.max = stage.landmarks.length - 1;
  slider.value = onSlider(stage.landmarks, stage.at);
  slider.classList.toggle("is-aside", Boolean(stage.isAside));
  slider.setAttribute("aria-valuetext", stage.shown(stage.message.views.at(-1)).title);
}

// The names of the landmarks, evenly below the slider.
export function nameLandmarks(element, names) {
  if (element.dataset.of === names.join()) return;
  element.dataset.of = names.join();
  element.replaceChildren(...names.map((name) => {
    const label = document.createElement("span");
    label.textContent = name;
    return label;
  }));
}

// The position after a drag: one that the page's settings can have.
export function restOf({ knobs, steps }, at) {
  return steps ? nearestStep(knobs, at, steps) : at;
}
