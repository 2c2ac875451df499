// Events of mouse, touch and keys, translated into actions.

const STILL = 4; // pixels; a press that moves less is a click
const TOUCHED = 16; // pixels around a point in which a touch is on it
const WHEEL = 0.0015;
const STEP = 24; // pixels that an arrow key moves the view
const KEY_ZOOM = 1.2;
const KEY_MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// actions: {orbit(dx, dy), pan(dx, dy), zoom(factor, x, y), hover(x, y), click(x, y), reset(),
// lasso(points, adds) during the drawing, lassoed(points, adds), walk(step) -> handled,
// stroll(step), clear(), choose()}
export function listen(element, actions, { isLasso, isFlat, signal }) {
  const on = (name, handle, options = {}) =>
    element.addEventListener(name, handle, { signal, ...options });
  const down = new Map(); // pointer -> [x, y]
  let path = null;
  let moved = 0;
  let start = [0, 0];
  let isTurning = false; // until then a finger may be scrolling the page
  const placeOf = (event) => {
    const { left, top } = element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };

  on("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, placeOf(event));
    moved = 0;
    start = placeOf(event);
    isTurning = event.pointerType !== "touch";
    path = isLasso() && down.size === 1 ? [placeOf(event)] : null;
    actions.hover(-1, -1);
  });
  on("pointermove", (event) => {
    const place = placeOf(event);
    const former = down.get(event.pointerId);
    if (!former) return actions.hover(...place);
    const [dx, dy] = [place[0] - former[0], place[1] - former[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    if (path) {
      path.push(place);
      actions.lasso(path);
    } else if (down.size === 2) {
      isTurning = true;
      pinch(event.pointerId, place, dx, dy);
    } else if (!(isTurning ||= isSideways(start, place))) {
      // vertical: the browser cancels the touch as soon as it scrolls the page
    } else if (isFlat() || event.shiftKey || event.buttons === 2) {
      actions.pan(dx, dy);
    } else {
      actions.orbit(dx, dy);
    }
    down.set(event.pointerId, place);
  });

  function pinch(pointer, place, dx, dy) {
    const [other] = [...down].filter(([id]) => id !== pointer).map(([, there]) => there);
    const former = down.get(pointer);
    const distance = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
    const middle = [(place[0] + other[0]) / 2, (place[1] + other[1]) / 2];
    actions.zoom(distance(place) / Math.max(distance(former), 1), ...middle);
    actions.pan(dx / 2, dy / 2);
  }

  const up = (event) => {
    const place = down.get(event.pointerId);
    if (!down.delete(event.pointerId) || event.type === "pointercancel") {
      path = null;
      actions.lasso(null);
      return;
    }
    if (moved <= STILL) {
      actions.lasso(null);
      const reach = event.pointerType === "touch" ? TOUCHED : undefined;
      actions.click(...place, reach);
    } else if (path) {
      actions.lassoed(path, event.shiftKey);
    }
    path = null;
  };
  on("pointerup", up);
  on("pointercancel", up);
  on("pointerleave", () => actions.hover(-1, -1));
  on("dblclick", () => actions.reset());
  on("contextmenu", (event) => event.preventDefault());
  on("wheel", (event) => {
    // without Ctrl the wheel scrolls the page; a pinch on a trackpad arrives as a wheel with Ctrl
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    actions.zoom(Math.exp(-event.deltaY * WHEEL), ...placeOf(event));
  }, { passive: false });
  on("keydown", (event) => {
    if (event.target === element && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (key(event, actions, isFlat())) event.preventDefault();
    }
  });
}

function isSideways([x, y], place) {
  return Math.abs(place[0] - x) > Math.abs(place[1] - y);
}

// True if the key has a meaning here.
function key(event, actions, isFlat) {
  const move = KEY_MOVES[event.key];
  if (move) {
    const [dx, dy] = move.map((sign) => sign * STEP);
    if (isFlat || event.shiftKey) actions.pan(-dx, -dy);
    else actions.orbit(dx, dy);
    return true;
  }
  const plain = {
    "+": () => actions.zoom(KEY_ZOOM),
    "=": () => actions.zoom(KEY_ZOOM),
    "-": () => actions.zoom(1 / KEY_ZOOM),
    0: () => actions.reset(),
    Home: () => actions.reset(),
    n: () => actions.stroll(1),
    p: () => actions.stroll(-1),
    Enter: () => actions.choose(),
  }[event.key];
  if (plain) {
    plain();
    return true;
  }
  if (event.key === "Escape") return actions.clear();
  return event.key === "Tab" && actions.walk(event.shiftKey ? -1 : 1);
}
