"""Plotly charts that are redrawn in place, and clicks on their points.

``st.plotly_chart`` derives a chart's identity from its figure, so every new figure is a new chart.
The browser then discards the drawing, its zoom, its camera and its WebGL context, and builds all of
it again. That takes most of a second, which is too slow for a slider. These charts are a component
whose identity is its key. It draws with the script in the plotly package.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import streamlit as st

from geometry.data.shipped import shipped_file
from geometry.figures.layout import figure_json, plotly_script
from geometry.projection.twin_message import short_text
from pages.common.cache import kept
from pages.common.words import _

from .scripts import built, put_in_static

COMPONENTS = shipped_file("components")
ANNOUNCE = """
export default function () { window.dispatchEvent(new Event("narrow-cone-plotly")); }
"""


@dataclass(frozen=True)
class Chart:
    """A figure to send to the browser: its JSON, its height in pixels, whether it is 3D."""

    json: str
    height: int
    is_deep: bool = False


def chart_of(figure: Any) -> Chart:
    """The chart of a Plotly figure."""
    is_deep = any(trace.type == "scatter3d" for trace in figure.data)
    return Chart(figure_json(figure), int(figure.layout.height), is_deep)


def kept_chart(
    figure: Callable[..., Any], *values: Any, private: bool = False, **options: Any
) -> Chart:
    """The chart of ``figure(*values, **options)``; a figure takes Plotly 5 to 20 ms.

    private : whether a reader's own data are in it.
    """
    return _kept_chart(figure, values, options, private=private)


@kept(256)
def _kept_chart(
    figure: Callable[..., Any],
    values: tuple[Any, ...],
    options: Mapping[str, Any],
    *,
    private: bool,
) -> Chart:
    return chart_of(figure(*values, **options))


def show_chart(
    chart: Chart,
    *,
    key: str,
    file_name: str,
    alt: str,
    on_point: Callable[[int], None] | None = None,  # row in the first trace; before the rerun
    on_selection: Callable[[list[int]], None] | None = None,  # rows inside a lasso or box
    zoom: bool = True,
    group: str = "",  # charts of one group are zoomed, moved and highlighted together
    texts: str = "",  # their name in ``share_texts``
) -> None:
    """Draw the chart, or redraw it if a chart of that key is already on the page."""
    message = {
        "figure": chart.json,
        "height": chart.height,
        "config": _buttons(
            file_name,
            zoom=zoom,
            is_deep=chart.is_deep,
            select=on_selection is not None,
        ),
        "group": "" if chart.is_deep else group,
        "alt": alt,
        "clickable": on_point is not None,
        "texts": texts,
    }
    with st.container(key=key):
        _chart()(
            key=f"plot-{key}",
            # bytes: for a dictionary Streamlit would import pandas to look for data frames in it
            data=json.dumps(message).encode(),
            on_clicked_change=partial(_on_click, f"plot-{key}", on_point),
            on_selected_change=partial(_on_selection, f"plot-{key}", on_selection),
        )


def _on_click(key: str, on_point: Callable[[int], None] | None) -> None:
    row = st.session_state[key].get("clicked")
    if row is not None and on_point is not None:
        on_point(int(row))


def _on_selection(key: str, on_selection: Callable[[list[int]], None] | None) -> None:
    rows = st.session_state[key].get("selected")
    if rows is not None and on_selection is not None:
        on_selection([int(row) for row in rows])


def share_texts(name: str, texts: Sequence[str], *, key: str = "") -> None:
    """Send the points' texts once, for all charts that show these points; call it before them.

    A redrawn chart then sends only coordinates. If the name changes with the points, ``key`` is the
    sender's identity.
    """
    message = {"name": name, "texts": [short_text(text) for text in texts]}
    _texts()(key=f"texts-{key or name}", data=json.dumps(message).encode())


FLAT_BUTTONS = ("zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d")
SELECT_BUTTONS = ("lasso2d", "select2d")
DEEP_BUTTONS = ("orbitRotation", "pan3d", "zoom3d", "resetCameraDefault3d")


def _buttons(file_name: str, *, zoom: bool, is_deep: bool, select: bool = False) -> dict[str, Any]:
    """Plotly's configuration. Each button is named: one of its defaults uploads the chart."""
    moving = DEEP_BUTTONS if is_deep else (*FLAT_BUTTONS, *(SELECT_BUTTONS if select else ()))
    return {
        "displaylogo": False,
        "responsive": True,
        "scrollZoom": False,  # the wheel scrolls the page
        "toImageButtonOptions": {"format": "png", "scale": 2, "filename": file_name},
        # "toSVG" is a button of chart.js: Plotly has one button, for one format
        "modeBarButtons": [["toImage", "toSVG"], list(moving)] if zoom else [["toImage", "toSVG"]],
        "locale": "reader",
        "locales": {"reader": {"dictionary": _button_words()}},
    }


