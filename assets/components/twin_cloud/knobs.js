// The sliders of the film's knobs, one by one: they reach settings that are not on the film's path.

// knobs: [{name, steps}]; actions: {turn(values) during a drag, settle() at its end}
export function fillKnobs(element, names, steps, actions) {
  const of = JSON.stringify([names, steps]);
  if (element.dataset.of === of) return;
  element.dataset.of = of;
  element.replaceChildren(...names.map((name) => {
    const label = document.createElement("label");
    const text = document.createElement("span");
    text.textContent = name;
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: 1, step: 1 / steps });
    slider.addEventListener("input", () => actions.turn(valuesOf(element)));
    slider.addEventListener("change", () => actions.settle());
    label.append(text, slider, document.createElement("output"));
    return label;
  }));
}

function valuesOf(element) {
  return [...element.querySelectorAll("input")].map((slider) => Number(slider.value));
}

export function showKnobs(element, values) {
  for (const [j, label] of [...element.children].entries()) {
    const slider = label.querySelector("input");
    if (Number(slider.value) !== values[j]) slider.value = values[j];
    label.querySelector("output").textContent = values[j].toFixed(2);
  }
}
