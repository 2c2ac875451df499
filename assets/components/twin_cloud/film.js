// The film at a position: its settings, its title, its scale.

const REACHED = 1e-6; // a stop nearer than this counts as reached

export function isAtStop(at) {
  return Math.abs(at - Math.round(at)) < REACHED;
}

// The knobs (numbers) at a position between two stops.
export function knobsAt(knobs, at) {
  const last = knobs.length - 1;
  const from = Math.min(Math.floor(at), Math.max(last - 1, 0));
  const to = Math.min(from + 1, last);
  return knobs[from].map((value, j) => value + (at - from) * (knobs[to][j] - value));
}

// The position nearest to `at` that sliders of the knobs, with `steps` steps from 0 to 1, can have.
export function nearestStep(knobs, at, steps) {
  const from = Math.min(Math.floor(at), Math.max(knobs.length - 2, 0));
  const parts = partsOf(knobs, from, steps);
  return from + Math.round((at - from) * parts) / parts;
}

// The next such position, forward (direction 1) or back (-1); at an end the end.
export function nextStep(knobs, at, direction, steps) {
  const last = knobs.length - 1;
  const from = direction > 0 ? Math.floor(at + REACHED) : Math.ceil(at - REACHED) - 1;
  if (from < 0 || from >= last) return from < 0 ? 0 : last;
  const parts = partsOf(knobs, from, steps);
  const place = (at - from) * parts;
  const next = direction > 0 ? Math.floor(place + REACHED) + 1 : Math.ceil(place - REACHED) - 1;
  return from + next / parts;
}

// The number of the sliders' steps between two stops.
function partsOf(knobs, from, steps) {
  const to = knobs[from + 1] ?? knobs[from];
  const way = Math.max(...knobs[from].map((value, j) => Math.abs(to[j] - value)));
  return Math.max(Math.round(way * steps), 1);
}

// The position of knobs on the path, in stops; null where the path does not lead there.
export function placeOn(knobs, values) {
  for (let from = 0; from < knobs.length - 1; from++) {
    const way = knobs[from].map((value, j) => knobs[from + 1][j] - value);
    const square = way.reduce((sum, value) => sum + value * value, 0);
    const along = values.reduce((sum, value, j) => sum + (value - knobs[from][j]) * way[j], 0);
    const share = Math.min(Math.max(along / square, 0), 1);
    const isThere = values.every((value, j) =>
      Math.abs(knobs[from][j] + share * way[j] - value) < REACHED);
    if (isThere) return from + share;
  }
  return null;
}

// The film's slider has its landmarks (stops, ascending) at 0, 1, 2, …
export function onSlider(landmarks, at) {
  const leg = legOf(landmarks, at);
  return leg + (at - landmarks[leg]) / (landmarks[leg + 1] - landmarks[leg] || 1);
}

export function offSlider(landmarks, value) {
  const leg = Math.min(Math.floor(value), Math.max(landmarks.length - 2, 0));
  return landmarks[leg] + (value - leg) * ((landmarks[leg + 1] ?? landmarks[leg]) - landmarks[leg]);
}

// The number of stops between the landmarks around a position.
export function legLength(landmarks, at) {
  const leg = legOf(landmarks, at);
  return landmarks[leg + 1] - landmarks[leg] || 1;
}

function legOf(landmarks, at) {
  const leg = landmarks.findLastIndex((stop) => stop <= at + REACHED);
  return Math.min(Math.max(leg, 0), Math.max(landmarks.length - 2, 0));
}

// A stop has its own title; between two stops the title gives the knobs.
export function titleAt({ names, between }, knobs, at) {
  const place = Math.min(at, names.length - 1);
  if (isAtStop(place)) return names[Math.round(place)];
  const values = knobsAt(knobs, at).map((value) => String(Number(value.toFixed(3))));
  return values.reduce((text, value, j) => text.replaceAll(`{${j}}`, value), between);
}

// The factor of drawn lengths. Null between two stops with different factors, where no number is
// true of every point, and where lengths have no meaning.
export function factorAt(factors, { a, b, share }) {
  const [from, to] = [factors[a] ?? null, factors[b] ?? null];
  if (share === 0 || from === to) return from;
  return share === 1 ? to : null;
}

// A tick of the film or of a move to a position: `speed` stops a second, not beyond the goal.
export function advance(at, goal, seconds, speed) {
  const step = seconds * speed;
  return Math.abs(goal - at) <= step ? goal : at + Math.sign(goal - at) * step;
}
