"""The layout that every figure shares."""

from __future__ import annotations

from typing import Any

from ..palette import Theme

PERCENT = "~%"  # format of an axis by d3: as many decimals as its ticks need
SYMBOL_CODES = {"circle": 0, "diamond": 2}  # Plotly's numbers for palette.SYMBOLS


def base_layout(theme: Theme, *, height: int, **more: Any) -> dict[str, Any]:
    """Layout of all figures; ``more`` replaces settings. ``uirevision`` keeps zoom and camera."""
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": theme.paper,
        "plot_bgcolor": theme.paper,
        "font": {"color": theme.ink, "size": 13},
        "uirevision": "constant",
        "hoverlabel": {"align": "left"},
        **more,
    }


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
