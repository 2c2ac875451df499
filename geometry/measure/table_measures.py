"""The measures of a table: the label, value, interval and isotropic baseline of each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..linalg.rows import UndefinedMeasure, half_digits, need_rows
from ..linalg.spectrum import eigvalsh_of_rank
from .cone import ANGLE_QUANTILES, angles_to, direction_of, share_of_second_moment
from .cosines import (
    largest_share,
    mean_cosine_of_sum,
    shares_of,
    top_contribution_baseline,
    uniformity_baseline,
)
from .intervals import NEAREST_WIDER, jackknife_reach
from .neighbours import occurrence_skewness, occurrences, refuse_ties, twonn
from .spectrum import isoscore_baseline, participation, participation_baseline, rank_of_spectrum
from .sums import OCCURRENCE_K, Shared, View, correction

TOP_SHARES = {"top_contribution": 1, "top_5_contributions": 5}  # how many dimensions each adds up
LEAST_LEFT = 1e-9  # share of the scatter; less without a row is rounding


@dataclass(frozen=True)
class TableMeasure:
    """One measure of a table.

    With ``without_each`` the interval is a jackknife that leaves out each unit; with ``angle`` it
    is subsampled; else it is a jackknife by groups of units. Without a ``reach`` there is none.
    """

    label: str  # English; pages translate it
    of: Callable[[View], float]
    baseline: Callable[[int, int], float] | None = None  # of isotropic (n, d); None simulates it
    low: float = 0.0
    high: float = np.inf
    ceiling: Callable[[int, int], float] | None = None  # of (n, d), where it is below ``high``
    without_each: Callable[[Shared], np.ndarray] | None = None  # (u,) values, in closed form
    # half-width, from the values without each group
    reach: Callable[[Sequence[float]], float] | None = jackknife_reach
    correction: Callable[[Shared], float] = lambda shared: 1.0  # factor of the half-width
    angle: int | None = None  # its place in ANGLE_QUANTILES
    uses: tuple[str, ...] = ()  # of COSTLY
    of_sums: bool = False  # of the sums over rows of x, x x', x / |x| and its squares
    decimals: int = 3
    unit: str = ""  # of the value

    def within(self, value: float, n: int, d: int) -> float:
        """The value, cut to the range of the measure for that number of rows and dimensions."""
        high = self.high if self.ceiling is None else min(self.high, self.ceiling(n, d))
        return max(self.low, min(value, high))


def _most_centred(n: int, d: int) -> float:
    """The largest rank of n centred rows, at least 1."""
    return float(max(1, min(n - 1, d)))


def _isoscore(view: View) -> float:
    if view.d < 2:
        raise UndefinedMeasure("one_dimension", d=view.d)
    return (participation(view.covariance) - 1) / (view.d - 1)


def _opening_angle(view: View, place: int) -> float:
    axis = direction_of(view.mean, view.second)
    return float(np.quantile(angles_to(view.shared.unit, axis), ANGLE_QUANTILES[place]))


def _top_contribution(view: View, k: int) -> float:
    shared = view.shared
    # Three standard deviations of random directions: n^2/2 pairs, each of variance 1/d
    if mean_cosine_of_sum(shared.unit_sum, view.n) <= 3 * np.sqrt(2 / view.d) / view.n:
        raise UndefinedMeasure("random_mean_cosine")
    return largest_share(shares_of(shared.unit_sum**2 - shared.unit_squares), min(k, view.d))


def _uniformity(view: View) -> float:
    # Where all directions are equal only rounding remains, and it may be positive
    return min(0.0, float(np.log1p(view.shared.pair_mean("kernel"))))


def _hubness(view: View) -> float:
    shared = view.shared
    need_rows(view.n, OCCURRENCE_K + 2)
    refuse_ties(shared.unit, shared.pairs.near, k=OCCURRENCE_K, equal=half_digits(shared.X))
    return occurrence_skewness(occurrences(shared.pairs.near, OCCURRENCE_K))


# The full jackknife in closed form: u values, without each unit of rows. A variance of ten groups
# has nine degrees of freedom, so by chance an interval may be half as wide as it should be; a
# variance of all units hardly varies. Efron, Stein 1981.


def _pair_mean_without_each(
    shared: Shared, by_row: np.ndarray, of: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Means of ``of(cosines)`` over ordered pairs; ``by_row`` (n,) are its sums over other rows."""
    n = shared.n - shared.cluster_sizes
    within = shared.within_clusters(of, shared.unit)
    # the sums of all rows count the pairs within a unit twice
    return np.asarray((by_row.sum() - 2 * shared.by_cluster(by_row) + within) / (n * (n - 1)))


def _mean_cosine_without_each(shared: Shared) -> np.ndarray:
    """From sums alone: the pairs of a large unit would take memory in the square of it."""
    n = shared.n - shared.cluster_sizes
    rest = shared.unit_sum - shared.by_cluster(shared.unit)  # (u, d)
    return np.asarray((np.einsum("ud,ud->u", rest, rest) - n) / (n * (n - 1)))


def _mean_norm_share_without_each(shared: Shared) -> np.ndarray:
    n = shared.n - shared.cluster_sizes
    rest = shared.n * shared.mean - shared.by_cluster(shared.X)  # (u, d)
    second = shared.squares.sum() - shared.by_cluster(shared.squares)
    return np.asarray(np.einsum("ud,ud->u", rest, rest) / (n * second))


