// WebGL programs and buffers, and the drawing of a picture.

import { fromSteps } from "./camera.js";
import { Density } from "./density.js";
import { rgb } from "./palette.js";
import { programOf } from "./program.js";
import { PLAIN_FRAGMENT, PLAIN_VERTEX, POINT_FRAGMENT, POINT_VERTEX } from "./shaders.js";
import { isImitated } from "./splat.js";
import { SplatLayer } from "./splat_layer.js";

const SETTINGS = { antialias: false, alpha: false, powerPreference: "high-performance" };
const SHAPED = 2.5; // pixels; smaller points are squares
export const MOST_SHAPED = 20000; // points; without a graphics card more than these are squares
const INPUTS = 4; // at least as many as any program has

export function contextOf(canvas) {
  return canvas.getContext("webgl2", SETTINGS);
}

// One for each GL context. After a lost context another is made from the same arrays.
export class Painter {
  constructor(gl) {
    this.gl = gl;
    this.isImitated = isImitated(gl);
    this.points = {}; // programs by their switches
    this.plain = programOf(gl, PLAIN_VERTEX, PLAIN_FRAGMENT);
    this.buffers = new Map(); // array -> its buffer
    this.shape = gl.createBuffer();
    gl.enable(gl.SCISSOR_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // An array is uploaded when it is first drawn, so that the first picture waits only for its own.
  #bufferOf(values) {
    const { gl } = this;
    const known = this.buffers.get(values);
    if (known) return gl.bindBuffer(gl.ARRAY_BUFFER, known);
    const buffer = gl.createBuffer();
    this.buffers.set(values, buffer);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    return gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  }

  // The array has changed or is no longer drawn.
  forget(values) {
    this.gl.deleteBuffer(this.buffers.get(values) ?? null);
    this.buffers.delete(values);
  }

  begin(paper) {
    const { gl } = this;
    gl.scissor(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...rgb(paper), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  // box: {left, top, width, height} in device pixels, from the top left corner.
  enter(box) {
    const { gl } = this;
    const bottom = gl.drawingBufferHeight - box.top - box.height;
    gl.viewport(box.left, bottom, box.width, box.height);
    gl.scissor(box.left, bottom, box.width, box.height);
    this.box = { ...box, bottom };
  }

  // paint: as paintOf returns it; look: {size, opacity, hasMarks, isDensity, most, paper}.
  drawPoints(cloud, stretch, paint, matrix, look) {
    const { gl } = this;
    if (cloud.n === 0) return;
    const { a, b, share } = stretch;
    const isShaped = look.size >= SHAPED;
    const isSolid = look.opacity >= 1;
    const isMany = !isShaped || cloud.n > MOST_SHAPED;
    if (this.isImitated && isMany && isSolid && !look.isDensity) {
      this.#splat(cloud, stretch, paint, matrix, look.size);
      return;
    }
    const { program, attributes, uniforms } = this.#pointsProgram({
      MORPH: share > 0, SHAPED: isShaped, MARKED: look.hasMarks,
    });
    gl.useProgram(program);
    this.#rest();
    this.#places(attributes.a, cloud, a, uniforms.fromA, matrix);
    if (share) this.#places(attributes.b, cloud, b, uniforms.fromB, matrix);
    this.#bufferOf(paint);
    gl.enableVertexAttribArray(attributes.paint);
    gl.vertexAttribPointer(attributes.paint, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.uniform1f(uniforms.share, share);
    gl.uniform1f(uniforms.size, look.size);
    gl.uniform1f(uniforms.opacity, look.opacity);
    gl.uniform1f(uniforms.softness, look.size / 2);
    gl.uniform1f(uniforms.weight, 0);
    gl.enable(gl.DEPTH_TEST);
    // a transparent point must not hide others; in 2D only faded points are behind the rest
    gl.depthMask(isSolid && (cloud.k === 3 || look.hasMarks));
    if (isSolid && !isShaped) gl.disable(gl.BLEND);
    else gl.enable(gl.BLEND);
    if (look.isDensity) this.#addUp(cloud, uniforms.weight, look);
    else gl.drawArrays(gl.POINTS, 0, cloud.n);
  }

  #splat(cloud, { a, b, share }, paint, matrix, size) {
    const end = (index) => {
      const { values, low, step } = cloud.frames[index];
      return { values, matrix: fromSteps(matrix, low, step) };
    };
    this.splats ??= new SplatLayer(this.gl);
    const pixels = Math.max(1, Math.round(size));
    this.splats.draw(this.box, cloud, end(a), share ? end(b) : null, share, paint, pixels);
  }

  // Compiled when first needed.
  #pointsProgram(wanted) {
    const names = Object.keys(wanted).filter((name) => wanted[name]);
    const known = names.join(" ");
    this.points[known] ??= programOf(this.gl, POINT_VERTEX, POINT_FRAGMENT, names);
    return this.points[known];
  }

  // Programs use the same location for different inputs, so all are disabled after use.
  #rest() {
    for (let place = 0; place < INPUTS; place++) this.gl.disableVertexAttribArray(place);
  }

  #addUp(cloud, weight, look) {
    const { gl } = this;
    this.density ??= new Density(gl);
    this.density.begin();
    gl.uniform1f(weight, this.density.weight);
    gl.drawArrays(gl.POINTS, 0, cloud.n);
    this.density.end(look.most, look.paper);
  }

  #places(attribute, cloud, index, from, matrix) {
    const { gl } = this;
    const { values, low, step } = cloud.frames[index];
    this.#bufferOf(values);
    gl.enableVertexAttribArray(attribute);
    const type = values instanceof Float32Array ? gl.FLOAT : gl.UNSIGNED_SHORT;
    gl.vertexAttribPointer(attribute, cloud.k, type, false, 0, 0);
    gl.uniformMatrix4fv(from, false, fromSteps(matrix, low, step));
  }

  // places: three numbers for each corner; mode: gl.LINES or gl.TRIANGLE_FAN.
  drawShape(places, mode, matrix, colour, opacity = 1) {
    const { gl } = this;
    const { program, attributes, uniforms } = this.plain;
    gl.useProgram(program);
    this.#rest();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.shape);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STREAM_DRAW);
    gl.enableVertexAttribArray(attributes.place);
    gl.vertexAttribPointer(attributes.place, 3, gl.FLOAT, false, 0, 0);
    gl.uniformMatrix4fv(uniforms.matrix, false, matrix);
    gl.uniform4fv(uniforms.colour, [...rgb(colour), opacity]);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.depthMask(opacity >= 1);
    gl.drawArrays(mode, 0, places.length / 3);
    gl.depthMask(true);
  }

  // low, high: both ends of each axis.
  drawAxes({ low, high }, matrix, colour) {
    const places = new Float32Array(6 * low.length);
    for (let j = 0; j < low.length; j++) {
      places[6 * j + j] = low[j];
      places[6 * j + 3 + j] = high[j];
    }
    this.drawShape(places, this.gl.LINES, matrix, colour);
  }

  // Browsers limit the number of contexts, so this one is freed now and not by garbage collection.
  dispose() {
    this.buffers.clear();
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
