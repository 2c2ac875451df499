// A pen that writes SVG: the methods of a 2D canvas that overlay.js and png.js use.

const ANCHORS = { left: "start", center: "middle", right: "end" };
const BASELINES = { top: "text-before-edge", middle: "central", bottom: "text-after-edge" };
const STATE = [
  "fillStyle", "strokeStyle", "lineWidth", "font", "textAlign", "textBaseline", "globalAlpha",
];

function quoted(text) {
  return String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export class SvgPen {
  constructor(width, height) {
    Object.assign(this, {
      width, height, parts: [], path: "", dashes: [], groups: 0, clips: 0, saved: [],
      fillStyle: "currentColor", strokeStyle: "currentColor", lineWidth: 1, font: "", textAlign: "left",
      textBaseline: "alphabetic", globalAlpha: 1,
    });
    this.ruler = globalThis.document?.createElement("canvas").getContext("2d");
  }

  toString() {
    const { width, height, parts } = this;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
      ...parts,
      "</svg>",
    ].join("\n");
  }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  // The canvas is empty, and its pixels are those of the page.
  setTransform() {}

  clearRect() {}

  save() {
    this.saved.push([this.groups, ...STATE.map((name) => this[name])]);
  }

  restore() {
    const [groups, ...values] = this.saved.pop();
    while (this.groups > groups) this.#close();
    STATE.forEach((name, i) => (this[name] = values[i]));
  }

  #open(attributes) {
    this.parts.push(`<g ${attributes}>`);
    this.groups++;
  }

  #close() {
    this.parts.push("</g>");
    this.groups--;
  }

  translate(x, y) {
    this.#open(`transform="translate(${x} ${y})"`);
  }

  clip() {
    const id = `clip-${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.#open(`clip-path="url(#${id})"`);
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${x} ${y}`;
  }

  lineTo(x, y) {
    this.path += `L${x} ${y}`;
  }

  closePath() {
    this.path += "Z";
  }

  rect(x, y, width, height) {
    this.path += `M${x} ${y}h${width}v${height}h${-width}Z`;
  }

  // A whole circle: overlay.js draws no other arc.
  arc(x, y, r) {
    this.path += `M${x + r} ${y}a${r} ${r} 0 1 0 ${-2 * r} 0a${r} ${r} 0 1 0 ${2 * r} 0Z`;
  }

  setLineDash(dashes) {
    this.dashes = dashes;
  }

  stroke() {
    this.parts.push(`<path d="${this.path}" fill="none" ${this.#line()}/>`);
  }

  fill() {
    this.parts.push(`<path d="${this.path}" ${this.#paint()}/>`);
  }

  strokeRect(x, y, width, height) {
    this.parts.push(`<rect ${boxOf(x, y, width, height)} fill="none" ${this.#line()}/>`);
  }

  fillRect(x, y, width, height) {
    this.parts.push(`<rect ${boxOf(x, y, width, height)} ${this.#paint()}/>`);
  }

  fillText(text, x, y) {
    this.#text(text, x, y, this.#paint());
  }

  strokeText(text, x, y) {
    this.#text(text, x, y, `fill="none" stroke-linejoin="round" ${this.#line()}`);
  }

  // url: of a picture, such as data:image/png;…
  image(url, x, y, width, height) {
    this.parts.push(`<image href="${quoted(url)}" ${boxOf(x, y, width, height)}/>`);
  }

  #text(text, x, y, look) {
    const at = `x="${x}" y="${y}" text-anchor="${ANCHORS[this.textAlign] ?? "start"}"`;
    const baseline = BASELINES[this.textBaseline];
    const level = baseline ? ` dominant-baseline="${baseline}"` : "";
    this.parts.push(`<text ${at}${level} style="font: ${quoted(this.font)}" ${look}>${quoted(text)}</text>`);
  }

  #paint() {
    return `fill="${quoted(this.fillStyle)}" fill-opacity="${this.globalAlpha}"`;
  }

  #line() {
    const dashes = this.dashes.length ? ` stroke-dasharray="${this.dashes.join(" ")}"` : "";
    return `stroke="${quoted(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-opacity="${this.globalAlpha}"${dashes}`;
  }
}

function boxOf(x, y, width, height) {
  return `x="${x}" y="${y}" width="${width}" height="${height}"`;
}
