// The camera, which all pictures share. It is a value: each move returns a new one.
//
// The world is the picture's axes with the origin at 0. `span` is half the visible height at the
// distance of `target`. A perspective camera is at the distance that gives the same height there.

const HOME_AZIMUTH = Math.atan2(-1.45, 0.75); // the same view as in the Plotly figure of the cloud
export const HOME_ELEVATION = 0.38;
const STEEPEST = Math.PI / 2 - 0.001;
const FIELD = Math.tan(0.3); // half the height, divided by the distance, in perspective
export const CUBE_MARGIN = { 2: 1.0, 3: 1.25 }; // a turning cube needs more space than its side
const NEAREST = 1e-3;
const FARTHEST = 20; // zoom out to 1/20 of the home view

export function homeCamera(k, reach, perspective = false) {
  return {
    k,
    reach,
    perspective: k === 3 && perspective,
    azimuth: HOME_AZIMUTH,
    elevation: HOME_ELEVATION,
    target: [0, 0, 0],
    span: CUBE_MARGIN[k] * reach,
  };
}

// The camera in the address: azimuth and elevation in degrees (not of a flat picture), zoom, and
// where it was moved, the target in units of the reach. Empty at home.
export function cameraText(camera) {
  const home = homeCamera(camera.k, camera.reach);
  const zoom = home.span / camera.span;
  // a hundredth of what is visible; the server reads five at most
  const digits = 2 + Math.min(Math.max(Math.ceil(Math.log10(zoom)), 0), 3);
  const numbers = (each) => [
    ...anglesOf(each).map((angle) => Math.round((angle * 180) / Math.PI)),
    Math.round((100 * home.span) / each.span) / 100,
    ...each.target.map((value) => Number((value / each.reach).toFixed(digits))),
  ];
  const moved = numbers(camera).map((value) => value || 0); // no -0
  if (moved.every((value, i) => value === numbers(home)[i])) return "";
  return (moved.slice(-3).some(Boolean) ? moved : moved.slice(0, -3)).join(",");
}

function anglesOf({ k, azimuth, elevation }) {
  return k === 2 ? [] : [azimuth, elevation];
}

// The home camera moved as the address says; numbers: of the cameraText of such a picture.
export function movedCamera(home, numbers) {
  const angles = anglesOf(home).map((_angle, i) => (numbers[i] * Math.PI) / 180);
  const [zoom, ...target] = numbers.slice(angles.length);
  const [azimuth, elevation] = angles.length ? angles : [home.azimuth, home.elevation];
  return {
    ...home,
    azimuth,
    elevation: Math.min(Math.max(elevation, -STEEPEST), STEEPEST),
    span: Math.min(Math.max(home.span / zoom, home.reach * NEAREST), home.span * FARTHEST),
    target: target.length ? target.map((value) => value * home.reach) : home.target,
  };
}

// The unit vectors (right, up, back) of the camera in the world. In 3D the first axis points up: it is
// the mean direction in most pictures, so a cone stands on its tip and stays a cone when it is turned.
export function frameOfCamera({ k, azimuth, elevation }) {
  if (k === 2) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] };
  const [ca, sa] = [Math.cos(azimuth), Math.sin(azimuth)];
  const [ce, se] = [Math.cos(elevation), Math.sin(elevation)];
  return { right: [0, -sa, ca], up: [ce, -se * ca, -se * sa], back: [se, ce * ca, ce * sa] };
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The matrix from world to clip space: 16 numbers, column by column as WebGL reads them.
export function matrixOf(camera, aspect) {
  const { right, up, back } = frameOfCamera(camera);
  const { span, target, reach, perspective } = camera;
  const depth = 4 * (reach * 2 + span); // everything in a picture is nearer than this
  const rows = [right, up, back].map((axis) => [...axis, -dot(axis, target)]);
  const m = new Float32Array(16);
  for (let j = 0; j < 4; j++) {
    const [x, y, z] = [rows[0][j], rows[1][j], rows[2][j]];
    m[4 * j] = x / (span * aspect);
    m[4 * j + 1] = y / span;
    m[4 * j + 2] = -z / depth;
    // w is the distance from the eye in units of the target's distance
    m[4 * j + 3] = (j === 3 ? 1 : 0) - (perspective ? (z * FIELD) / span : 0);
  }
  return m;
}

// (x, y) in pixels from the top left corner, and depth: smaller is nearer. NaN behind the camera.
export function toPixels(m, [x, y, z], width, height, out = [0, 0, 0]) {
  const w = m[3] * x + m[7] * y + m[11] * z + m[15];
  if (w <= NEAREST) return out.fill(NaN);
  out[0] = (((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) * width) / 2;
  out[1] = ((1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * height) / 2;
  out[2] = (m[2] * x + m[6] * y + m[10] * z + m[14]) / w;
  return out;
}

// Turn by a drag: half a turn for the picture's height.
export function orbit(camera, dx, dy, height) {
  if (camera.k === 2) return camera;
  const turn = Math.PI / height;
  const elevation = camera.elevation + dy * turn;
  return {
    ...camera,
    azimuth: camera.azimuth - dx * turn,
    elevation: Math.min(Math.max(elevation, -STEEPEST), STEEPEST),
  };
}

export function pan(camera, dx, dy, height) {
  const { right, up } = frameOfCamera(camera);
  const unit = (2 * camera.span) / height; // world units a pixel
  const target = camera.target.map((t, j) => t - unit * (dx * right[j] - dy * up[j]));
  return { ...camera, target };
}

// factor > 1 zooms in. The point `about` does not move: [-1, 1] from the middle, right and up.
export function zoom(camera, factor, about = [0, 0], aspect = 1) {
  const widest = CUBE_MARGIN[camera.k] * camera.reach * FARTHEST;
  const span = Math.min(Math.max(camera.span / factor, camera.reach * NEAREST), widest);
  const { right, up } = frameOfCamera(camera);
  const moved = camera.span - span;
  const [x, y] = [about[0] * aspect * moved, about[1] * moved];
  const target = camera.target.map((t, j) => t + x * right[j] + y * up[j]);
  return { ...camera, span, target };
}

// `m` for stored values instead of places, where place = low + step * value along each axis.
export function fromSteps(m, low, step) {
  const out = new Float32Array(16);
  for (let row = 0; row < 4; row++) {
    out[12 + row] = m[12 + row];
    for (let j = 0; j < low.length; j++) {
      out[4 * j + row] = m[4 * j + row] * step[j];
      out[12 + row] += m[4 * j + row] * low[j];
    }
  }
  return out;
}
