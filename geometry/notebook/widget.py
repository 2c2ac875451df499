"""The twin cloud as an anywidget (assets/components/notebook.js)."""

import base64
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from ..data.write import check_output, write
from .page import SIDE, component_text, view_html, view_png, view_styles
from .view import CloudView


def _packed(rows: np.ndarray | None, _widget: object) -> bytes:
    return b"" if rows is None else rows.astype("<u4").tobytes()


def _unpacked(body: bytes, _widget: object) -> np.ndarray:
    return np.frombuffer(body, "<u4").astype(np.int64)


class CloudWidget(anywidget.AnyWidget):
    """A twin cloud in a notebook; ``geometry.show`` makes it.

    Attributes
    ----------
    selection : (m,) array of int
        The selected rows from 0, ascending. Set it to highlight rows; observe it to follow the
        lasso: ``widget.observe(call, "selection")``.
    """

    _esm = component_text("built/notebook.js")
    _css = view_styles()
    _description = traitlets.Dict().tag(sync=True)
    _arrays = traitlets.Dict().tag(sync=True)
    selection = traitlets.Any(np.zeros(0, dtype=np.int64)).tag(
        sync=True, to_json=_packed, from_json=_unpacked
    )

    def __init__(self, view: CloudView) -> None:
        self._view = view
        self._png = base64.b64encode(view_png(view)).decode()
        super().__init__(
            _description={**view.description(), "picture": self._png},
            _arrays={each.name: each.body for each in view.cloud.arrays.values()},
        )
        self.on_msg(self._answer)

    @traitlets.validate("selection")
    def _rows(self, proposal: Any) -> np.ndarray:
        given = np.asarray(proposal["value"])
        n = self._view.n
        if given.dtype == bool and given.shape == (n,):
            return np.flatnonzero(given)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise ValueError(f"selection must be row numbers or {n:,} booleans; got {given!r}")
        rows = np.unique(given).astype(np.int64)
        if (wrong := rows[(rows < 0) | (rows >= n)]).size:
            raise ValueError(f"selection must be rows from 0 to {n - 1:,}; got {wrong[0]}")
        return rows

    def _answer(self, _widget: object, content: Any, _buffers: object) -> None:
        """Send the text of a row on which the pointer rests."""
        row = content.get("row") if isinstance(content, dict) else None
        if isinstance(row, int) and 0 <= row < self._view.n:
            self.send({"row": row, "text": self._view.text_of(row)})

    def save(self, path: str | Path, title: str = "") -> None:
        """Write one file of HTML with the same pictures, which needs no network.

        title : its heading; by default the names of the pictures

        Raises OutputError for another ending than .html, and for a folder that is absent.
        """
        check_output(Path(path), (".html",), force=True)
        write(Path(path), view_html(self._view, title).encode())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        cloud = self._view.cloud
        data |= {"text/plain": cloud.alt, "image/png": self._png}
        shown = {"alt": cloud.alt, "width": SIDE * len(cloud.pictures)}
        return data, {**metadata, "image/png": shown}
