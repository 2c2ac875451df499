"""A figure as it travels to the browser, and the script that draws it there.

Plotly itself is imported by the call that needs it: a page names the script before it draws.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go


def figure_json(figure: go.Figure) -> str:
    """The figure as JSON; arrays stay binary (base64), which is smaller and faster to read."""
    import plotly.io

    return str(plotly.io.to_json(figure, validate=False))


def plotly_script() -> Path:
    """Plotly's own JavaScript in the installed package: 4.8 MB, sets ``window.Plotly``."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed; see requirements.txt")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"
