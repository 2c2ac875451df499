// A flat chart on a plain canvas, for the second in which Plotly's script is still on its way:
// the same points, wedges, axes and words at the same places. Plotly then takes over.

const ARRAYS = { f8: Float64Array, f4: Float32Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array };
const TYPEFACE = '"Open Sans", verdana, arial, sans-serif';
const TICKS = 5; // about as many a axis

function numbers(value) {
  if (!value?.bdata) return value ?? [];
  const bytes = Uint8Array.from(atob(value.bdata), (letter) => letter.charCodeAt(0));
  return new ARRAYS[value.dtype](bytes.buffer);
}

function plain(words) {
  return (words ?? "").replaceAll(/<(?!br>)[^>]*>/g, "");
}

// Where the axes lie: the largest square in the room that the margins leave.
function placeOfAxes(layout, width) {
  const { l, r, t, b } = layout.margin;
  const across = width - l - r;
  const down = layout.height - t - b;
  const side = Math.min(across, down);
  const left = l + (across - side) / 2;
  const top = t + (down - side) / 2;
  const [low, high] = layout.xaxis.range;
  const scale = side / (high - low);
  return {
    left, top, side, low, high, scale,
    x: (value) => left + (value - low) * scale,
    y: (value) => top + side - (value - low) * scale,
  };
}

function tickStep(span) {
  const rough = span / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough);
}

function drawAxes(pen, layout, frame) {
  const { left, top, side, low, high } = frame;
  const { xaxis, yaxis, font } = layout;
  const line = (x1, y1, x2, y2) => {
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  };
  pen.fillStyle = font.color;
  pen.font = `${font.size}px ${TYPEFACE}`;
  const step = tickStep(high - low);
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) {
    const isZero = Math.abs(tick) < step / 2;
    pen.strokeStyle = isZero && xaxis.zeroline ? xaxis.zerolinecolor : xaxis.gridcolor;
    line(frame.x(tick), top, frame.x(tick), top + side);
    line(left, frame.y(tick), left + side, frame.y(tick));
    const name = String(Number(tick.toPrecision(6))).replace("-", "−");
    pen.textAlign = "center";
    pen.textBaseline = "top";
    pen.fillText(name, frame.x(tick), top + side + 3);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillText(name, left - 3, frame.y(tick));
  }
  pen.font = `${xaxis.title.font.size}px ${TYPEFACE}`;
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  pen.fillText(plain(xaxis.title.text), left + side / 2, top + side + 37);
  pen.save();
  pen.translate(left - 41, top + side / 2);
  pen.rotate(-Math.PI / 2);
  pen.textBaseline = "top";
  pen.fillText(plain(yaxis.title.text), 0, 0);
  pen.restore();
}

function drawShape(pen, shape, frame) {
  const path = new Path2D();
  const inFrame = [frame.scale, 0, 0, -frame.scale, frame.x(0), frame.y(0)];
  path.addPath(new Path2D(shape.path), new DOMMatrix(inFrame));
  pen.globalAlpha = shape.opacity;
  pen.fillStyle = shape.fillcolor;
  pen.fill(path);
  pen.globalAlpha = 1;
}

// The colours of categories: their scale has two equal stops for each code.
function coloursOf(marker) {
  return Array.from(numbers(marker.color), (code) => marker.colorscale[2 * code][1]);
}

const SYMBOL_PATHS = [
  (path, r) => path.arc(0, 0, r, 0, 2 * Math.PI),
  (path, r) => path.rect(-r, -r, 2 * r, 2 * r),
  (path, r) => polygon(path, [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]], r),
  (path, r) => {
    path.rect(-1.2 * r, -0.4 * r, 2.4 * r, 0.8 * r);
    path.rect(-0.4 * r, -1.2 * r, 0.8 * r, 2.4 * r);
  },
];

function polygon(path, corners, r) {
  corners.forEach(([x, y], i) => (i ? path.lineTo(x * r, y * r) : path.moveTo(x * r, y * r)));
  path.closePath();
}

function drawPoints(pen, trace, frame) {
  const [xs, ys] = [numbers(trace.x), numbers(trace.y)];
  const { marker } = trace;
  const colours = coloursOf(marker);
  const symbols = numbers(marker.symbol);
  pen.globalAlpha = marker.opacity;
  for (let i = 0; i < xs.length; i++) {
    const path = new Path2D();
    SYMBOL_PATHS[symbols[i] ?? 0](path, marker.size / 2);
    pen.fillStyle = colours[i];
    pen.save();
    pen.translate(frame.x(xs[i]), frame.y(ys[i]));
    pen.fill(path);
    pen.restore();
  }
  pen.globalAlpha = 1;
}

function drawWords(pen, layout, frame) {
  for (const { text, font, xref, bgcolor } of layout.annotations ?? []) {
    pen.font = `${font.size}px ${TYPEFACE}`;
    if (xref === "paper") {
      // the captions, line by line above the plot
      pen.textAlign = "left";
      pen.textBaseline = "bottom";
      pen.fillStyle = font.color;
      const lines = plain(text).split("<br>");
      lines.forEach((words, i) =>
        pen.fillText(words, layout.margin.l, layout.margin.t - 3 - (lines.length - 1 - i) * font.size * 1.3),
      );
    } else {
      pen.textAlign = "right";
      pen.textBaseline = "top";
      pen.fillStyle = bgcolor;
      const [x, y] = [frame.x(0) - 2, frame.y(0) + 3];
      const { width } = pen.measureText(plain(text));
      pen.fillRect(x - width - 1, y - 1, width + 2, font.size + 4);
      pen.fillStyle = font.color;
      pen.fillText(plain(text), x, y);
    }
  }
}

// A canvas in the box with the figure's flat points, coloured by category; false where it has none.
function sketch(box, { data: traces, layout }) {
  const width = box.clientWidth;
  const [points] = traces;
  if (points?.type !== "scattergl" || points.marker.cmin === undefined || width === 0) return false;
  const ratio = window.devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { className: "sketch", width: width * ratio, height: layout.height * ratio });
  canvas.style.cssText = `position: absolute; inset: 0; width: ${width}px; height: ${layout.height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = layout.paper_bgcolor;
  pen.fillRect(0, 0, width, layout.height);
  const frame = placeOfAxes(layout, width);
  drawAxes(pen, layout, frame);
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, frame.top, frame.side, frame.side);
  pen.clip();
  for (const shape of layout.shapes ?? []) drawShape(pen, shape, frame);
  drawPoints(pen, points, frame);
  pen.restore();
  drawWords(pen, layout, frame);
  removeSketch(box);
  box.style.position = "relative";
  box.append(canvas);
  return true;
}

function removeSketch(box) {
  box.querySelector("canvas.sketch")?.remove();
}
