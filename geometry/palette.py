"""The palette of figures and reports, for light and dark backgrounds.

All colours of the library are here. `.streamlit/config.toml` has those of Streamlit's own parts,
and repeats the background, the text and the categories.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours for one background."""

    ink: str  # text and axes
    grid: str
    paper: str  # the background
    raw: str  # the raw cloud, where it has one colour
    white: str  # the whitened cloud
    accent: str  # selected points
    # Six hues that differ under every colour blindness; the first two are of Okabe & Ito (2008)
    categories: tuple[str, ...]
    other: str
    lines: tuple[str, ...]  # thin lines and arrows need more contrast than points
    scale: tuple[str, ...]  # Cividis without the end that is close to the background


SYMBOL_SIGNS = {"circle": "●", "diamond": "◆"}
SYMBOLS = tuple(SYMBOL_SIGNS)

LIGHT = Theme(
    ink="#16212c",
    grid="#d5dde5",
    paper="#ffffff",
    raw="#d55e00",
    white="#0072b2",
    accent="#16212c",
    categories=("#0072b2", "#d55e00", "#005522", "#aa5577", "#aa8855", "#8800ff"),
    other="#a3abb4",
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
    other="#68747f",
    lines=("#b855f6", "#ffdd00", "#5cd672", "#d147a1"),
    scale=("#575d8d", "#707183", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
THEMES = {"light": LIGHT, "dark": DARK}
# Around a zero: two blues, then two reds, from the outside inwards and out again. ColorBrewer's
# RdBu (Brewer, Harrower), which is safe under every colour blindness.
DIVERGING = ("#2166ac", "#67a9cf", "#ef8a62", "#b2182b")


def theme_named(name: str | None) -> Theme:
    """LIGHT or DARK. LIGHT for None, the name until the browser has reported its theme."""
    return THEMES.get(name or "light", LIGHT)


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of "#rrggbb", each 0 to 255."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue
