"""Nearest neighbours and their measures: label agreement, hubness, intrinsic dimension."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from ..linalg.rows import (
    UndefinedMeasure,
    directions,
    finite_rows,
    half_digits,
    in_range,
    need_rows,
    need_whole,
    slices,
    unchecked_rows,
    unit_rows,
)
from ..linalg.threads import in_threads
from ..process import Progress, no_report
from .intervals import MIN_ROWS, around, halves, subsampling_reach, units_of

BLOCK_ROWS = 512  # rows whose products with all others are in memory at a time
# Squared distances below this share of |a|^2 are computed again in float64. The error of the
# float32 product is about 1e-7 |a|^2, which leaves them fewer than three digits.
SURE = 1e-4
WIDE, PART = 1024, 32  # row length from which maxima over parts save time; scores in a part
LINES = 64  # rows of that length that fit into the processor's cache
DISCARDED = 0.1  # share of the ratios, the largest, that Facco et al. leave out of the fit
# Rows that differ by rounding are nearer to each other than rows that differ: by a factor of
# 10,000 for whitened sentences in float32. Among rows that all differ, the smallest distance is GAP
# times below the next one by chance: in 1 of GAP^D clouds in D dimensions. Such a pair then counts
# as one row.
GAP = 1000.0
GAPS = 2**22  # differences in memory at a time, of rows and their neighbours: 32 MB

TINY = 1e-15  # squared lengths from here to 1 / TINY have products in float32's range
ROUNDING = 1e-4  # more than the error of a cosine in float32


def nearest(X: np.ndarray, row: int, *, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest other rows of a row by cosine: (indices (k,), cosines (k,)).

    Of equal cosines the lower index comes first. A row that X does not have raises IndexError.

    Parameters
    ----------
    X : (n, d) array of float, without a zero row
    row : int in [0, n)
    k : int, >= 1, cut to n - 1
    """
    need_whole("k", k, at_least=1)
    X = unchecked_rows(X, at_least=1)
    if not 0 <= row < len(X):
        raise IndexError(f"row {row} is not one of the {len(X)} rows")
    rows = _shortlist(X, row, k + 1)
    U = unit_rows(X[rows])
    cosines = U @ U[rows == row][0]
    cosines[rows == row] = -np.inf
    order = np.argsort(-cosines, kind="stable")[: min(k, len(X) - 1)]
    return rows[order], cosines[order].clip(-1.0, 1.0)


def _shortlist(X: np.ndarray, row: int, k: int) -> np.ndarray:
    """Ascending rows of X that have the row's k largest cosines among them, and the row itself.

    X is neither copied nor widened: of 100,000 rows that takes most of the time. All rows if some
    have a length that float32 can't square, such as 0 or NaN.
    """
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        squares = np.vecdot(X, X)
        cosines = X @ X[row] / np.sqrt(squares * squares[row])
    if k >= len(X) or not ((squares > TINY) & (squares < 1 / TINY)).all():
        return np.arange(len(X))
    least = np.partition(cosines, -k)[-k] - ROUNDING
    return np.union1d(np.flatnonzero(cosines >= least), row)


def nearest_of_all(X: np.ndarray, *, k: int) -> np.ndarray:
    """Indices (n, k) of each row's k nearest other rows by cosine, nearest first; k <= n - 1."""
    need_whole("k", k, at_least=1)
    return closest(unit_rows(X), k)


def closest(
    A: np.ndarray,
    k: int,
    *,
    block_rows: int = BLOCK_ROWS,
    watch: Callable[[slice, np.ndarray], None] | None = None,
    progress: Progress = no_report,
    threads: int = 1,
) -> np.ndarray:
    """Indices (n, k) of each row's k nearest other rows by distance, nearest first.

    The rows are multiplied in float32, minus their mean: distances stay the same, and rows in a
    needle have more digits. Distances too close to distinguish are computed again in float64.
    Squares of A must be in float32's range.

    ``watch(rows, S)`` gets each block (m, n) of scores S_ij = a_i'a_j - |a_j|^2 / 2 of the rows
    minus their mean, -inf at j = i. It may overwrite them. Each of several threads calls it.
    """
    A = A - A.mean(axis=0)
    n, d = A.shape
    k = min(k, n - 1)
    half = np.einsum("nd,nd->n", A, A) / 2
    left = np.ones((n, d + 1), dtype=np.float32)
    left[:, :d] = A
    right = left.copy()
    right[:, d] = -half  # the product is then the whole score
    found = np.empty((n, k), dtype=np.int64)
    # Reused, because a new block each time took 25% longer
    free: SimpleQueue[np.ndarray] = SimpleQueue()
    for _ in range(threads):
        free.put(np.empty((min(block_rows, n), n), dtype=np.float32))

    def search(rows: slice) -> int:
        block = free.get()
        try:
            scores = np.matmul(left[rows], right.T, out=block[: rows.stop - rows.start])  # (m, n)
            np.fill_diagonal(scores[:, rows.start :], -np.inf)
            found[rows], last = largest(scores, k)
            unsure = rows.start + np.flatnonzero(half[rows] - last < SURE * half[rows])
            if len(unsure):
                exact = A[unsure] @ A.T - half
                exact[np.arange(len(unsure)), unsure] = -np.inf
                found[unsure] = largest(exact, k)[0]
            if watch is not None:
                watch(rows, scores)
        finally:
            free.put(block)
        return int(rows.stop)

    for done in in_threads(search, slices(n, block_rows), threads):
        progress(done, n)
    return found


