"""A matrix as colours: the first row on top, zero in the paper's colour, symmetric signs."""

import numpy as np

from geometry.figures.heatmap import cells_figure, matrix_figure
from geometry.palette import DARK, LIGHT
from tests.for_each import for_each

MATRIX = np.array([[1.0, -0.5, 0], [-0.5, 2, 0.25], [0, 0.25, -1]])
NAMES = ["dimension 4", "維度 9", "dimension 2"]
themes = for_each("theme", [LIGHT, DARK])


def drawn(theme=LIGHT, **more):
    figure = matrix_figure(MATRIX, NAMES, theme, **more)
    (heatmap,) = figure.data
    return heatmap, figure.layout


@for_each(("reach", "end"), [(0.2, 0.2), (7.5, 7.5), (0.0, 1), (float("nan"), 1)])
def test_colours_are_centred_on_zero_also_where_all_is_zero(reach, end):
    heatmap, layout = drawn(reach=reach)
    assert (heatmap.zmin, heatmap.zmax) == (-end, end)
    assert dict(heatmap.colorscale)[0.5] == layout.paper_bgcolor


CELLS = (
    np.array([[56.7, np.nan], [60.0, -3.0]]),
    [["56.7<br>[50,60]", "undefined"], ["60.0", "−3.0"]],
    [["layer 0, cls", "layer 0, mean"], ["layer 1, cls", "layer 1, mean"]],
    (["0", "1"], ["[CLS]", "mean"]),
)


@themes
def test_a_difference_is_the_paper_at_zero_and_ink_is_legible_on_its_ends(theme):
    (heatmap,) = cells_figure(*CELLS, theme, limits=(-5.0, 5.0), diverging=True).data
    (_, below), (middle, paper), (_, above) = heatmap.colorscale
    assert (middle, paper) == (0.5, theme.paper)
    for end in (below, above):
        assert contrast(end, theme.ink) > 4.5  # WCAG's for text


def contrast(first: str, second: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@for_each(
    ("head", "level"),
    [
        ("last token", "last<br>token"),
        ("weighted by position (decoders)", "weighted<br>by<br>position<br>(decoders)"),
        ("平均池化", "平均<br>池化"),
        ("最後一個詞元", "最後一個<br>詞元"),
        ("依位置加權（解碼器）", "依位置加權<br>（解碼器）"),
    ],
)
def test_the_head_of_a_column_is_level_on_some_lines(head, level):
    cells = np.ones((1, 1)), [["1.0"]], [[""]], (["0"], [head])
    layout = cells_figure(*cells, LIGHT, limits=(0.0, 1.0), titles=("pooling", "layer")).layout
    assert layout.xaxis.ticktext == (level,)
    assert layout.xaxis.tickangle == 0
    assert [note.text for note in layout.annotations] == ["layer"]
