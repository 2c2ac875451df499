// A Plotly figure that is redrawn in place: zoom, camera and WebGL context outlive a new figure.

const drawn = new WeakMap(); // box -> {figure, shown, clicked}

function whenPlotlyIsThere(act) {
  if (window.Plotly) act();
  else window.addEventListener("narrow-cone-plotly", act, { once: true });
}

function draw(box, data) {
  const state = drawn.get(box);
  if (!box.isConnected || state.shown === data.figure) return; // gone, or nothing new
  state.shown = data.figure;
  const { data: traces, layout } = JSON.parse(data.figure);
  const camera = box.layout?.scene?.camera; // where the reader put it: uirevision forgets that
  if (layout.scene && camera) layout.scene.camera = camera;
  window.Plotly.react(box, traces, { ...layout, autosize: true }, data.config).then(() => {
    box.dataset.drawn = String(Number(box.dataset.drawn || 0) + 1);
    if (state.listens) return;
    state.listens = true;
    box.on("plotly_click", (event) => {
      // the first trace holds all points; rings and surfaces lie above it
      const point = event.points.find((candidate) => candidate.curveNumber === 0);
      if (point) state.clicked("clicked", point.pointNumber);
    });
    new ResizeObserver(() => {
      if (box.isConnected && box.clientWidth > 0) window.Plotly.Plots.resize(box);
    }).observe(box.parentElement);
  });
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const box = parentElement.querySelector(".chart");
  if (!drawn.has(box)) drawn.set(box, {});
  const state = drawn.get(box);
  state.clicked = data.clickable ? setTriggerValue : () => {};
  state.wanted = data;
  box.style.height = `${data.height}px`;
  box.setAttribute("aria-label", data.alt);
  whenPlotlyIsThere(() => draw(box, state.wanted));
  return () => {
    if (!box.isConnected && window.Plotly) window.Plotly.purge(box);
  };
}
