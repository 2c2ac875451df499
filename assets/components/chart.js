// A Plotly figure redrawn in place: a new figure leaves zoom, camera and WebGL context as they are.

const drawn = new WeakMap(); // box -> {wanted, shown, clicked}
const waiting = new Set(); // boxes to draw
const touch = matchMedia("(pointer: coarse)"); // a finger then scrolls the page
const selections = new Map(); // group -> rows of the selected points
const SMALLEST = 16; // pixels of the words for an audience, as in present.css
const FADED = 0.08; // opacity of points outside the selection
let drawing = false;

function plotlyIsThere() {
  return new Promise((done) => {
    if (window.Plotly) done();
    else window.addEventListener("narrow-cone-plotly", done, { once: true });
  });
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

function inPageOrder(first, second) {
  return first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

// Draw one chart a frame, the topmost first, so that it is on screen before the next is drawn.
async function drawInTurn(box) {
  waiting.add(box);
  if (drawing) return; // the loop below already runs and takes every waiting chart
  drawing = true;
  await plotlyIsThere();
  while (waiting.size > 0) {
    const next = [...waiting].sort(inPageOrder)[0];
    waiting.delete(next); // before the drawing: a figure that arrives during it has to be drawn too
    try {
      if (draw(next, drawn.get(next).wanted)) await painted();
    } catch (error) {
      reportError(error); // the other charts are still drawn
    }
  }
  drawing = false;
}

const AXES = ["xaxis", "yaxis"];

// The ranges of a flat chart's axes, in shares of the ranges that it was sent with. Its group shares
// them: the charts are zoomed alike, each in its own frame.
function frameOf(box) {
  return drawn.get(box).home.map(([low, high], i) =>
    box.layout[AXES[i]].range.map((end) => (end - low) / (high - low)));
}

function rangesOf({ home }, frame) {
  return home.map(([low, high], i) => frame[i].map((share) => low + share * (high - low)));
}

// A figure of other data has another frame: a reader who has zoomed sees the same share of it.
function keepZoom(box, layout, state) {
  if (!layout.xaxis?.range || !layout.yaxis?.range) return;
  const former = state.home && box.layout?.xaxis ? frameOf(box) : null;
  state.home = AXES.map((axis) => [...layout[axis].range]);
  if (!former || former.flat().every((share, i) => Math.abs(share - (i % 2)) < 1e-6)) return;
  rangesOf(state, former).forEach((range, i) => (layout[AXES[i]].range = range));
}

function moveGroup(box, change) {
  const { group } = drawn.get(box).wanted;
  if (!group || !Object.keys(change).some((key) => key.includes("axis"))) return;
  const frame = frameOf(box);
  const isThere = (other) => frameOf(other).flat()
    .every((share, i) => Math.abs(share - frame.flat()[i]) < 1e-9);
  for (const other of document.querySelectorAll(`.chart[data-group="${group}"]`)) {
    // there already: this event comes from our own change of the other charts
    if (other === box || isThere(other)) continue;
    const ranges = rangesOf(drawn.get(other), frame);
    const named = ranges.map((range, i) => [`${AXES[i]}.range`, range]);
    window.Plotly.relayout(other, Object.fromEntries(named));
  }
}

// Request Plotly, unless a WebGL cloud is still to be drawn, which comes first.
function sendForPlotly() {
  if (document.querySelector(".twin:not([data-drawn])")) return;
  window.dispatchEvent(new Event("narrow-cone-first-picture"));
}

// Highlight the same rows in every chart of the group; null ends the selection. The lasso itself is
// removed: on points that a slider has moved it would enclose others.
function selectInGroup(box, rows) {
  const { group } = drawn.get(box).wanted;
  if (rows === null) selections.delete(group);
  else selections.set(group, rows);
  for (const other of document.querySelectorAll(`.chart[data-group="${group}"]`)) {
    if (other.data) {
      const opacity = rows === null ? other.data[0].marker.opacity : FADED;
      const looks = { selectedpoints: [rows], "unselected.marker.opacity": opacity };
      window.Plotly.update(other, looks, { selections: [] }, [0]);
    }
  }
}

// The figure without what it does not contain: add the points' texts and the selection.
function complete(points, data) {
  points.text = window.narrowConeTexts?.get(data.texts) ?? points.text;
  const rows = selections.get(data.group);
  if (rows === undefined || points.type !== "scattergl") return;
  points.selectedpoints = rows.filter((row) => row < points.text.length);
  points.unselected = { marker: { opacity: FADED } };
}

// A button that saves the picture as SVG. Points drawn by WebGL are an embedded image in it.
function withVectors(config) {
  const { filename } = config.toImageButtonOptions;
  const toSVG = {
    name: "toSVG",
    title: config.locales.reader.dictionary["Download plot as SVG"],
    icon: { // an arrow down to a line, under the letters of the format
      width: 24,
      height: 24,
      path: "M3 20h18v2H3zM11 2h2v11l4-4 1.4 1.4L12 17l-6.400-6.600L7 9l4 4z",
    },
    click: (box) => window.Plotly.downloadImage(box, { format: "svg", filename }),
  };
  const rows = config.modeBarButtons.map((row) => row.map((each) => (each === "toSVG" ? toSVG : each)));
  return { ...config, modeBarButtons: rows };
}

// Names of a ranked list, cut to the space beside the lines; the tooltip has the whole name. Words without
// a value between them and the line have its space too, and titles a second line.
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
function cutNames(annotations, { share, beside, size }, width) {
  const pen = document.createElement("canvas").getContext("2d");
  const cut = (text, most) => {
    const fits = (part) => pen.measureText(`${part}…`).width <= most;
    const signs = [...text.replace(/&(amp|lt|gt);/g, (entity) => ENTITIES[entity])];
    if (pen.measureText(signs.join("")).width <= most) return text;
    let [low, high] = [0, signs.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (fits(signs.slice(0, middle).join(""))) low = middle;
      else high = middle - 1;
    }
    const left = signs.slice(0, low).join("").trimEnd();
    return `${left.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}…`;
  };
  const wrap = (text, most) => {
    const parts = text.split(/(?<=[，、 ])/);
    let n = parts.length;
    while (n > 1 && pen.measureText(parts.slice(0, n).join("")).width > most) n--;
    const lines = [parts.slice(0, n).join(""), parts.slice(n).join("")].filter(Boolean);
    return lines.map((line) => cut(line, most)).join("<br>");
  };
  const fitted = { cut, wrapped: wrap };
  return annotations.map((each) => {
    if (!(each.name in fitted)) return each;
    pen.font = `${each.font.weight ?? 400} ${size}px "Open Sans", verdana, arial, sans-serif`; // Plotly's own
    return { ...each, text: fitted[each.name](each.text, share * width - (each.xshift ? beside : 0) - 14) };
  });
}

const isWide = matchMedia("(min-width: 641px)"); // a telephone is no screen for an audience
const ROOM = 800; // pixels of a chart from which on annotations named "wide" have room

function isPresented() {
  return isWide.matches && new URLSearchParams(location.search).get("present") === "1";
}

function enlarge(part) {
  for (const [key, value] of Object.entries(part)) {
    if (!value || typeof value !== "object") continue;
    if (key.endsWith("font") && value.size) value.size = Math.max(value.size, SMALLEST);
    enlarge(value);
  }
}

// The figure; for an audience every font has SMALLEST pixels at least, and the box gives the height.
function figureOf(data, isEnlarged, hasRoom) {
  const figure = JSON.parse(data.figure);
  const { annotations } = figure.layout;
  if (annotations && !hasRoom) {
    figure.layout.annotations = annotations.filter(({ name }) => name !== "wide");
  }
  if (isEnlarged) {
    enlarge(figure);
    if (figure.layout.meta?.names) figure.layout.meta.names.size = SMALLEST;
    delete figure.layout.height;
  }
  return figure;
}

// For an audience the first chart fills the screen, but for title, controls and numbers.
function heightOf(box, { height }) {
  const isFirst = document.querySelector(".st-key-picture .chart") === box;
  return isPresented() && isFirst ? `max(${height}px, 100vh - 19rem)` : `${height}px`;
}

function draw(box, data) {
  const state = drawn.get(box);
  const isEnlarged = isPresented();
  const hasRoom = box.clientWidth >= ROOM * (isEnlarged ? 4 / 3 : 1); // their words have 12 pixels, or 16
  const wanted = `${isEnlarged} ${hasRoom} ${data.figure}`;
  if (!box.isConnected || state.shown === wanted) return false; // off the page, or already shown
  state.shown = wanted;
  box.style.height = heightOf(box, data);
  const { data: traces, layout } = figureOf(data, isEnlarged, hasRoom);
  complete(traces[0], data);
  if (touch.matches) layout.dragmode = false;
  const { names } = layout.meta ?? {};
  const whole = () => figureOf(data, isEnlarged, hasRoom).layout.annotations;
  state.cut = names && (() => cutNames(whole(), names, box.clientWidth));
  if (state.cut) layout.annotations = state.cut();
  // Plotly draws the reader's lasso over new figures; other points need it removed
  if (data.group) layout.selectionrevision = data.group;
  keepZoom(box, layout, state);
  const settings = JSON.stringify(data.config);
  if (state.settings !== settings) { // with another object Plotly would reset the reader's zoom
    state.settings = settings;
    state.config = withVectors(data.config);
  }
  window.Plotly.react(box, traces, { ...layout, autosize: true }, state.config).then(() => {
    const hasLegend = layout.legend?.y >= 1 && box.querySelector(".legend");
    box.dataset.legend = hasLegend ? "above" : ""; // page.css moves the buttons away from it
    box.dataset.drawn = String(Number(box.dataset.drawn || 0) + 1);
    if (state.listens) return;
    state.listens = true;
    box.on("plotly_click", (event) => {
      // the first trace has all points; the others are rings and surfaces
      const point = event.points.find((candidate) => candidate.curveNumber === 0);
      if (point) state.clicked("clicked", point.pointNumber);
    });
    box.on("plotly_selected", (event) => {
      if (!event?.range && !event?.lassoPoints) return; // a click, handled above
      const rows = event.points.filter((p) => p.curveNumber === 0).map((p) => p.pointNumber);
      setTimeout(() => selectInGroup(box, rows)); // after Plotly has finished its own lasso handling
      state.selected("selected", rows);
    });
    // a double click has two events: one with the lasso tool, one without
    for (const name of ["plotly_deselect", "plotly_doubleclick"]) {
      box.on(name, () => {
        if (!selections.has(drawn.get(box).wanted.group)) return;
        setTimeout(() => selectInGroup(box, null));
        state.selected("selected", []);
      });
    }
    box.on("plotly_relayout", (change) => moveGroup(box, change));
    new ResizeObserver(() => {
      if (!box.isConnected || box.clientWidth === 0 || draw(box, drawn.get(box).wanted)) return;
      window.Plotly.Plots.resize(box).then(() => {
        // Plotly has placed a legend above the plot by the height that it had before
        if (box.layout && box.dataset.legend) window.Plotly.relayout(box, { "legend.y": box.layout.legend.y });
      }, () => {}); // the box is hidden now
      if (state.cut) window.Plotly.relayout(box, { annotations: state.cut() });
    }).observe(box.parentElement);
  });
  return true;
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const box = parentElement.querySelector(".chart");
  if (!drawn.has(box)) drawn.set(box, {});
  const state = drawn.get(box);
  state.clicked = data.clickable ? setTriggerValue : () => {};
  state.selected = data.config.modeBarButtons.flat().includes("lasso2d") ? setTriggerValue : () => {};
  state.wanted = data;
  if (!box.style.height) box.style.height = heightOf(box, data); // until Plotly is there
  box.setAttribute("aria-label", data.alt);
  box.dataset.group = data.group;
  sendForPlotly();
  drawInTurn(box);
  return () => {
    if (!box.isConnected && window.Plotly) window.Plotly.purge(box);
  };
}
