"""Colours and layout that every figure shares, for light and dark backgrounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Theme:
    """Colours of one background.

    ink: text and axes.   grid: faint lines.   paper: the background itself.
    raw, white: the two clouds' colours where a cloud has one.   accent: what is chosen.
    categories: six hues that stay apart under colour blindness, a test holds how far (the first
    two are Okabe, Ito 2008's).
    lines: four hues for thin lines and arrows, which need more contrast than points; as far apart.
    scale: the value scale, Cividis without the end that the background swallows.
    """

    ink: str
    grid: str
    paper: str
    raw: str
    white: str
    accent: str
    categories: tuple[str, ...]
    lines: tuple[str, ...]
    scale: tuple[str, ...]


PERCENT = "~%"  # d3's, on an axis: as many decimals as its ticks differ in
SYMBOLS = ("circle", "diamond", "square", "cross")
SYMBOL_CODES = {"circle": 0, "square": 1, "diamond": 2, "cross": 3}  # Plotly's numbers for them

LIGHT = Theme(
    ink="#16212c",
    grid="#d5dde5",
    paper="#ffffff",
    raw="#d55e00",
    white="#0072b2",
    accent="#16212c",
    categories=("#0072b2", "#d55e00", "#005522", "#aa5577", "#aa8855", "#8800ff"),
    lines=("#8800ff", "#946c00", "#00703a", "#b8437f"),
    scale=("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369"),
)
DARK = Theme(
    ink="#e8edf2",
    grid="#2f3b47",
    paper="#0d1218",
    raw="#ff8a4c",
    white="#56b4e9",
    accent="#ffffff",
    categories=("#56b4e9", "#ff8a4c", "#337755", "#dd00ff", "#ffdd00", "#775588"),
    lines=("#b855f6", "#ffdd00", "#5cd672", "#d147a1"),
    scale=("#575d8d", "#707183", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
THEMES = {"light": LIGHT, "dark": DARK}


def theme_named(name: str | None) -> Theme:
    """LIGHT or DARK; light for an unknown name, as before the browser has said which it shows."""
    return THEMES.get(name or "light", LIGHT)


def base_layout(theme: Theme, *, height: int, **more: Any) -> dict[str, Any]:
    """Layout settings common to all figures; ``uirevision`` keeps zoom and camera over updates."""
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
    """A labelled axis with a visible zero line."""
    return {
        "title": {"text": title, "font": {"size": 13}},
        "gridcolor": theme.grid,
        "zeroline": True,
        "zerolinecolor": theme.ink,
        "zerolinewidth": 1,
        "automargin": True,
        **more,
    }
