// The programs: points, and plain shapes (axes, the cone's mantle).

// Switches of the points' program: MORPH (between frames a and b of the film by `share`), SHAPED
// (points large enough for a shape), MARKED (some points are hidden, faded or of another size). Without them it is the
// fastest program, for a million points. `paint` is a point's colour with its kind (paint.js) in place
// of alpha; `fromA` maps stored values to the screen.
export const POINT_VERTEX = `
precision highp float;
in vec3 a;
in vec4 paint;
uniform mat4 fromA;
uniform float size, opacity;
flat out vec4 colour;
#ifdef MARKED
flat out float part; // share of a point, for the density
#endif
#ifdef MORPH
in vec3 b;
uniform mat4 fromB;
uniform float share;
#endif
#ifdef SHAPED
flat out int shape;
#endif
void main() {
  vec4 place = fromA * vec4(a, 1.0);
#ifdef MORPH
  place = mix(place, fromB * vec4(b, 1.0), share);
#endif
  colour = vec4(paint.rgb, opacity);
  gl_PointSize = size;
#if defined(MARKED) || defined(SHAPED)
  int marks = int(paint.a * 255.0 + 0.5);
  int kind = marks & 15;
  int sized = marks >> 4; // sizeOfStep of paint.js
  if (sized > 0) gl_PointSize *= 0.4 + 0.2 * float(sized);
#endif
#ifdef MARKED
  part = kind >= 8 ? 0.05 : 1.0;
  if (kind >= 8) place.z = place.z * 0.01 + 0.98 * place.w; // behind all other points
  if (kind == 3) place.z = place.z * 0.01 + 0.96 * place.w; // behind the coloured groups
  if (kind == 0) place = vec4(2.0, 2.0, 2.0, 1.0); // outside the picture
#endif
#ifdef SHAPED
  shape = (kind & 7) == 2 ? 1 : 0; // a diamond, or a circle
  if (shape > 0) gl_PointSize *= 1.25;
#endif
  gl_Position = place;
}`;

export const POINT_FRAGMENT = `
precision mediump float;
flat in vec4 colour;
#ifdef MARKED
flat in float part;
#else
const float part = 1.0;
#endif
uniform float weight; // of a point in the density; 0 for opaque points
uniform float softness; // half the size in pixels: the outermost pixel fades
out vec4 painted;
#ifdef SHAPED
flat in int shape;
float reach(vec2 p) {
  return shape == 0 ? length(p) : p.x + p.y;
}
#endif
void main() {
  float edge = 1.0;
#ifdef SHAPED
  float r = reach(abs(gl_PointCoord * 2.0 - 1.0));
  if (r > 1.0) discard;
  edge = clamp((1.0 - r) * softness, 0.0, 1.0);
#endif
  painted = vec4(colour.rgb, 1.0) * (weight > 0.0 ? weight * part * edge : colour.a * edge);
}`;

// A triangle that covers the picture.
export const COVER_VERTEX = `
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

// A logarithm: a single point is visible, and a hundred differ from fifty.
export const DENSITY_FRAGMENT = `
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
  vec3 full = mix(hue, vec3(paper.g > 0.5 ? 0.0 : 1.0), 0.35 * share); // more contrast
  painted = vec4(mix(mix(paper, hue, 0.25), full, share), 1.0);
}`;

// The image of splat.js with its depth; `corner` is the picture's lower left corner.
export const SPLAT_FRAGMENT = `
precision highp float;
uniform sampler2D colours, depths;
uniform ivec2 corner;
out vec4 painted;
void main() {
  ivec2 place = ivec2(gl_FragCoord.xy) - corner;
  vec4 colour = texelFetch(colours, place, 0);
  if (colour.a == 0.0) discard;
  gl_FragDepth = 0.5 + 0.5 * texelFetch(depths, place, 0).r;
  painted = vec4(colour.rgb, 1.0);
}`;

export const PLAIN_VERTEX = `
in vec3 place;
uniform mat4 matrix;
void main() { gl_Position = matrix * vec4(place, 1.0); }`;

export const PLAIN_FRAGMENT = `
precision mediump float;
uniform vec4 colour;
out vec4 painted;
void main() { painted = vec4(colour.rgb * colour.a, colour.a); }`;
