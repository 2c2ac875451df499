// The density of points: how many are at each pixel, and their mean colour.

import { rgb } from "./palette.js";
import { programOf } from "./program.js";
import { COVER_VERTEX, DENSITY_FRAGMENT } from "./shaders.js";

const COARSE = 1 / 64; // weight of a point if a channel has only 256 steps

export class Density {
  constructor(gl) {
    this.gl = gl;
    this.program = programOf(gl, COVER_VERTEX, DENSITY_FRAGMENT);
    // half floats count exactly to 2,048; adding them up needs this extension
    this.isFine = Boolean(gl.getExtension("EXT_color_buffer_float"));
    this.weight = this.isFine ? 1 : COARSE;
    this.texture = gl.createTexture();
    this.target = gl.createFramebuffer();
    this.corners = gl.createVertexArray(); // empty: the shader computes the corners
  }

  #fit() {
    const { gl } = this;
    const size = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    if (String(size) === this.size) return;
    this.size = String(size);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    const [inner, type] = this.isFine ? [gl.RGBA16F, gl.HALF_FLOAT] : [gl.RGBA8, gl.UNSIGNED_BYTE];
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, ...size, 0, gl.RGBA, type, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(
      gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0,
    );
  }

  // From here on points are added up. The current scissor box is cleared.
  begin() {
    const { gl } = this;
    this.#fit();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
  }

  // most: the number of points at a pixel that gives the full colour.
  end(most, paper) {
    const { gl } = this;
    const { program, uniforms } = this.program;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform1i(uniforms.sums, 0);
    gl.uniform1f(uniforms.weight, this.weight);
    gl.uniform1f(uniforms.most, most);
    gl.uniform3fv(uniforms.paper, rgb(paper));
    gl.bindVertexArray(this.corners);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
  }
}
