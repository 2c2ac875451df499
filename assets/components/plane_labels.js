// Places for labels in a square picture, clear of lines and other labels. Pure functions.
// All lengths are in the picture's pixels, from its middle, y upwards.

const LETTER = 7.5; // px of a Latin letter; then of a CJK letter, and a line's height
const WIDE_LETTER = 14;
const LINE = 16;
const DIRECTIONS = 16; // candidates around the point, the nearest ring first
const RINGS = [0, 9, 20];
const COST = { ink: 1, label: 40, outside: 80, spot: 0.5, turn: 1, ring: 0.1, moved: 2.5 };
const SAMPLE = 3; // px between sample points of a line

export function halfSize(text) {
  const width = [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e80 ? WIDE_LETTER : LETTER), 0);
  return [width / 2, LINE / 2];
}

// Sample points of a polyline, a few pixels apart.
function samples(line) {
  const found = [];
  for (let i = 1; i < line.length; i++) {
    const [[x0, y0], [x1, y1]] = [line[i - 1], line[i]];
    const count = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / SAMPLE));
    for (let k = 0; k <= count; k++) found.push([x0 + ((x1 - x0) * k) / count, y0 + ((y1 - y0) * k) / count]);
  }
  return found;
}

function candidates([x, y], [halfX, halfY], gap) {
  const outward = Math.atan2(y, x);
  const found = [];
  for (const ring of RINGS) {
    for (let i = 0; i < DIRECTIONS; i++) {
      const turn = (2 * Math.PI * i) / DIRECTIONS;
      const [dx, dy] = [Math.cos(outward + turn), Math.sin(outward + turn)];
      const reach = Math.min(halfX / Math.max(Math.abs(dx), 1e-9), halfY / Math.max(Math.abs(dy), 1e-9));
      const far = reach + gap + ring;
      found.push({
        centre: [x + dx * far, y + dy * far],
        offset: [dx * far, dy * far],
        cost: COST.turn * (1 - Math.cos(turn)) + COST.ring * ring,
      });
    }
  }
  return found;
}

// What a label covers at this centre. At or above the limit the sum may be incomplete.
function costOf([x, y], [halfX, halfY], ink, boxes, side, limit) {
  let cost = Math.abs(x) + halfX > side / 2 || Math.abs(y) + halfY > side / 2 ? COST.outside : 0;
  for (const { centre, half } of boxes) {
    if (Math.abs(centre[0] - x) < halfX + half[0] && Math.abs(centre[1] - y) < halfY + half[1]) cost += COST.label;
  }
  for (let i = 0; i < ink.length && cost < limit; i++) {
    const [u, v] = ink[i];
    if (Math.abs(u - x) < halfX + 2 && Math.abs(v - y) < halfY + 2) cost += COST.ink * SAMPLE * 0.67;
  }
  return cost;
}

// Centres of the labels, chosen one after the other. Each is where its label covers least; among
// equals near its first spot, then outward.
// marks: {spots, text, gap}, the best spot first; gap: pixels between a label's box and its mark.
// lines: not to be covered. before: the last result, so that labels move little during a drag.
export function placeLabels(marks, lines, side, before = []) {
  const ink = lines.flatMap(samples);
  const boxes = [];
  marks.forEach(({ spots, text, gap }, row) => {
    const half = halfSize(text);
    let best = null;
    spots.forEach((spot, late) => {
      for (const { centre, offset, cost } of candidates(spot, half, gap)) {
        const last = before[row]?.offset;
        const jump = last && Math.hypot(offset[0] - last[0], offset[1] - last[1]) > 12 ? COST.moved : 0;
        const base = COST.spot * late + cost + jump;
        if (best && base >= best.cost) continue; // the rest can only add to the cost
        const whole = base + costOf(centre, half, ink, boxes, side, best ? best.cost - base : Infinity);
        if (!best || whole < best.cost) best = { cost: whole, centre, offset, half };
      }
    });
    boxes.push(best);
  });
  return boxes;
}
