"""Two sets of vectors of the same rows: how alike they are, and which of them is better."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ..diagnosis.findings import copies
from ..diagnosis.yardsticks import LEAST_ROWS, TrialRows, change
from ..linalg.rows import UndefinedMeasure, finite_rows, need_rows, some_rows, unit_rows
from ..measure.correlation import spearman
from ..measure.intervals import Estimate
from ..measure.neighbour_changes import NeighbourChanges, neighbour_changes

MOST_PAIRED = 2_000  # rows whose cosines are all compared: two million pairs
SHUFFLES = 5  # of the rows, for the control of CKA
MOST_JUDGED = 5_000  # rows whose labels or pairs judge

Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]  # left rows, right rows, scores


@dataclass(frozen=True)
class Comparison:
    """How alike two sets of vectors of n rows are."""

    n: int
    #: neighbours gained and lost, hubness and agreement of labels, from the first to the second;
    #: None where rounding decides which rows are nearest
    neighbours: NeighbourChanges | None
    #: Spearman's correlation of the cosines of all pairs; None where a set has equal cosines
    rank_correlation: float | None
    n_paired: int  #: rows whose pairs these are
    cka: float | None  #: ``linear_cka``; None where a set has no spread
    #: the same with the rows of one set shuffled, the mean of SHUFFLES: the control
    cka_by_chance: float | None


@dataclass(frozen=True)
class Preference:
    """Which of two sets is better for labels or pairs."""

    measure: str  #: "agreement" of the nearest neighbours' labels, or "spearman" of pairs
    first: float  #: the score of each set
    second: float
    change: Estimate  #: second minus first, with its 95% interval
    n: int  #: rows or pairs that judge

    @property
    def better(self) -> str:
        """ "first" or "second" where the interval lies on one side of 0, else ""."""
        if self.change.rises:
            return "second"
        return "first" if self.change.falls else ""


def align(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, float]:
    """The second picture turned, mirrored and scaled onto the first; and what is left.

    The origin stays, so that cones can be compared. Orthogonal Procrustes: Schönemann 1966.

    Parameters
    ----------
    first : (n, k) array of float, places of the rows
    second : (n, k) array of float, places of the same rows

    Returns
    -------
    aligned : (n, k) array of float64
    residual : float
        Sum of the squared distances that are left, over the sum of the first's squared lengths:
        0 for pictures of one shape, 1 where nothing fits.
    """
    A, B = finite_rows(first, at_least=1), finite_rows(second, at_least=1)
    if A.shape != B.shape:
        raise ValueError(f"expected places of the same rows; got {A.shape} and {B.shape}")
    left, sizes, right = np.linalg.svd(B.T @ A)
    total, own = float(np.square(A).sum()), float(np.square(B).sum())
    if not total or not own:
        raise UndefinedMeasure("no_spread")
    aligned = B @ (left @ right) * (sizes.sum() / own)
    return aligned, float(np.square(A - aligned).sum() / total)


def linear_cka(X: np.ndarray, Y: np.ndarray) -> float:
    """Linear centred kernel alignment of two sets of vectors of the same rows, from 0 to 1.

    1 means that one is the other after a rotation and a scale. It is above 0 by chance where there
    are few rows for many dimensions, so compare it with shuffled rows. Kornblith et al. 2019,
    "Similarity of neural network representations revisited", section 3.

    Parameters
    ----------
    X : (n, d) array of float, n >= 2
    Y : (n, e) array of float

    Raises UndefinedMeasure "no_spread" where all rows of a set are equal.
    """
    A, B = (finite_rows(each, at_least=2) for each in (X, Y))
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    scale = np.linalg.norm(A.T @ A) * np.linalg.norm(B.T @ B)
    if not scale:
        raise UndefinedMeasure("no_spread")
    return float(np.square(A.T @ B).sum() / scale)


def cosine_rank_correlation(X: np.ndarray, Y: np.ndarray) -> float:
    """Spearman's correlation of the cosines of all pairs of rows in X (n, d) and in Y (n, e)."""
    pairs = np.triu_indices(len(X), k=1)
    directions = [unit_rows(each, at_least=2) for each in (X, Y)]
    return spearman(*((U @ U.T)[pairs] for U in directions))


