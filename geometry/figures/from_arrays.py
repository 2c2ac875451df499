"""The figures of a notebook: arrays in, a finished Plotly figure out, with English labels.

Pages use the other modules, whose labels are arguments, so that they can be translated.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..linalg.rows import need_whole
from ..linalg.spectrum import Covariances
from ..measure.cosines import cosine_shares, isotropic_cosine_shares, pairwise_cosines
from ..palette import LIGHT, Theme
from .curves import Axes, Curve, curves_figure, histogram_figure
from .heatmap import cells_figure
from .ladder import Rung, Tick, ladder_figure

NAMES = ("vectors", "treated vectors")
SMALLEST_VARIANCE = 1e-9  # of the mean variance; smaller ones are rounding, and are not drawn
MOST_WRITTEN = 600  # cells of a heatmap whose numbers are legible
ROW_HEIGHT = 34  # px of a row of a heatmap
HEAD_HEIGHT = 110  # px above them


def cosine_histogram(
    X: np.ndarray,
    Z: np.ndarray | None = None,
    *,
    names: tuple[str, str] = NAMES,
    bins: int = 160,
    max_rows: int = 1500,
    seed: int = 0,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Histogram of the cosines of all pairs of rows, beside that of isotropic directions.

    The dotted curve is of independent uniform directions in d dimensions, with the mean 0 and the
    standard deviation 1/sqrt(d). A zero row raises UndefinedMeasure; the message names the first.

    Parameters
    ----------
    X : (n, d) array of float, n >= 2, d >= 3
    Z : (m, k) array of float, optional
        The same vectors after a treatment. The dotted curve is then of k dimensions.
    names : (str, str), names of both clouds in the legend
    bins : int, >= 2, of equal width between -1 and 1
    max_rows : int, >= 2
        More rows are sampled without replacement; 1,500 rows have 1,124,250 pairs.
    seed : int, of the sample
    theme : Theme, ``geometry.palette.LIGHT`` or ``DARK``

    References
    ----------
    Ethayarajh 2019, section 3, for cosines as evidence of a cone. Mardia & Jupp 2000, section 9.3,
    for the uniform distribution on the sphere.
    """
    need_whole("bins", bins, at_least=2)
    edges = np.linspace(-1.0, 1.0, bins + 1)
    clouds = [X] if Z is None else [X, Z]
    shares = [
        cosine_shares(pairwise_cosines(of, max_rows=max_rows, seed=seed), edges) for of in clouds
    ]
    d = np.shape(clouds[-1])[1]
    labels = (*names, f"isotropic directions, d = {d}")
    titles = ("cosine of a pair", "share of pairs")
    reference = isotropic_cosine_shares(edges, d)
    return histogram_figure(shares, reference, edges, labels, titles, theme)


