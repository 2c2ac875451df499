// Room for words in a picture: where they cover neither points nor each other.

import { placeOf } from "./decode.js";
import { toPixels } from "./camera.js";

const ROOM_CELL = 8; // pixels
const MOST_COUNTED = 4000; // points that are counted; of more, every second, third, …

export class Room {
  // pixelsOf(row): a point's place in the picture, NaN where it is hidden; n points.
  constructor(box, n, pixelsOf) {
    this.box = box;
    this.across = Math.ceil(box.width / ROOM_CELL);
    this.down = Math.ceil(box.height / ROOM_CELL);
    this.counts = new Uint16Array(this.across * this.down);
    this.taken = [];
    this.step = Math.max(1, Math.ceil(n / MOST_COUNTED));
    for (let row = 0; row < n; row += this.step) {
      const [x, y] = pixelsOf(row);
      const cell = this.#cellAt(x, y);
      if (cell >= 0) this.counts[cell]++;
    }
  }

  #cellAt(x, y) {
    if (!(x >= 0 && y >= 0 && x < this.box.width && y < this.box.height)) return -1;
    return Math.floor(y / ROOM_CELL) * this.across + Math.floor(x / ROOM_CELL);
  }

  // Points (of those counted) below a rectangle in pixels of the picture.
  pointsBelow([x, y, width, height]) {
    let sum = 0;
    const last = (value, most) => Math.min(Math.ceil(value / ROOM_CELL), most);
    for (let j = Math.max(Math.floor(y / ROOM_CELL), 0); j < last(y + height, this.down); j++) {
      for (let i = Math.max(Math.floor(x / ROOM_CELL), 0); i < last(x + width, this.across); i++) {
        sum += this.counts[j * this.across + i];
      }
    }
    return sum;
  }

  isFree([x, y, width, height]) {
    const { box, taken } = this;
    const isInside = x >= 0 && y >= 0 && x + width <= box.width && y + height <= box.height;
    return isInside && taken.every(([left, top, across, down]) =>
      x >= left + across || left >= x + width || y >= top + down || top >= y + height);
  }

  take(rectangle) {
    this.taken.push(rectangle);
    return rectangle;
  }

  // The first of the rectangles that covers nothing, and takes it; null if there is none.
  first(rectangles) {
    const found = rectangles.find((each) => this.isFree(each) && !this.pointsBelow(each));
    return found ? this.take(found) : null;
  }

  // The same, but the one that covers the fewest points where none is free of them.
  least(rectangles) {
    const free = rectangles.filter((each) => this.isFree(each));
    if (!free.length) return null;
    const points = free.map((each) => this.pointsBelow(each));
    return this.take(free[points.indexOf(Math.min(...points))]);
  }

  // How many points lie one on the other, where there are points: the mean over points of how many
  // points of this size are on their place.
  crowding(size) {
    let [sum, squares] = [0, 0];
    for (const count of this.counts) {
      sum += count;
      squares += count * count;
    }
    return sum ? ((squares / sum) * this.step * size * size) / (ROOM_CELL * ROOM_CELL) : 0;
  }
}

export function roomOf(box, { cloud, stretch }, matrix, isHidden) {
  const [place, there] = [[0, 0, 0], [0, 0, 0]];
  return new Room(box, cloud.n, (row) => (isHidden(row) ? [NaN, NaN]
    : toPixels(matrix, placeOf(cloud, stretch, row, place), box.width, box.height, there)));
}