def compare(
    X: np.ndarray,
    Y: np.ndarray,
    *,
    k: int = 10,
    labels: Sequence[object] | None = None,
    units: np.ndarray | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """How alike two sets of vectors of the same rows are.

    Parameters
    ----------
    X : (n, d) array of float, n > k + 1, no zero row
    Y : (n, e) array of float
        The same rows by another model, layer, pooling or treatment. No zero row.
    k : int, neighbours of each row that are compared
    labels : sequence of n labels, optional
    units : (n,) ids, optional, as ``neighbour_changes`` takes them
    seed : int, of the sample of MOST_PAIRED rows, of shuffles and intervals
    progress : callable, optional
        Called with (blocks done, blocks in all) of the search for neighbours.

    Raises
    ------
    UndefinedMeasure
        For too few rows.
    """
    need_rows(len(X), k + 2)
    changes: NeighbourChanges | None = None
    correlation: float | None = None
    alike: float | None = None
    by_chance: float | None = None
    with suppress(UndefinedMeasure):
        changes = neighbour_changes(
            X, Y, k=k, labels=labels, units=units, seed=seed, progress=progress
        )
    rng = np.random.default_rng(seed)
    n = len(X)
    rows = np.arange(n)
    if n > MOST_PAIRED:
        rows = np.sort(rng.choice(n, MOST_PAIRED, replace=False))
    with suppress(UndefinedMeasure):
        correlation = cosine_rank_correlation(X[rows], Y[rows])
    with suppress(UndefinedMeasure):
        alike = linear_cka(X, Y)
        by_chance = float(np.mean([linear_cka(X, Y[rng.permutation(n)]) for _ in range(SHUFFLES)]))
    return Comparison(n, changes, correlation, len(rows), alike, by_chance)


def prefer(
    X: np.ndarray,
    Y: np.ndarray,
    *,
    labels: Sequence[str] | None = None,
    pairs: Pairs | None = None,
    texts: Sequence[str] | None = None,
    units: np.ndarray | None = None,
    seed: int = 0,
) -> Preference | None:
    """Which of two sets is better for labels or pairs, as the diagnosis judges a cure.

    The score of each, and the interval of the difference on the same rows. None where too few rows
    are labelled, or where pairs are too few.

    Parameters
    ----------
    X : (n, d) array of float
    Y : (n, e) array of float, the same rows
    labels : sequence of n str, optional
        "" is no label.
    pairs : (left, right, scores), optional
        Numbers of rows, and what people said of each pair. One of ``labels`` and ``pairs``.
    texts : sequence of n str, optional
        Of equal texts, and of rows that are equal in either set, one is judged by labels.
    units : (n,) ids, optional, rows that belong together
    seed : int, of the bootstrap, and of the sample of MOST_JUDGED items
    """
    if (labels is None) == (pairs is None):
        raise ValueError("give labels or pairs")
    X, Y = (finite_rows(each, at_least=2) for each in (X, Y))
    rows_kept = np.flatnonzero(X.any(axis=1) & Y.any(axis=1))
    if labels is not None:  # a copy would be its own nearest neighbour
        for each in (X, Y):
            rows_kept = np.intersect1d(rows_kept, np.unique(copies(each, texts)))
        labels = [labels[row] for row in rows_kept.tolist()]
    if pairs is not None:
        left, right, scores = pairs
        sound = np.isin(left, rows_kept) & np.isin(right, rows_kept)
        place = np.searchsorted(rows_kept, (left[sound], right[sound]))
        pairs = place[0], place[1], np.asarray(scores)[sound]
    X, Y = X[rows_kept], Y[rows_kept]
    texts = None if texts is None else [texts[row] for row in rows_kept.tolist()]
    units = None if units is None else np.asarray(units)[rows_kept]
    if len(X) < LEAST_ROWS or (pairs is not None and len(pairs[2]) < 2):
        return None
    rows = TrialRows.given(X, texts=texts, labels=labels, pairs=pairs, units=units, seed=seed)
    yardstick = rows.yardstick
    if yardstick is None or yardstick.amount() < yardstick.least:
        return None
    items = some_rows(len(yardstick.units), MOST_JUDGED, seed)
    Y = Y[rows.numbers]
    first, second = (yardstick.score(each, items) for each in (rows.X, Y))
    difference = change(first, second, yardstick.units)
    values = float(first.values[0]), float(second.values[0])
    return Preference(yardstick.names[0], *values, difference, len(items))