def spectrum(
    X: np.ndarray,
    Z: np.ndarray | None = None,
    *,
    names: tuple[str, str] = NAMES,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Eigenvalues of the covariance over their mean, largest first, on a logarithmic axis.

    An isotropic cloud has 1 everywhere. The mean of the rows is subtracted, so a cone that is made
    by a shift does not show here. Ratios below 1e-9 are not drawn. Rows that are all equal raise
    UndefinedMeasure.

    Parameters
    ----------
    X : (n, d) array of float, n >= 2
    Z : (m, k) array of float, optional, the same vectors after a treatment
    names : (str, str), names of both clouds in the legend
    theme : Theme, ``geometry.palette.LIGHT`` or ``DARK``

    References
    ----------
    Mu & Viswanath 2018, section 2, for the decay of the spectrum of word vectors.
    """
    curves = []
    for place, (cloud, name) in enumerate(zip((X, Z), names, strict=True)):
        if cloud is not None:
            heights = Covariances.of(cloud).spectrum
            heights = np.where(heights > SMALLEST_VARIANCE, heights, np.nan)
            curves.append(Curve(np.arange(1, len(heights) + 1), heights, name, place))
    axes = Axes("direction, widest first", "variance over the mean variance", log_y=True)
    return curves_figure(curves, axes, theme)


def layer_curves(
    values: Mapping[str, np.ndarray] | np.ndarray,
    *,
    intervals: Mapping[str, np.ndarray] | np.ndarray | None = None,
    x: str = "layer (0 is the embedding layer)",
    y: str = "value",
    theme: Theme = LIGHT,
) -> go.Figure:
    """One number a layer, as a curve for each pooling or model (Ethayarajh 2019, section 4).

    Parameters
    ----------
    values : mapping of str to (L + 1,) array of float, or one such array
        Values by the curve's name, from layer 0 on. NaN leaves a gap.
    intervals : mapping of str to (L + 1, 2) array of float, or one such array, optional
        Lower and upper ends by the curve's name; they are shaded. One array belongs to one curve.
    x : str, title of the horizontal axis
    y : str, title of the vertical axis: what the values are, and their unit
    theme : Theme, ``geometry.palette.LIGHT`` or ``DARK``
    """
    given = values if isinstance(values, Mapping) else {y: values}
    if intervals is not None and not isinstance(values, Mapping):
        intervals = intervals if isinstance(intervals, Mapping) else {y: intervals}
    if unknown := sorted({*(intervals or {})} - {*given}):
        raise ValueError(f"there is no curve for {', '.join(map(repr, unknown))}")
    curves = []
    for place, (name, heights) in enumerate(given.items()):
        heights = np.asarray(heights, dtype=np.float64)
        if heights.ndim != 1:
            raise ValueError(f"{name!r}: expected one value a layer; got shape {heights.shape}")
        low, high = None, None
        if intervals is not None and name in intervals:
            ends = np.asarray(intervals[name], dtype=np.float64)
            if ends.shape != (len(heights), 2):
                raise ValueError(
                    f"{name!r}: expected intervals of shape ({len(heights)}, 2); got {ends.shape}"
                )
            low, high = ends.T
        layers = np.arange(len(heights))
        curves.append(Curve(layers, heights, name, place, low=low, high=high, dots=True))
    return curves_figure(curves, Axes(x, y), theme)


def score_ladder(
    scores: Mapping[str, float | None],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    published: Mapping[str, Mapping[str, float]] | None = None,
    band: tuple[str, float, float] | None = None,
    x: str = "score",
    names: tuple[str, str] = ("measured", "published"),
    decimals: int = 2,
    theme: Theme = LIGHT,
) -> go.Figure:
    """Scores as dots on the rungs of a ladder, the first on top, with published scores as ticks.

    Parameters
    ----------
    scores : mapping of str to float or None
        The score of each rung by its label. None is a rung without a dot.
    intervals : mapping of str to (low, high), optional
        The interval of a rung, by its label, in the unit of the scores.
    published : mapping of str to mapping of str to float, optional
        By the rung's label: scores of the literature by their names. Give scores of the same data
        set and the same statistic.
    band : (label, low, high), optional, a range of scores that is shaded behind all rungs
    x : str, title of the axis: what the scores are, and their unit
    names : (str, str), names of measured and of published scores in the legend
    decimals : int, >= 0, of the scores beside their labels
    theme : Theme, ``geometry.palette.LIGHT`` or ``DARK``
    """
    if not isinstance(scores, Mapping):
        raise ValueError("scores must be a mapping from the name of each rung to its score")
    intervals, published = intervals or {}, published or {}
    unknown = sorted({*intervals, *published} - set(scores))
    if unknown:
        raise ValueError(f"there is no score for {', '.join(map(repr, unknown))}")
    rungs = []
    for label, score in scores.items():
        low, high = intervals.get(label, (None, None))
        written = "undefined" if score is None else f"{score:.{decimals}f}"
        if low is not None and high is not None:
            written += f" [{low:.{decimals}f}, {high:.{decimals}f}]"
        ticks = [Tick(v, f"{name}: {v:g}", name) for name, v in published.get(label, {}).items()]
        rungs.append(
            Rung(f"{label} · {written}", f"{label}: {written}", score, low, high, ticks=ticks)
        )
    return ladder_figure(rungs, x, theme, names=names, band=band)


def table_heatmap(
    values: np.ndarray,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    titles: tuple[str, str] = ("column", "row"),
    decimals: int = 2,
    theme: Theme = LIGHT,
) -> go.Figure:
    """A table of numbers as colours, the first row on top, with each number written in its cell.

    With values below and above 0 the background is at 0, and the colours go both ways.

    Parameters
    ----------
    values : (r, c) array of float
        NaN is an empty cell.
    rows : sequence of r str, optional
        Names of the rows, such as layers; by default 0, 1, 2, …
    columns : sequence of c str, optional
        Names of the columns, such as poolings; by default 0, 1, 2, …
    limits : (low, high), optional
        Values at the ends of the colours; by default the smallest and the largest.
    titles : (str, str), of the columns and of the rows
    decimals : int, >= 0
        In the cells. A table of more than 600 cells has its numbers in the hover texts only.
    theme : Theme, ``geometry.palette.LIGHT`` or ``DARK``
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"expected a table of numbers, shape (r, c); got shape {table.shape}")
    names = []
    for given, n, what in zip((rows, columns), table.shape, ("rows", "columns"), strict=True):
        names.append([str(each) for each in (range(n) if given is None else given)])
        if len(names[-1]) != n:
            raise ValueError(f"{len(names[-1])} names for {n} {what}")
    finite = table[np.isfinite(table)]
    if not finite.size:
        raise ValueError("expected a table of numbers; every cell is NaN or infinite")
    low, high = limits or (float(finite.min()), float(finite.max()))
    diverging = low < 0 < high
    if diverging and limits is None:
        high = max(-low, high)
        low = -high
    numbers = [[f"{v:.{decimals}f}" if np.isfinite(v) else "" for v in row] for row in table]
    written = numbers if table.size <= MOST_WRITTEN else [[""] * table.shape[1]] * len(table)
    about = [
        [
            f"{titles[1]} {row}, {titles[0]} {column}: {number}"
            for column, number in zip(names[1], line, strict=True)
        ]
        for row, line in zip(names[0], numbers, strict=True)
    ]
    return cells_figure(
        table,
        written,
        about,
        names,
        theme,
        limits=(low, high),
        diverging=diverging,
        titles=titles,
        height=HEAD_HEIGHT + ROW_HEIGHT * len(table),
    )
