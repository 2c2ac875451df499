// Sends for Plotly's script, once a page. It is run when the first picture is on screen (twin.js
// says so, or chart.js where there is no cloud), because a browser that compiles it paints nothing
// for most of a second.

const LATEST = 2500; // ms after which it is run in any case: no picture has come by then

export default function ({ data }) {
  if (window.Plotly || document.querySelector("link[data-plotly]")) return;
  const href = new TextDecoder().decode(data);
  const ahead = document.createElement("link");
  Object.assign(ahead, { rel: "preload", as: "script", href });
  ahead.dataset.plotly = "";
  document.head.append(ahead);
  const run = () => {
    if (document.querySelector("script[data-plotly]")) return;
    const script = document.createElement("script");
    script.src = href;
    script.dataset.plotly = "";
    script.onload = () => window.dispatchEvent(new Event("narrow-cone-plotly"));
    document.head.append(script);
  };
  window.addEventListener("narrow-cone-first-picture", run, { once: true });
  setTimeout(run, LATEST);
}