def largest(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(indices (m, k) of the k largest in each row, largest first; the smallest of these (m,))."""
    m, n = scores.shape
    if k == 0:
        return np.empty((m, 0), dtype=np.int64), np.full(m, -np.inf)
    has_parts = n >= WIDE and n // PART >= 2 * k  # with fewer, too many scores reach the bound
    if has_parts and m > LINES:
        few = [largest(scores[rows], k) for rows in slices(m, LINES)]
        return np.concatenate([each for each, _ in few]), np.concatenate([last for _, last in few])
    if has_parts:
        # few scores reach the k-th largest of the maxima over parts of a row; a part is every
        # (n // PART)-th score, because maxima of whole lines are faster
        parts = scores[:, : n // PART * PART].reshape(m, PART, -1).max(axis=1)
        kth = np.partition(parts, -k, axis=1)[:, -k]
    else:
        kth = np.partition(scores, n - k, axis=1)[:, n - k]
    rows, columns = np.divmod(np.flatnonzero(scores >= kth[:, None]), n)
    if len(rows) > m * k:  # a lower bound, or scores equal to the k-th one
        order = np.lexsort((columns, -scores[rows, columns], rows))
        first = np.searchsorted(rows, np.arange(m))
        found = columns[order[first[:, None] + np.arange(k)]]
        return found, np.take_along_axis(scores, found[:, -1:], axis=1)[:, 0]
    columns = columns.reshape(m, k)
    values = np.take_along_axis(scores, columns, axis=1)
    return np.take_along_axis(columns, np.argsort(-values, axis=1, kind="stable"), axis=1), kth


def label_codes(labels: Sequence[object]) -> np.ndarray:
    """(n,) a number for each label, from 0; -1 for "", which is no label."""
    names, codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    return np.asarray(codes - 1 if len(names) and names[0] == "" else codes)


def chance_agreement(labels: Sequence[object], *, units: np.ndarray | None = None) -> float:
    """``label_agreement`` of neighbours drawn at random among the *other* rows, or units.

    The mean over rows of the share of the rows of other units that have the row's label.
    """
    codes = label_codes(labels)
    unit = units_of(units, len(codes))[codes >= 0]
    codes = codes[codes >= 0]

    def n_alike(names: np.ndarray) -> np.ndarray:
        """(n,) the number of rows that have each row's name."""
        _, row, counts = np.unique(names, return_inverse=True, return_counts=True, axis=0)
        return np.asarray(counts[row.ravel()])

    n_same = n_alike(codes) - n_alike(np.column_stack([codes, unit]))
    return float(np.mean(n_same / (len(codes) - n_alike(unit))))


def label_agreement(
    X: np.ndarray, labels: Sequence[object], *, k: int = 5, units: np.ndarray | None = None
) -> float:
    """Mean share of a row's k nearest neighbours that have its label, in [0, 1].

    For 12 equal topics chance is about 1/12.

    Parameters
    ----------
    X : (n, d) array of float, without a zero row
    labels : sequence of n labels
        Compared as strings. Rows labelled "" have no label, and are left out.
    k : int, >= 1, cut to n - 1
    units : (n,) ids of two units or more, optional
        Rows of one unit, such as the sentences of one text, are no neighbours of each other.
    """
    if len(labels) != len(X):
        raise ValueError(f"{len(labels)} labels for {len(X)} rows")
    need_whole("k", k, at_least=1)
    _, _, is_other, same = _labelled_neighbours(X, labels, k, units)
    return float(same[first_of(is_other, k)].mean())


def _labelled_neighbours(
    X: np.ndarray, labels: Sequence[object], k: int, units: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Units (n,) of the labelled rows; the rows (n, k') nearest to each, k of them of other units.

    Then which of these (n, k') are of other units, and which have the row's label.
    """
    codes = label_codes(labels)
    is_labelled = codes >= 0
    codes = codes[is_labelled]
    unit = units_of(units_of(units, len(X))[is_labelled], len(codes))
    X = np.asarray(X)[is_labelled]
    largest_unit = int(np.bincount(unit).max(initial=1))
    near = nearest_of_all(X, k=k + largest_unit - 1)
    return unit, near, unit[near] != unit[:, None], codes[near] == codes[:, None]


def first_of(counted: np.ndarray, k: int) -> np.ndarray:
    """The first k of each line (n, m) that are counted."""
    return counted & (np.cumsum(counted, axis=1, dtype=np.int32) <= k)


def label_agreement_interval(
    X: np.ndarray,
    labels: Sequence[object],
    *,
    k: int = 5,
    units: np.ndarray | None = None,
    seed: int = 0,
) -> tuple[float, float] | tuple[None, None]:
    """95% interval (low, high) of ``label_agreement``, from subsamples of half the rows.

    Neighbours are found anew within each subsample. A standard error of the rows' shares alone
    would be too narrow, because rows are each other's neighbours. Parameters are as in
    ``label_agreement``; rows of one unit are also drawn together.

    Parameters
    ----------
    X : (n, d) array of float
    labels : sequence of n labels
    k : int, >= 1
    units : (n,) ids, optional
        With fewer than MIN_ROWS units, or rows, there is no interval.
    seed : int, of the subsamples
    """
    if (draws := agreement_draws(X, labels, k=k, units=units, seed=seed)) is None:
        return None, None
    low, high = around(draws.share, draws.reach(draws.shares))
    return max(low, 0.0), min(high, 1.0)


@dataclass(frozen=True)
class AgreementDraws:
    """``label_agreement`` in subsamples of half the units."""

    share: float  # ``label_agreement`` of all rows
    shares: np.ndarray  # (DRAWS,); clouds of the same rows have the same subsamples
    n_units: int  # of all rows

    def reach(self, values: np.ndarray) -> float:
        """Half-width of a 95% interval of values (DRAWS,), such as differences of shares."""
        return subsampling_reach(values, self.n_units // 2, self.n_units)


def agreement_draws(
    X: np.ndarray,
    labels: Sequence[object],
    *,
    k: int = 5,
    units: np.ndarray | None = None,
    seed: int = 0,
) -> AgreementDraws | None:
    """The agreement in each subsample, neighbours found anew; None below MIN_ROWS units."""
    # of 40, fewer than 5 are in a random half once in 10^7
    unit, near, is_other, same = _labelled_neighbours(X, labels, 8 * k, units)
    n_units = int(unit.max(initial=-1)) + 1
    if n_units < MIN_ROWS:
        return None
    shares = []
    for drawn in halves(n_units, seed):
        rows = np.isin(unit, drawn)
        counted = first_of(rows[near[rows]] & is_other[rows], k)
        shares.append(float(same[rows][counted].mean()))
    return AgreementDraws(float(same[first_of(is_other, k)].mean()), np.array(shares), n_units)


def hubness(X: np.ndarray, *, k: int = 10) -> float:
    """Skewness of the k-occurrence: how often a row is among the k nearest of the others.

    It is 0 where all rows are neighbours about equally often. Above 1, a few hubs are neighbours of
    most rows. It grows with the dimension even for isotropic data, so compare it with isotropic
    data of the same n and d. X (n, d), n > k + 1, has no zero row. The nearest rows are by cosine.

    Radovanovic, Nanopoulos, Ivanovic 2010, equation 1 (the skewness of N_k).
    """
    need_whole("k", k, at_least=1)
    X = finite_rows(X, at_least=1)
    U = directions(X)
    need_rows(len(U), k + 2)
    near = closest(U, 2 * k)
    refuse_ties(U, near, k=k, equal=half_digits(X))
    return occurrence_skewness(occurrences(near, k))


def refuse_ties(U: np.ndarray, near: np.ndarray, *, k: int, equal: float) -> None:
    """Raise UndefinedMeasure where rounding decides which k rows are nearest to most rows.

    So it is among copies, and on a simplex. ``near`` has 2k neighbours, or all; ``equal`` is the
    share of 1 - cos that may be rounding.
    """
    kth, later = (np.einsum("nd,nd->n", U, U[near[:, at]]) for at in (k - 1, -1))
    mean = (U @ U.sum(axis=0) - 1) / (len(U) - 1)
    if np.mean(kth - later <= equal * (1 - mean)) > 0.5:
        raise UndefinedMeasure("equal_distances", k=k)


def occurrences(near: np.ndarray, k: int) -> np.ndarray:
    """(n,) how often each row is among the first k of the others; ``near`` (n, m) are rows."""
    return np.bincount(near[:, :k].ravel(), minlength=len(near))


def occurrence_skewness(occurrences: np.ndarray) -> float:
    """Skewness m3 / m2^(3/2) of the k-occurrences (n,)."""
    z = occurrences - occurrences.mean()
    variance = float((z * z).mean())
    if variance == 0:
        raise UndefinedMeasure("no_skewness")
    return float((z**3).mean()) / variance**1.5


def intrinsic_dimension(X: np.ndarray) -> float:
    """TwoNN: the dimension in which the ratio of the two nearest distances fits, above 0.

    With mu = r2/r1, -log(1 - F(mu)) = dimension * log mu: a line through the origin, fitted without
    the largest tenth of the ratios. Only local distances count, so a shift or a cone does not
    change it. It is far below d for real embeddings, and for isotropic data too where d is large
    against log n: compare it with those. X (n, d) has 3 distinct rows or more. Duplicates, which
    may differ by rounding, are dropped first, because their nearest distance is 0.

    Facco et al. 2017, equation 4 and the algorithm after it.
    """
    X = finite_rows(X, at_least=3)
    return twonn(distinct_distances(X)[0], equal=half_digits(X))


def distinct_distances(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (m, 2) of each distinct row to its two nearest, and those rows' numbers (m,)."""
    A, first = distinct_rows(X)
    doubtful = half_digits(X)
    while True:
        if len(A) < 3:
            raise UndefinedMeasure("too_few_distinct", at_least=3, n=len(A))
        near = closest(A, 3)
        distances = np.sqrt(squared_distances(A, A, near))
        same = distances <= largest_rounding(distances, doubtful)
        repeated = (same & (near < np.arange(len(A))[:, None])).any(axis=1)
        if not repeated.any():
            return np.sort(distances, axis=1)[:, :2], first
        A, first = A[~repeated], first[~repeated]


def largest_rounding(distances: np.ndarray, doubtful: float) -> float:
    """The distance at or below which rows of rms length 1 are equal but for rounding; 0 for none.

    A map may have enlarged rounding. A gap shows it: the last gap of a factor GAP above a distance
    below ``doubtful``.
    """
    if distances.min() > doubtful:
        return 0.0
    values = np.sort(distances[distances > 0])
    below = values[:-1][values[:-1] < doubtful]
    gaps = np.flatnonzero(values[1 : len(below) + 1] > GAP * below)
    return float(below[gaps[-1]]) if len(gaps) else 0.0


def distinct_rows(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(distinct rows of X minus their mean, at rms length 1; the first row that each was)."""
    whole = np.ascontiguousarray(X + 0.0)  # -0.0 is 0.0
    first = np.sort(
        np.unique(whole.view(f"V{whole.itemsize * whole.shape[1]}").ravel(), return_index=True)[1]
    )
    A = in_range(whole[first])
    A = A - A.mean(axis=0)
    A = A / (np.abs(A).max() or 1.0)  # 0 for a single row
    return A / (np.sqrt(np.einsum("nd,nd->", A, A) / len(A)) or 1.0), first


def squared_distances(points: np.ndarray, A: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Squared distances (m, k), in float64, of points (m, d) to the rows near (m, k) of A."""
    found = np.empty(near.shape)
    block = max(1, GAPS // max(1, near.shape[1] * A.shape[1]))
    for rows in slices(len(points), block):
        gaps = A[near[rows]] - points[rows, None, :].astype(np.float64)  # (m, k, d)
        found[rows] = np.einsum("mkd,mkd->mk", gaps, gaps)
    return found


def twonn(distances: np.ndarray, *, equal: float) -> float:
    """``intrinsic_dimension`` from distances (n, 2), of which a share ``equal`` may be rounding."""
    apart = distances[distances[:, 0] > 0]
    n = len(apart)
    fitted = min(max(1, int(n * (1 - DISCARDED))), n - 1)
    x = np.sort(np.log(apart[:, 1] / apart[:, 0]))[:fitted]
    y = -np.log1p(-np.arange(1, fitted + 1) / n)  # F at the i-th smallest is i / n
    if not len(x) or x[-1] <= equal:
        raise UndefinedMeasure("two_equally_far")
    return float(x @ y) / float(x @ x)
