// Many small points without a graphics card. Software rendering of WebGL is slow for each point; here
// a point costs a projection and the pixels that it covers.

import { sizeOfStep } from "./paint.js";

const EYE = 1e-3;
const BEHIND = 8; // kinds of paint.js from this number on are behind the others

// A picture of width x height pixels, from its lower left corner: colours and depths.
export class Splat {
  resize(width, height) {
    if (this.width === width && this.height === height) return;
    Object.assign(this, { width, height });
    this.colours = new Uint32Array(width * height);
    this.bytes = new Uint8Array(this.colours.buffer); // the same memory as bytes
    this.depths = new Float32Array(width * height);
  }

  // from: {values, matrix}, stored values and their map to the screen; to: the same for the film's
  // next frame, or null; share: the way between them; paint: as paintOf returns it; size: in pixels.
  draw({ n, k }, from, to, share, paint, size) {
    this.colours.fill(0);
    this.depths.fill(1);
    const [a, b] = [from.values, to?.values];
    const m = from.matrix;
    const o = to?.matrix;
    const { width, height, colours, depths } = this;
    const put = (at, depth, dot) => {
      if (depth > depths[at]) return;
      depths[at] = depth;
      colours[at] = dot;
    };
    for (let i = 0; i < n; i++) {
      const dot = paint[i];
      const kind = (dot >>> 24) & 15;
      if (kind === 0) continue; // hidden
      const j = k * i;
      let x = a[j];
      let y = a[j + 1];
      let z = k === 3 ? a[j + 2] : 0;
      let w = m[3] * x + m[7] * y + m[11] * z + m[15];
      let left = m[0] * x + m[4] * y + m[8] * z + m[12];
      let up = m[1] * x + m[5] * y + m[9] * z + m[13];
      let depth = m[2] * x + m[6] * y + m[10] * z + m[14];
      if (to) {
        x = b[j];
        y = b[j + 1];
        z = k === 3 ? b[j + 2] : 0;
        w += share * (o[3] * x + o[7] * y + o[11] * z + o[15] - w);
        left += share * (o[0] * x + o[4] * y + o[8] * z + o[12] - left);
        up += share * (o[1] * x + o[5] * y + o[9] * z + o[13] - up);
        depth += share * (o[2] * x + o[6] * y + o[10] * z + o[14] - depth);
      }
      if (w <= EYE) continue;
      const per = 1 / w;
      depth *= per;
      if (kind >= BEHIND) depth = depth * 0.01 + 0.98;
      if (depth < -1 || depth > 1) continue;
      const step = dot >>> 28;
      const side = step ? Math.max(1, Math.round(size * sizeOfStep(step))) : size;
      const x0 = (((left * per + 3) * width - side + 1) / 2 | 0) - width;
      const y0 = (((up * per + 3) * height - side + 1) / 2 | 0) - height;
      if (side === 2 && x0 >= 0 && y0 >= 0 && x0 < width - 1 && y0 < height - 1) {
        const at = y0 * width + x0; // most points of a large cloud; a loop takes a third longer
        put(at, depth, dot);
        put(at + 1, depth, dot);
        put(at + width, depth, dot);
        put(at + width + 1, depth, dot);
        continue;
      }
      const [x1, y1] = [Math.min(x0 + side, width), Math.min(y0 + side, height)];
      for (let y = Math.max(y0, 0); y < y1; y++) {
        for (let x = Math.max(x0, 0); x < x1; x++) put(y * width + x, depth, dot);
      }
    }
  }
}

// True if the browser renders WebGL in software.
export function isImitated(gl) {
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
}
