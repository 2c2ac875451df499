"""How many rows a whitening needs: measured on held-out rows, and by the score of scored pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..linalg.rows import float_rows
from ..measure import isoscore, isoscore_baseline
from ..process import Progress, no_report
from ..transform.whitening_map import WhiteningMap
from .bootstrap import LEAST_PAIRS, PairBootstrap, PairScore, checked_gold
from .grid import evaluate_grid

FEWEST = 10  # rows of the smallest fit
LEAST_HALF = 4  # rows in the fit, and rows held out
LEAST_ROWS = 2 * LEAST_HALF
ESTIMATES = ("full", "ledoit-wolf")  # estimates of the covariance
SIZES = 9  # number of fits for scored pairs
RETAINED = 128  # directions of the second whitening, or the rank of the fit where that is less
WHITENINGS = ("pca", f"pca:{RETAINED}", "pca:lw")


def fit_sizes(available: int, d: int, *, count: int = 12, past_d: bool = True) -> tuple[int, ...]:
    """Sizes of a fit set from FEWEST up to all rows, spaced by ratio; n = d is one of them."""
    if available <= FEWEST:
        return (available,)
    sizes = np.geomspace(FEWEST, available, count).round().astype(int).tolist()
    about_d = (d, d + d // 8) if past_d else (d,)
    return tuple(sorted({*sizes, *(n for n in about_d if 2 <= n <= available)}))


def split_halves(
    n: int, groups: np.ndarray | None = None, *, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of two halves of n rows; rows of one group stay in one half.

    A sentence whose tokens lie in both halves would make held-out rows look fitted.
    """
    rng = np.random.default_rng(random_state)
    if groups is None:
        order = rng.permutation(n)
        return order[: (n + 1) // 2], order[(n + 1) // 2 :]
    if np.shape(groups) != (n,):
        raise ValueError(f"groups must be one for each row, ({n},); got shape {np.shape(groups)}")
    names, group = np.unique(groups, return_inverse=True)  # (n,)
    drawn = rng.permutation(len(names))
    rows_before = np.cumsum([0, *np.bincount(group)[drawn]])
    first = drawn[: int(np.argmin(np.abs(rows_before - n / 2)))]
    order = rng.permutation(n)
    is_first = np.isin(group[order], first)
    return order[is_first], order[~is_first]


def halves(gold_scores: np.ndarray, *, random_state: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Sorted row numbers (dev, test) of two random halves of pairs."""
    gold = np.asarray(gold_scores)
    order = np.random.default_rng(random_state).permutation(len(gold))
    dev, test = map(np.sort, np.split(order, [len(gold) // 2]))
    try:
        for half in (dev, test):
            checked_gold(gold[half])
    except ValueError as reason:
        raise ValueError(
            f"{len(gold)} pairs can't be cut into halves of at least {LEAST_PAIRS} with scores "
            "that are not all the same; choose on other pairs"
        ) from reason
    return dev, test


@dataclass(frozen=True)
class SizedFit:
    """Isotropy of held-out rows after a whitening fitted on other rows."""

    n: int  # rows of the fit
    held_out: int  # rows held out
    isoscore: dict[str, float]  # of the held-out rows, by covariance: "full", "ledoit-wolf"
    raw: float  # of the held-out rows, not whitened
    baseline: float  # of as many isotropic rows


def whitening_by_size(
    X: np.ndarray,
    *,
    groups: np.ndarray | None = None,
    sizes: Sequence[int] | None = None,
    random_state: int = 0,
    progress: Progress = no_report,
) -> tuple[SizedFit, ...]:
    """Whiten one half of the rows by maps fitted on the first n rows of the other, for each n."""
    X = float_rows(X, at_least=LEAST_ROWS)
    halves = split_halves(len(X), groups, random_state=random_state)
    if min(map(len, halves)) < LEAST_HALF:
        raise ValueError(
            f"needs at least {LEAST_HALF} rows in each half; cut between groups, the halves have "
            f"{len(halves[0])} and {len(halves[1])}. Give more groups"
        )
    fitted, held_out = (X[rows] for rows in halves)
    sizes = fit_sizes(len(fitted), X.shape[1]) if sizes is None else sizes
    raw, baseline = isoscore(held_out), isoscore_baseline(*held_out.shape)
    fits: list[SizedFit] = []
    for n in sizes:
        progress(len(fits), len(sizes))
        full = WhiteningMap.of(fitted[:n], method="zca")
        maps = dict(zip(ESTIMATES, (full, full.adjust(shrinkage="ledoit-wolf")), strict=True))
        scores = {name: isoscore(each.apply(held_out)) for name, each in maps.items()}
        fits.append(SizedFit(n, len(held_out), scores, raw, baseline))
    progress(len(fits), len(sizes))
    return tuple(fits)


@dataclass(frozen=True)
class SizedScore:
    """Scores of the same pairs after treatments fitted on one number of rows."""

    n: int  # rows of the fit
    scores: dict[str, PairScore]  # by the treatment's text
    n_directions: dict[str, int] = field(default_factory=dict)  # of each treatment with a k


def scores_by_fit_size(
    X: np.ndarray,
    fit_vectors: np.ndarray,
    bootstrap: PairBootstrap,
    *,
    treatments: Sequence[str] = WHITENINGS,
    similarity: str = "cosine",
    random_state: int = 0,
    progress: Progress | None = None,
) -> tuple[SizedScore, ...]:
    """Score pairs after treatments fitted on more and more rows of a fit set.

    The order in which rows join the fit is drawn once, so a larger fit contains the rows of every
    smaller one. All scores share the resamples of the bootstrap. "none" is scored at every size,
    with the same result.

    Parameters
    ----------
    X : (2n, d) array of float, the left sentences of n pairs, then the right ones
    fit_vectors : (m, d) array of float
    bootstrap : PairBootstrap, resamples with the gold scores of the pairs
    treatments : sequence of str, texts for ``parse_treatment``
    similarity : str, as in ``pair_similarities``
    random_state : int, of the draw
    progress : callable, optional
        Called with (sizes done, sizes). An exception raised in it ends the work.
    """
    order = np.random.default_rng(random_state).permutation(len(fit_vectors))
    sizes = fit_sizes(len(fit_vectors), X.shape[1], count=SIZES, past_d=False)
    sized = []
    for done, n in enumerate(sizes):
        (progress or no_report)(done, len(sizes))
        rows = fit_vectors[np.sort(order[:n])]
        grid = evaluate_grid(
            {"these": X[np.newaxis]},
            bootstrap.gold_scores,
            treatments=("none", *treatments),
            fit_vectors={"these": rows[np.newaxis]},
            fit_on=f"{n} rows",
            similarity=similarity,
            bootstrap=bootstrap,
        )
        scores = {cell.treatment: cell.score for cell in grid.cells}
        directions = ((cell.treatment, cell.n_directions) for cell in grid.cells)
        n_directions = {text: k for text, k in directions if k is not None}
        sized.append(SizedScore(n, scores, n_directions))
    return tuple(sized)
