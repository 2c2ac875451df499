// Loads Plotly's script once a page. Compiling it blocks the browser for most of a second, so it runs at
// once if a chart is the first picture, else when the first picture is on screen (an event of
// twin_cloud.js, or of chart.js).

const LATEST = 2500; // ms after which it runs in any case

export default function ({ data }) {
  if (window.Plotly || document.querySelector("link[data-plotly]")) return;
  const [href, atOnce] = JSON.parse(new TextDecoder().decode(data));
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
  if (atOnce) run();
  window.addEventListener("narrow-cone-first-picture", run, { once: true });
  setTimeout(run, LATEST);
}
