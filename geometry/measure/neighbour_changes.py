"""What a treatment does to neighbours: how many stay, which rows are hubs, before and after.

Neighbours of two rows depend on each other. So the 95% intervals are from subsamples of half the
rows. Hubness has none (``intervals``), but ``hubness_reach`` and a control by random shifts.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data.frames import Framed
from ..linalg.rows import finite_rows, half_digits, need_rows, need_whole, unit_rows
from ..process import no_report
from .intervals import MIN_ROWS, Estimate, around, halves, subsampling_reach, units_of
from .neighbours import first_of, label_codes, occurrence_skewness, occurrences, refuse_ties
from .search import THREADS, Nearest, Search


@dataclass(frozen=True)
class NeighbourSide:
    """The neighbours of one of the two clouds."""

    nearest: Nearest  #: the k nearest of each of the n rows
    occurrences: np.ndarray  #: (n,) how often each row is among the k nearest of the others
    hubness: float  #: skewness of the occurrences
    agreement: Estimate | None  #: share of neighbours with the same label; None without labels

    def hubs(self, most: int = 10) -> np.ndarray:
        """The rows that are neighbours of the most others, the largest hub first."""
        return np.argsort(-self.occurrences, kind="stable")[:most]


@dataclass(frozen=True)
class NeighbourChanges(Framed):
    """Neighbours before and after a treatment."""

    k: int
    before: NeighbourSide
    after: NeighbourSide
    #: (n,) for each row: neighbours in both lists over neighbours in at least one
    jaccards: np.ndarray
    jaccard: Estimate  #: their mean
    agreement: Estimate | None  #: after minus before; None without labels
    #: 1.96 standard deviations of the change of hubness over random halves, neighbours found anew:
    #: a smaller change is noise. It estimates that of other rows under the same treatment. It is
    #: 1.3 times that without hubs, and down to 0.7 with strong ones. None where no interval is.
    hubness_reach: float | None = None
    #: the hubness of the same rows after each shift of ``moved_at_random``
    controls: tuple[float, ...] = ()

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.jaccards)

    def _records(self) -> list[dict[str, Any]]:
        found = {
            "overlap": self.jaccard,
            "hubness before": Estimate(self.before.hubness, None, None),
            "hubness after": Estimate(self.after.hubness, None, None),
            "label agreement before": self.before.agreement,
            "label agreement after": self.after.agreement,
            "label agreement, change": self.agreement,
        }
        return [
            {"measure": name, "k": self.k, **asdict(each)}
            for name, each in found.items()
            if each is not None
        ]


def moved_at_random(X: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """The rows (n, d) float64 minus a vector as long as their mean, in a random direction.

    It is the control of centring: a shift of the same length that does not end at the mean.
    """
    X = finite_rows(X, at_least=1)
    direction = np.random.default_rng(seed).standard_normal(X.shape[1])
    length = np.linalg.norm(X.mean(axis=0))
    return np.asarray(X - length * direction / np.linalg.norm(direction))


def jaccard_overlap(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Jaccard overlap (m,) of two lists of neighbours (m, k), without repeats in a list.

    Entries below 0 are no neighbours.
    """
    both = np.sort(np.hstack([before, after]), axis=1)
    shared = ((both[:, 1:] == both[:, :-1]) & (both[:, 1:] >= 0)).sum(axis=1)
    either = (before >= 0).sum(axis=1) + (after >= 0).sum(axis=1) - shared
    return np.asarray(shared / np.maximum(either, 1), dtype=np.float64)


