// Puts Plotly's script into the page, once; charts wait for the event.

export default function ({ data }) {
  if (window.Plotly || document.querySelector("script[data-plotly]")) return;
  const script = document.createElement("script");
  script.src = new TextDecoder().decode(data);
  script.dataset.plotly = "";
  script.onload = () => window.dispatchEvent(new Event("narrow-cone-plotly"));
  const ahead = document.createElement("link"); // sent for at once …
  Object.assign(ahead, { rel: "preload", as: "script", href: script.src });
  document.head.append(ahead);
  // … and run two frames later, so that what is on the page already is painted before
  requestAnimationFrame(() => requestAnimationFrame(() => document.head.append(script)));
}
