// Copies the image of splat.js to the canvas with its depth, so that axes and cones can cover it.

import { programOf } from "./program.js";
import { COVER_VERTEX, SPLAT_FRAGMENT } from "./shaders.js";
import { Splat } from "./splat.js";

export class SplatLayer {
  constructor(gl) {
    this.gl = gl;
    this.splat = new Splat();
    this.program = programOf(gl, COVER_VERTEX, SPLAT_FRAGMENT);
    this.corners = gl.createVertexArray(); // empty: the shader computes the corners
    this.textures = [0, 1].map(() => gl.createTexture());
  }

  // box: {left, bottom, width, height} in device pixels; the rest as for Splat.draw.
  draw(box, cloud, from, to, share, paint, size) {
    const { gl, splat } = this;
    splat.resize(box.width, box.height);
    splat.draw(cloud, from, to, share, paint, size);
    const { program, uniforms } = this.program;
    gl.useProgram(program);
    this.#send(0, gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, splat.bytes);
    this.#send(1, gl.R32F, gl.RED, gl.FLOAT, splat.depths);
    gl.uniform1i(uniforms.colours, 0);
    gl.uniform1i(uniforms.depths, 1);
    gl.uniform2i(uniforms.corner, box.left, box.bottom);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
    gl.bindVertexArray(this.corners);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
    gl.activeTexture(gl.TEXTURE0);
  }

  #send(unit, inner, format, type, values) {
    const { gl, splat } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, this.textures[unit]);
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, splat.width, splat.height, 0, format, type, values);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }
}