def neighbour_changes(
    before: np.ndarray,
    after: np.ndarray,
    *,
    k: int = 10,
    labels: Sequence[object] | None = None,
    units: np.ndarray | None = None,
    controls: int = 0,
    seed: int = 0,
    threads: int = THREADS,
    progress: Callable[[int, int], None] | None = None,
) -> NeighbourChanges:
    """Exact neighbours of every row of both clouds, and how they differ.

    Raises UndefinedMeasure for a zero row, too few rows, and where rounding decides which rows are
    nearest.

    Parameters
    ----------
    before : (n, d) array of float, n > k + 1
        Such as raw vectors. No zero row.
    after : (n, e) array of float
        The same rows, such as whitened. No zero row.
    k : int, >= 1, neighbours by cosine. Over a quarter of the (labelled) rows: no interval.
    labels : sequence of n labels, optional
        Two different ones at least. Rows labelled "" are left out of the agreement, which is None
        if no label repeats.
    units : (n,) ids, optional
        Rows of one unit, such as the tokens of one sentence, are drawn together.
    controls : int, shifts of ``moved_at_random`` with which the hubness is compared
    seed : int
        Seed of the subsamples, and of the first shift. Below MIN_ROWS units there is no interval.
    threads : int, products at a time
    progress : callable, optional, called with (blocks done, blocks in all)
    """
    need_whole("k", k, at_least=1)
    n = len(before)
    need_rows(n, k + 2)
    if n != len(after):
        raise ValueError(f"{n} rows before and {len(after)} after; they are the same")
    if labels is not None and len(labels) != n:
        raise ValueError(f"{len(labels)} labels for {n} rows")
    spare = 3 * k + 30  # in a random half, fewer than k of them are drawn once in 10^7
    report_all = progress or no_report

    def nearest(X: np.ndarray, place: int, more: int) -> Nearest:
        def report(done: int, total: int) -> None:
            report_all(place * total + done, (2 + controls) * total)

        near = Search(X).nearest_of_all(more, threads=threads, progress=report)
        refuse_ties(unit_rows(X), near.rows[:, : 2 * k], k=k, equal=half_digits(X))
        return near

    def shifted(number: int) -> float:
        moved = moved_at_random(before, seed=seed + number).astype(before.dtype)
        return occurrence_skewness(occurrences(nearest(moved, 2 + number, 2 * k).rows, k))

    both = nearest(before, 0, spare), nearest(after, 1, spare)
    shifts = tuple(map(shifted, range(controls)))
    codes = label_codes([] if labels is None else labels)
    labelled = np.flatnonzero(codes >= 0)
    if len({*codes[labelled]}) == len(labelled):
        labelled = labelled[:0]  # no row could find its label
    codes = codes[labelled]
    of_labels: Sequence[Nearest] = both
    if 0 < len(labelled) < n:  # rows without a label are nobody's neighbours
        clouds = (Search(X[labelled]) for X in (before, after))
        of_labels = [each.nearest_of_all(spare, threads=threads) for each in clouds]

    def values(inside: np.ndarray) -> list[float]:
        """Of the rows ``inside`` (n,): Jaccard, hubness' change, agreement twice, its change."""
        lists = [_lists_within(near, k, inside) for near in both]
        hubs = [_hubness(near, inside) for near in lists]
        shares = [_agreement(near, k, codes, inside[labelled]) for near in of_labels if len(codes)]
        overlap = float(jaccard_overlap(*lists).mean())
        return [overlap, hubs[1] - hubs[0], *shares, *np.diff(shares)]

    whole = values(np.ones(n, dtype=bool))
    unit = units_of(units, n)
    n_units = int(unit.max()) + 1
    reaches = [np.nan] * len(whole)
    if n_units >= MIN_ROWS and 4 * k <= n:  # else most rows of a half are neighbours
        draws = np.array([values(np.isin(unit, each)) for each in halves(n_units, seed)])
        reaches = [subsampling_reach(each, n_units // 2, n_units) for each in draws.T]
    if len({*unit[labelled]}) < MIN_ROWS or 4 * k > len(labelled):
        reaches[2:] = [np.nan] * len(reaches[2:])
    estimates = [
        Estimate(value, *((None, None) if np.isnan(reach) else around(value, reach)))
        for value, reach in zip(whole, reaches, strict=True)
    ]
    shares = [*estimates[2:], None, None, None]
    sides = []
    for near, share in zip(both, shares, strict=False):
        times = occurrences(near.rows, k)
        sides.append(NeighbourSide(near.first(k), times, occurrence_skewness(times), share))
    jaccards = jaccard_overlap(*(near.rows[:, :k] for near in both))
    reach = None if np.isnan(reaches[1]) else reaches[1]
    return NeighbourChanges(k, sides[0], sides[1], jaccards, estimates[0], shares[2], reach, shifts)


def _hubness(lists: np.ndarray, inside: np.ndarray) -> float:
    """Skewness of how often each row ``inside`` (n,) is in these lists; NaN if all are alike."""
    times = np.bincount(lists[lists >= 0], minlength=len(inside))[inside]
    return occurrence_skewness(times) if np.ptp(times) else np.nan


def _agreement(near: Nearest, k: int, codes: np.ndarray, inside: np.ndarray) -> float:
    """Share of the k nearest rows ``inside`` (n,) of each of these rows that have its code."""
    lists = _lists_within(near, k, inside)
    same = (codes[lists] == codes[inside][:, None])[lists >= 0]
    return float(same.mean()) if same.size else np.nan


def _lists_within(near: Nearest, k: int, inside: np.ndarray) -> np.ndarray:
    """(m, k) the nearest rows ``inside`` (n,) of each of these rows; -1 is none."""
    rows = near.rows[inside]
    counted = first_of(inside[rows], k)
    found = np.full((len(rows), k), -1, dtype=np.int64)
    found[np.arange(k) < counted.sum(axis=1)[:, None]] = rows[counted]
    return found
