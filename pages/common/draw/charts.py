"""Plotly charts as a component, which redraws them in place, and clicks on their points.

``st.plotly_chart`` builds the drawing, its zoom and its WebGL context again, for most of a second.
"""

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

import streamlit as st

from geometry.figures.layout import figure_json, plotly_script
from geometry.projection.twin_message import short_text
from pages.common.words import _

from .scripts import COMPONENTS, built, put_in_static, send

ANNOUNCE = """
export default function () { window.dispatchEvent(new Event("narrow-cone-plotly")); }
"""


def show_chart(
    figure: Any,  # of Plotly
    *,
    key: str,
    alt: str,
    file_name: str = "",  # of the picture that can be saved; by default the key
    on_point: Callable[[int], None] | None = None,  # row in the first trace; before the rerun
    on_selection: Callable[[list[int]], None] | None = None,  # rows inside a lasso or box
    zoom: bool = True,
    group: str = "",  # charts of one group are zoomed, moved and highlighted together
    texts: str = "",  # their name in ``share_texts``
) -> None:
    message = {
        "figure": figure_json(figure),
        "height": int(figure.layout.height),
        "config": _buttons(file_name or key, zoom=zoom, select=on_selection is not None),
        "group": group,
        "alt": alt,
        "clickable": on_point is not None,
        "texts": texts,
    }
    html = '<div class="chart" role="group"></div>'
    with st.container(key=key):
        send("chart", f"plot-{key}", message, html=html, clicked=on_point, selected=on_selection)


def share_texts(name: str, texts: Sequence[str], *, key: str = "") -> None:
    """Send the points' texts once, before the charts that show them, under a name or a ``key``."""
    message = {"name": name, "texts": [short_text(text) for text in texts]}
    send("texts", f"texts-{key or name}", message)


def _buttons(file_name: str, *, zoom: bool, select: bool) -> dict[str, Any]:
    """Plotly's configuration. Each button is named: one of its defaults uploads the chart."""
    moving = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]
    moving += ["lasso2d", "select2d"] if select else []
    words = {
        "Download plot as a PNG": _("Download picture (PNG)"),
        "Download plot as SVG": _("Download picture (SVG)"),
        "Zoom": _("Zoom"),
        "Pan": _("Move"),
        "Zoom in": _("Zoom in"),
        "Zoom out": _("Zoom out"),
        "Reset axes": _("Reset axes"),
        "Lasso Select": _("Select with the lasso"),
        "Box Select": _("Select with a box"),
    }
    return {
        "displaylogo": False,
        "responsive": True,
        "scrollZoom": False,  # the wheel scrolls the page
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name},
        # "toSVG" is a button of chart.js: Plotly has one button, for one format
        "modeBarButtons": [["toImage", "toSVG"], *([moving] if zoom else [])],
        "locale": "reader",
        "locales": {"reader": {"dictionary": words}},
    }


def load_plotly(*, at_once: bool = False) -> None:
    """Load Plotly's script in the browser, once a page; ``at_once`` before all else is drawn."""
    address = plotly_address()
    if address is not None:
        send("script_loader", "plotly-script", [address, at_once])
    else:
        send("plotly", "plotly-inline", script=lambda: plotly_script().read_text("utf8") + ANNOUNCE)


@st.cache_resource(show_spinner=False)
def plotly_address() -> str | None:
    """The script in Streamlit's static folder: the browser caches it. None if it can't be there."""
    return put_in_static("plotly-{}.min.js", version("plotly"), plotly_script().read_bytes())


def send_plane(name: str, key: str, message: Any, accept: Callable[[Any], None]) -> None:
    """Send a message to a plane whose points are dragged; its bundle has the name."""
    html = f'<div class="{name} plane"></div>'
    css = (COMPONENTS / "plane.css").read_text(encoding="utf8")
    send(name, key, message, html=html, css=css, script=partial(built, name), moved=accept)