def _participation_ratio_without_each(shared: Shared) -> np.ndarray:
    """The scatter without a unit is S - A, A = Z'Z + t t'/(n - m): Z its m rows, t their sum."""
    Z = shared.centred  # minus the mean of all rows
    S = shared.scatter
    m = shared.cluster_sizes
    ZS = Z @ S
    roots = np.sqrt(shared.n - m)[:, None]
    t, tS = shared.by_cluster(Z) / roots, shared.by_cluster(ZS) / roots  # (u, d): A = Z'Z + t t'
    lengths, t_lengths = np.einsum("nd,nd->n", Z, Z), np.einsum("ud,ud->u", t, t)
    trace = np.trace(S) - shared.by_cluster(lengths) - t_lengths
    trace[trace <= LEAST_LEFT * np.trace(S)] = np.nan
    along = shared.by_cluster(np.einsum("nd,nd->n", ZS, Z)) + np.einsum("ud,ud->u", tS, t)
    # |A|^2 = |Z Z'|^2 + 2 |Z t|^2 + |t|^4
    gram = shared.by_cluster(lengths**2) + shared.within_clusters(np.square, Z)
    across = np.einsum("nd,nd->n", Z, np.repeat(t, m, axis=0))
    own = gram + 2 * shared.by_cluster(across**2) + t_lengths**2
    return np.asarray(trace**2 / (np.vdot(S, S) - 2 * along + own))


def _uniformity_without_each(shared: Shared) -> np.ndarray:
    means = _pair_mean_without_each(shared, shared.pairs.kernel, lambda c: np.expm1(4 * c - 4))
    return np.asarray(np.log1p(means))


_Angle = partial(TableMeasure, high=180.0, decimals=1, unit="°")
_Top = partial(TableMeasure, reach=None, of_sums=True)
_Rank = partial(
    TableMeasure,
    low=1.0,
    ceiling=_most_centred,
    correction=lambda s: s.centred_correction,
    of_sums=True,
)

TABLE_MEASURES: dict[str, TableMeasure] = {
    "mean_cosine": TableMeasure(
        "mean cosine of pairs",
        lambda v: mean_cosine_of_sum(v.shared.unit_sum, v.n),
        lambda n, d: 0.0,
        low=-1.0,
        high=1.0,
        without_each=_mean_cosine_without_each,
        of_sums=True,
    ),
    "positive_cosine_share": TableMeasure(
        "share of positive cosines",
        lambda v: v.shared.pair_mean("positive"),
        lambda n, d: 0.5,
        high=1.0,
        without_each=lambda s: _pair_mean_without_each(s, s.pairs.positive, lambda c: c > 0),
    ),
    "opening_angle": _Angle("opening angle, median", partial(_opening_angle, place=0), angle=0),
    "opening_angle_90": _Angle("opening angle, 90%", partial(_opening_angle, place=1), angle=1),
    "mean_norm_share": TableMeasure(
        "mean-norm share ‖μ‖²/E‖x‖²",
        lambda v: share_of_second_moment(v.mean, v.second),
        lambda n, d: 1 / n,
        high=1.0,
        without_each=_mean_norm_share_without_each,
        of_sums=True,
    ),
    "isoscore": TableMeasure(
        "IsoScore",
        _isoscore,
        isoscore_baseline,
        high=1.0,
        ceiling=lambda n, d: (_most_centred(n, d) - 1) / (d - 1),
        without_each=lambda s: (_participation_ratio_without_each(s) - 1) / (s.d - 1),
        correction=lambda s: s.centred_correction,
        of_sums=True,
    ),
    "participation_ratio": _Rank(
        "participation ratio",
        lambda v: participation(v.covariance),
        participation_baseline,
        without_each=_participation_ratio_without_each,
        decimals=1,
    ),
    "effective_rank": _Rank(
        "effective rank of singular values, centred",
        lambda v: rank_of_spectrum(eigvalsh_of_rank(v.covariance, v.n)),
        decimals=0,
    ),
    "effective_rank_uncentred": _Rank(
        "effective rank of singular values, uncentred",
        lambda v: rank_of_spectrum(v.uncentred_eigenvalues),
        ceiling=min,
        correction=lambda s: correction(s, s.X),
        decimals=0,
    ),
    "partition_isotropy_rms": TableMeasure(
        "partition isotropy (at rms length 1)",
        lambda v: v.partition_at_rms,
        high=1.0,
        uses=("eigenvectors",),
    ),
    "uniformity": TableMeasure(
        "uniformity",
        _uniformity,
        lambda n, d: uniformity_baseline(d),
        low=-8.0,
        high=0.0,
        without_each=_uniformity_without_each,
        uses=("neighbours",),
    ),
    "top_contribution": _Top(
        "top dimension's share of the mean cosine",
        partial(_top_contribution, k=1),
        lambda n, d: top_contribution_baseline(d),
    ),
    "top_5_contributions": _Top(
        "top five dimensions' share",
        partial(_top_contribution, k=5),
        lambda n, d: top_contribution_baseline(d, k=min(5, d)),
    ),
    "hubness": TableMeasure(
        "hubness (skewness of 10-occurrence)",
        _hubness,
        low=-np.inf,
        reach=None,
        uses=("neighbours",),
        decimals=2,
    ),
    "intrinsic_dimension": TableMeasure(
        "intrinsic dimension (TwoNN)",
        lambda v: twonn(v.two_distances, equal=half_digits(v.shared.X)),
        # a row that is left out stays a neighbour of the others
        reach=lambda values: NEAREST_WIDER * jackknife_reach(values),
        decimals=1,
    ),
}


# measures over all pairs of rows, whose time grows with n squared
OF_PAIRS = ("positive_cosine_share", "uniformity", "hubness", "intrinsic_dimension")


def refuse_unlisted(names: Iterable[str]) -> None:
    unknown = sorted(set(names) - set(TABLE_MEASURES))
    if unknown:
        raise ValueError(f"no measure {', '.join(unknown)}; there are: {', '.join(TABLE_MEASURES)}")
