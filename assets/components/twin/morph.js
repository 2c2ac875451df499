// The film as the page names it: where it stands, what that is called, which cone it has.

const REACHED = 1e-6; // stops nearer than this are reached

export function isAtStop(at) {
  return Math.abs(at - Math.round(at)) < REACHED;
}

// The knobs (numbers) at a place between two stops.
export function knobsAt(knobs, at) {
  const last = knobs.length - 1;
  const from = Math.min(Math.floor(at), Math.max(last - 1, 0));
  const to = Math.min(from + 1, last);
  return knobs[from].map((value, j) => value + (at - from) * (knobs[to][j] - value));
}

// The place nearest to `at` at which sliders of the knobs, with so many steps from 0 to 1, can stand.
export function nearestStep(knobs, at, steps) {
  const from = Math.min(Math.floor(at), Math.max(knobs.length - 2, 0));
  const parts = partsOf(knobs, from, steps);
  return from + Math.round((at - from) * parts) / parts;
}

// The next such place, on (direction 1) or back (-1); at an end the end.
export function nextStep(knobs, at, direction, steps) {
  const last = knobs.length - 1;
  const from = direction > 0 ? Math.floor(at + REACHED) : Math.ceil(at - REACHED) - 1;
  if (from < 0 || from >= last) return from < 0 ? 0 : last;
  const parts = partsOf(knobs, from, steps);
  const place = (at - from) * parts;
  const next = direction > 0 ? Math.floor(place + REACHED) + 1 : Math.ceil(place - REACHED) - 1;
  return from + next / parts;
}

// The sliders' steps between two stops.
function partsOf(knobs, from, steps) {
  const to = knobs[from + 1] ?? knobs[from];
  const way = Math.max(...knobs[from].map((value, j) => Math.abs(to[j] - value)));
  return Math.max(Math.round(way * steps), 1);
}

// A stop has a name of its own; between two the knobs are told.
export function titleAt({ names, between }, knobs, at) {
  const place = Math.min(at, names.length - 1);
  if (isAtStop(place)) return names[Math.round(place)];
  const told = knobsAt(knobs, at).map((value) => String(Number(value.toFixed(3))));
  return told.reduce((text, value, j) => text.replaceAll(`{${j}}`, value), between);
}

// Cones of two neighbouring stops, one turned and widened into the other; too wide are left out.
export function conesAt(stops, { a, b, share }, widest) {
  const from = stops[a] ?? [];
  const to = stops[b] ?? [];
  return from
    .map((cone, i) => (share && to[i] ? blend(cone, to[i], share) : cone))
    .filter((cone, i) => cone.degrees <= widest && (!share || to[i]));
}

// By which factor lengths are drawn: null on the way between two stops that differ in it, where no
// one number is true of every point, and where lengths mean nothing.
export function factorAt(factors, { a, b, share }) {
  const [from, to] = [factors[a] ?? null, factors[b] ?? null];
  if (share === 0 || from === to) return from;
  return share === 1 ? to : null;
}

function blend(one, other, share) {
  const mixed = one.axis.map((value, j) => value + share * (other.axis[j] - value));
  const length = Math.hypot(...mixed) || 1;
  return {
    axis: mixed.map((value) => value / length),
    degrees: one.degrees + share * (other.degrees - one.degrees),
  };
}

// One tick of the film or of a move to a place: `speed` stops a second, never past the goal.
export function advance(at, goal, seconds, speed) {
  const step = seconds * speed;
  return Math.abs(goal - at) <= step ? goal : at + Math.sign(goal - at) * step;
}
