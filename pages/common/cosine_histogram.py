"""The histogram of pairwise cosines before and after a treatment."""

import numpy as np

from geometry.figures.curves import histogram_figure
from geometry.measure import pairwise_cosines
from geometry.measure.cosines import cosine_shares, isotropic_cosine_shares

from .draw.charts import show_chart
from .draw.clouds import current_theme
from .seed import SEED
from .words import _, plotly

EDGES = np.linspace(-1.0, 1.0, 161)
HISTOGRAM_ROWS = 1500  # rows at most, a sample of a larger cloud; they have 1.1 million pairs


def cosine_histogram(X: np.ndarray) -> tuple[np.ndarray, int]:
    """The share of pairs in each bin of EDGES, and the number of pairs. Raises UndefinedMeasure."""
    cosines = pairwise_cosines(X, max_rows=HISTOGRAM_ROWS, seed=SEED)
    return cosine_shares(cosines, EDGES), len(cosines)


def show_histogram(
    shares: tuple[np.ndarray, np.ndarray],  # of ``cosine_histogram``, before and after
    names: tuple[str, str],
    d: int,  # of the isotropic directions beside them
    *,
    key: str,
    file_name: str,
    alt: str,
    step: float = 0.25,  # between two numbers of the axis
) -> None:
    raw, white = map(plotly, names)
    labels = (raw, white, _("isotropic directions, d = {d}").format(d=d))
    titles = (_("cosine of a pair"), _("share of pairs"))
    reference = isotropic_cosine_shares(EDGES, d)
    figure = histogram_figure(shares, reference, EDGES, labels, titles, current_theme())
    show_chart(figure.update_xaxes(dtick=step), key=key, file_name=file_name, alt=alt)
