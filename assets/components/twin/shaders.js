// The programs: points, and plain shapes (axes, the cone's mantle).

export const MOST_COLOURS = 8;

// frames a and b of the film, `share` of the way from one to the other; flag: 0 as it is, 1 faded
// beside a selection, 2 selected, 3 hidden
export const POINT_VERTEX = `#version 300 es
precision highp float;
in vec3 a, b;
in float code, flag;
uniform vec3 aLow, aStep, bLow, bStep, paper;
uniform float share, size, opacity;
uniform mat4 matrix;
uniform vec3 colours[${MOST_COLOURS}];
uniform int hues;
uniform bool isScale;
uniform uint hidden;
flat out vec4 colour;
flat out int shape;
vec3 onScale(float value) {
  float place = value / 65535.0 * float(hues - 1);
  int below = min(int(place), hues - 2);
  return mix(colours[below], colours[below + 1], place - float(below));
}
void main() {
  int category = isScale ? 0 : int(code);
  bool isHidden = flag > 2.5 || (!isScale && category < 32 && ((hidden >> uint(category)) & 1u) == 1u);
  if (isHidden) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  vec3 from = aLow + aStep * a;
  vec3 place = share == 0.0 ? from : mix(from, bLow + bStep * b, share);
  gl_Position = matrix * vec4(place, 1.0);
  bool isFaded = flag > 0.5 && flag < 1.5;
  vec3 hue = isScale ? onScale(code) : colours[category % hues];
  colour = isFaded ? vec4(mix(paper, hue, 0.18), opacity) : vec4(hue, opacity);
  if (isFaded) gl_Position.z = (gl_Position.z * 0.01 + 0.98 * gl_Position.w); // behind the others
  shape = isScale ? 0 : (category / hues) % 4;
  gl_PointSize = size * (shape == 0 || size < 2.5 ? 1.0 : 1.25);
}`;

export const POINT_FRAGMENT = `#version 300 es
precision mediump float;
flat in vec4 colour;
flat in int shape;
uniform bool isTiny;
uniform float weight; // what a point adds where they are added up; 0 where they cover each other
uniform float softness; // half the size in pixels: the last pixel of a rim fades
out vec4 painted;
float reach(vec2 p) {
  if (shape == 0) return length(p);
  if (shape == 1) return p.x + p.y;
  if (shape == 2) return 1.2 * max(p.x, p.y);
  return max(max(p.x, p.y), 2.4 * min(p.x, p.y));
}
void main() {
  float edge = 1.0;
  if (!isTiny) {
    float r = reach(abs(gl_PointCoord * 2.0 - 1.0));
    if (r > 1.0) discard;
    edge = clamp((1.0 - r) * softness, 0.0, 1.0);
  }
  painted = vec4(colour.rgb, 1.0) * (weight > 0.0 ? weight * edge : colour.a * edge);
}`;

// One triangle that covers the picture.
export const DENSITY_VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

// A logarithm: one point is seen, and a hundred are more than fifty.
export const DENSITY_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D sums;
uniform float weight, most;
uniform vec3 paper;
out vec4 painted;
void main() {
  vec4 sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
  if (sum.a <= 0.0) discard;
  float share = min(log(1.0 + sum.a / weight) / log(1.0 + most), 1.0);
  vec3 hue = sum.rgb / sum.a;
  vec3 full = mix(hue, vec3(paper.g > 0.5 ? 0.0 : 1.0), 0.35 * share); // away from the paper
  painted = vec4(mix(mix(paper, hue, 0.25), full, share), 1.0);
}`;

export const PLAIN_VERTEX = `#version 300 es
in vec3 place;
uniform mat4 matrix;
void main() { gl_Position = matrix * vec4(place, 1.0); }`;

export const PLAIN_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 colour;
out vec4 painted;
void main() { painted = vec4(colour.rgb * colour.a, colour.a); }`;
