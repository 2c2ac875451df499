"""Points' colours: a colour and symbol for each category, a labelled scale for values."""

import numpy as np
from plotly.colors import sample_colorscale

from geometry.figures.cone import marker
from geometry.figures.layout import SYMBOL_CODES
from geometry.palette import DARK, LIGHT, SYMBOLS
from geometry.projection.point_colours import PointColours, legend_entries
from tests.for_each import for_each

THEMES = (LIGHT, DARK)


def labels(categories: int) -> PointColours:
    names = [f"topic {row}" for row in range(categories)]
    return PointColours.by_label(names + names[::-1], "topic")


def settings(colours: PointColours, theme=LIGHT) -> dict:
    return marker(colours, theme, size=7)


def colour_at(code: float, drawn: dict) -> str:
    """The colour of a code in a browser: on the colour scale between cmin and cmax."""
    place = (code - drawn["cmin"]) / (drawn["cmax"] - drawn["cmin"])
    scale = [list(step) for step in drawn["colorscale"]]
    below = [step for step in scale if step[0] <= place]
    above = [step for step in scale if step[0] >= place]
    assert below[-1][1] == above[0][1], "a code lies inside a step, where nothing is mixed"
    return below[-1][1]


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)])


def test_codes_follow_frequency_then_first_appearance():
    colours = PointColours.by_label(["art", "law", "音樂", "law"], "topic")
    assert colours.names == ("law", "art", "音樂")
    assert colours.codes.tolist() == [1, 0, 2, 0]


@for_each("theme", THEMES)
@for_each("categories", [1, 2, 6, 7, 8])
def test_each_code_has_its_legend_s_colour_and_symbol(categories, theme):
    colours = labels(categories)
    drawn = settings(colours, theme)
    names = {code: name for name, code in SYMBOL_CODES.items()}
    for code, (_, colour, symbol) in enumerate(legend_entries(colours, theme)):
        rows = np.flatnonzero(colours.codes == code)
        assert drawn["color"][rows].tolist() == [code, code]
        assert colour_at(code, drawn) == colour == theme.categories[code % 6]
        assert {names[int(drawn["symbol"][row])] for row in rows} == {symbol}


@for_each("theme", THEMES)
def test_eight_groups_look_different_and_the_others_alike(theme):
    colours = labels(24)
    entries = legend_entries(colours, theme, "the others")
    assert [name for name, *_ in entries][7:] == ["topic 7", "the others"]
    assert len({(colour, symbol) for _, colour, symbol in entries}) == 9
    assert {symbol for *_, symbol in entries} == set(SYMBOLS)
    drawn = settings(colours, theme)
    rows = np.flatnonzero(colours.codes >= 8)
    assert {colour_at(int(code), drawn) for code in drawn["color"][rows]} == {theme.other}
    assert {int(drawn["symbol"][row]) for row in rows} == {SYMBOL_CODES["circle"]}


def test_the_legend_names_each_category_once_and_values_have_none():
    entries = legend_entries(labels(5), LIGHT)
    assert [name for name, *_ in entries] == [f"topic {row}" for row in range(5)]
    assert legend_entries(PointColours.by_value(np.arange(3), "字數"), LIGHT) == []


@for_each("theme", THEMES)
def test_values_have_a_scale_bar_with_its_meaning(theme):
    values = np.array([4, 30, 11])
    drawn = settings(PointColours.by_value(values, "字數"), theme)
    assert drawn["color"].tolist() == values.tolist()
    assert drawn["colorbar"]["title"]["text"] == "字數"
    assert drawn["colorscale"] == list(theme.scale)
    assert "symbol" not in drawn


@for_each("theme", THEMES)
def test_the_value_scale_rises_in_lightness_and_leaves_the_background(theme):
    places = np.linspace(0, 1, 20)
    colours = sample_colorscale(list(theme.scale), places, colortype="tuple")
    lightness = np.array(colours) @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(lightness) > 0).all()
    paper = rgb(theme.paper) / 255 @ [0.2126, 0.7152, 0.0722]
    assert np.abs(lightness - paper).min() > 0.2


# Linear RGB under each kind of colour blindness: Machado, Oliveira & Fernandes (2009), severity 1.
EYES = {
    "all cones": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.303900]]
    ),
}  # fmt: skip
XYZ = np.array(  # of linear sRGB, divided by the white point D65
    [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]]
)


def linear(colour: str) -> np.ndarray:
    share = rgb(colour) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB."""
    xyz = XYZ @ light.clip(0, 1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@for_each("theme", THEMES)
@for_each("eye", EYES)
@for_each("of", ["categories", "lines"])
def test_hues_differ_for_every_kind_of_colour_vision(theme, eye, of):
    # Arrows are drawn in the ink's colour beside the lines.
    hues = (*theme.lines, theme.ink) if of == "lines" else theme.categories
    labs = [lab(EYES[eye] @ linear(colour)) for colour in hues]
    distances = [np.linalg.norm(a - b) for row, a in enumerate(labs) for b in labs[:row]]
    # 20 is about ten times the just noticeable difference. The margin is for small points.
    assert min(distances) > 20


@for_each("theme", THEMES)
@for_each(("of", "least"), [("categories", 3), ("lines", 4.5)])
def test_hues_contrast_with_the_paper(theme, of, least):
    paper = linear(theme.paper) @ [0.2126, 0.7152, 0.0722]
    for colour in getattr(theme, of):
        shine = linear(colour) @ [0.2126, 0.7152, 0.0722]
        contrast = (max(shine, paper) + 0.05) / (min(shine, paper) + 0.05)
        assert contrast >= least, colour  # WCAG 2.2, 1.4.11: graphical objects; lines are thin
