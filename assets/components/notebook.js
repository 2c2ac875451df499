// The twin cloud in a notebook, as an anywidget: geometry/notebook/widget.py has the model.

import { openTwin } from "./twin_view.js";

const bytesOf = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

// The model's rows are a DataView of uint32, little-endian.
function rowsOf(model) {
  const view = model.get("selection");
  return Uint32Array.from({ length: view.byteLength / 4 }, (_, i) => view.getUint32(4 * i, true));
}

function render({ model, el }) {
  // keys in the picture are no shortcuts of the notebook, where 0 0 restarts the kernel
  el.dataset.lmSuppressShortcuts = "true";
  el.addEventListener("keydown", (event) => event.stopPropagation());
  const twin = openTwin(el, {
    ...model.get("_description"),
    held: Object.entries(model.get("_arrays")).map(([name, view]) => [name, bytesOf(view)]),
  }, {
    selected(rows) {
      const view = new DataView(new ArrayBuffer(4 * rows.length));
      rows.forEach((row, i) => view.setUint32(4 * i, row, true));
      model.set("selection", view);
      model.save_changes();
    },
    requested: (row) => model.send({ row }),
  });
  const select = () => twin.select(rowsOf(model));
  const answer = ({ row, text }) => twin.answer(row, text);
  model.on("change:selection", select);
  model.on("msg:custom", answer);
  select();
  return () => {
    model.off("change:selection", select);
    model.off("msg:custom", answer);
    twin.end();
  };
}

export default { render };
