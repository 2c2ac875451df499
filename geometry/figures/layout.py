"""What every figure shares: layout, axes, and its JSON for the browser and rows for a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..palette import Theme, rgb

if TYPE_CHECKING:
    import plotly.graph_objects as go

PERCENT = "~%"  # format of an axis by d3: as many decimals as its ticks need
SYMBOL_CODES = {"circle": 0, "diamond": 2}  # Plotly's numbers for palette.SYMBOLS
HOVER_TEXT = "%{text}<extra></extra>"
# above the plot: beside it, it would narrow the plot on a telephone
LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}


def drawn(traces: Any, theme: Theme, *, height: int, **more: Any) -> go.Figure:
    """A figure whose layout is set at once, which is faster than to change it later.

    ``more`` replaces settings. ``uirevision`` keeps the zoom.
    """
    import plotly.graph_objects as go

    layout = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": theme.paper,
        "plot_bgcolor": theme.paper,
        "font": {"color": theme.ink, "size": 13},
        "legend": LEGEND,
        "uirevision": "constant",
        "hoverlabel": {"align": "left"},
        **more,
    }
    return go.Figure(traces, layout)


def line(x: Any, y: Any, name: str = "", *, by_webgl: bool = False, **more: Any) -> Any:
    """A line through points, without hover texts; ``more`` replaces settings."""
    import plotly.graph_objects as go

    look = {"mode": "lines", "hoverinfo": "skip", "showlegend": None if name else False}
    x, y = (np.asarray(values, dtype=np.float32) for values in (x, y))
    return (go.Scattergl if by_webgl else go.Scatter)(x=x, y=y, name=name, **look | more)


def dots(x: Any, y: Any, about: Sequence[str], name: str = "", **more: Any) -> Any:
    """Points with hover texts; ``more`` replaces settings."""
    look = {"mode": "markers", "hoverinfo": None, "hovertemplate": HOVER_TEXT}
    return line(x, y, name, text=list(about), **look | more)


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": title, "side": "right", "font": {"size": 13}}, **more}


def axis(theme: Theme, title: str, **more: Any) -> dict[str, Any]:
    """A labelled axis with a visible zero line; ``more`` replaces settings."""
    return {
        "title": {"text": title, "font": {"size": 13}},
        "gridcolor": theme.grid,
        "zeroline": True,
        "zerolinecolor": theme.ink,
        "zerolinewidth": 1,
        "automargin": True,
        **more,
    }


def note(
    text: str, x: float, y: float, theme: Theme, *, size: float, **more: Any
) -> dict[str, Any]:
    """A text without an arrow; ``more`` replaces settings."""
    font = {"size": size, "color": theme.ink}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": font, **more}


def faint(colour: str, opacity: float) -> str:
    red, green, blue = rgb(colour)
    return f"rgba({red},{green},{blue},{opacity})"


def error_bars(values: Any, low: Any, high: Any, **look: Any) -> dict[str, Any]:
    """Intervals from low to high (n,) about the values (n,)."""
    above, below = np.asarray(high) - values, values - np.asarray(low)
    bars = {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
    return bars | {"thickness": 1.5, **look}


# ---- for the browser, and as rows of a table ----

Row = list[str | float]


def figure_json(figure: go.Figure) -> str:
    """The figure as JSON; arrays in base64 are smaller and faster to read than numbers."""
    import plotly.io

    return str(plotly.io.to_json(figure, validate=False))


def plotly_script() -> Path:
    """Plotly's own JavaScript in the installed package: 4.8 MB, sets ``window.Plotly``."""
    spec = find_spec("plotly")
    assert spec
    return Path(str(spec.origin)).parent / "package_data" / "plotly.min.js"


def figure_rows(figures: Mapping[str, go.Figure]) -> tuple[list[str], list[Row]]:
    """(head, rows): each point or bar under its name, each entry of a matrix under its figure's."""
    rows: list[Row] = []
    is_matrix = False
    for name, figure in figures.items():
        for trace in figure.data:
            is_matrix = trace.type == "heatmap"
            if is_matrix:
                lines = zip(trace.y, np.asarray(trace.z, dtype=float), strict=True)
                rows += [
                    [name, row, column, float(value)]
                    for row, line in lines
                    for column, value in zip(trace.x, line, strict=True)
                ]
                continue
            about = trace.text if trace.text is not None else [""] * len(trace.x)
            rows += [
                [trace.name, float(place), str(text), float(value)]
                for place, text, value in zip(trace.x, about, trace.y, strict=True)
            ]
    return ["name", *(("row", "column") if is_matrix else ("x", "about")), "value"], rows
