"""A figure as it travels to the browser, and the script that draws it there."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import plotly.graph_objects as go
import plotly.io


def figure_json(figure: go.Figure) -> str:
    """The figure as JSON; arrays stay binary (base64), which is smaller and faster to read."""
    return str(plotly.io.to_json(figure, validate=False))


@lru_cache(maxsize=1)
def plotly_script() -> str:
    """Plotly's own JavaScript, from the installed package: 4.8 MB, sets ``window.Plotly``."""
    return files("plotly").joinpath("package_data/plotly.min.js").read_text(encoding="utf8")