def _button_words() -> dict[str, str]:
    """The tooltips of Plotly's buttons in the reader's language."""
    return {
        "Download plot as a PNG": _("Download picture (PNG)"),
        "Download plot as SVG": _("Download picture (SVG)"),
        "Zoom": _("Zoom"),
        "Pan": _("Move"),
        "Zoom in": _("Zoom in"),
        "Zoom out": _("Zoom out"),
        "Reset axes": _("Reset axes"),
        "Lasso Select": _("Select with the lasso"),
        "Box Select": _("Select with a box"),
        "Orbital rotation": _("Rotate"),
        "Reset camera to default": _("Reset camera"),
    }


def load_plotly(*, at_once: bool = False) -> None:
    """Load Plotly's script in the browser, once a page. Call it before the first chart.

    at_once : True if a chart is the first picture, so that nothing else is to be drawn before.
    """
    address = plotly_address()
    if address is not None:
        _script_loader()(key="plotly-script", data=json.dumps([address, at_once]).encode())
    else:
        _inline_plotly()(key="plotly-inline")


@st.cache_resource(show_spinner=False)
def plotly_address() -> str | None:
    """The address of the script in Streamlit's static folder; None if it can't be put there.

    Over HTTP the browser parses the script while it arrives, and caches it for the next visit.
    Through the page's own connection it takes half a second longer.
    """
    script = plotly_script().read_bytes()
    return put_in_static("plotly-{}.min.js", version("plotly"), r"\d[\w.]*", script)


@st.cache_resource(show_spinner=False)
def _chart() -> Callable[..., Any]:
    return st.components.v2.component(
        "narrow_cone_chart",
        html='<div class="chart" role="group"></div>',
        js=(COMPONENTS / "chart.js").read_text(encoding="utf8"),
        isolate_styles=False,  # Plotly puts its style sheet into the document
    )


@st.cache_resource(show_spinner=False)
def plane_component(name: str) -> Callable[..., Any]:
    """A component that draws a plane whose points are dragged; its bundle has the name."""
    return st.components.v2.component(
        f"narrow_cone_{name}",
        html=f'<div class="{name} plane"></div>',
        css=(COMPONENTS / "plane.css").read_text(encoding="utf8"),
        js=built(name),
        isolate_styles=False,
    )


@st.cache_resource(show_spinner=False)
def _texts() -> Callable[..., Any]:
    script = (COMPONENTS / "texts.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_texts", js=script)


@st.cache_resource(show_spinner=False)
def _script_loader() -> Callable[..., Any]:
    script = (COMPONENTS / "script_loader.js").read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_script_loader", js=script)


@st.cache_resource(show_spinner=False)
def _inline_plotly() -> Callable[..., Any]:
    script = plotly_script().read_text(encoding="utf8")
    return st.components.v2.component("narrow_cone_plotly", js=script + ANNOUNCE)
