"""Similarities of pairs before and after a treatment, and their score by the rows in its fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..linalg.moments import Moments
from .bootstrap import PairBootstrap
from .fit_size import fit_sizes
from .fitting import FitSet
from .grid import evaluate_grid
from .scores import PairScore
from .similarities import pair_similarities
from .specs import parse_treatment

SIZES = 9
KEPT = 128  # directions that the middle way keeps where the fit has as many
WAYS = ("pca", f"pca:{KEPT}", "pca:lw")


def treated_similarities(
    X: np.ndarray,
    fit_vectors: np.ndarray | Moments,
    treatment: str,
    *,
    similarity: str = "cosine",
) -> np.ndarray:
    """Similarities (n,) float64 of the pairs in X (2n, d), left sentences then right, once treated.

    fit_vectors (m, d), m >= 2, or their moments : what the treatment is fitted on, and Mahalanobis
    distances, too.   treatment : a text for ``parse_treatment``.   similarity : as in
    ``pair_similarities``. Raises UndefinedMeasure where a treated row has none.
    """
    fit_set = FitSet(fit_vectors, eps=float(np.finfo(X.dtype).eps))
    fitted = fit_set.fit(parse_treatment(treatment))
    precision = fit_set.precision_after(fitted) if similarity == "mahalanobis" else None
    Z = fitted.apply(X.astype(np.float64)).kept
    return pair_similarities(
        Z[: len(Z) // 2], Z[len(Z) // 2 :], similarity=similarity, precision=precision
    )


@dataclass(frozen=True)
class SizedScore:
    """Scores of the same pairs by treatments fitted on ``n`` rows, by the treatment's text.

    kept : directions that a treatment which asks for k of them kept; the fit's rank is the limit.
    """

    n: int
    scores: dict[str, PairScore]
    kept: dict[str, int] = field(default_factory=dict)


def scores_by_fit_size(
    X: np.ndarray,
    fit_vectors: np.ndarray,
    bootstrap: PairBootstrap,
    *,
    ways: Sequence[str] = WAYS,
    similarity: str = "cosine",
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[SizedScore, ...]:
    """Score the pairs X (2n, d) whitened by maps fitted on more and more of fit_vectors (m, d).

    The order in which rows join the fit is drawn once, seeded: a larger fit holds the smaller
    ones' rows. All scores share the bootstrap's resamples; "none" is scored too, the same at every
    size. progress : called with (sizes done, sizes).
    """
    order = np.random.default_rng(random_state).permutation(len(fit_vectors))
    sizes = fit_sizes(len(fit_vectors), X.shape[1], count=SIZES, past_d=False)
    found = []
    for done, n in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes))
        rows = fit_vectors[np.sort(order[:n])]
        grid = evaluate_grid(
            {"these": X[np.newaxis]},
            bootstrap.gold_scores,
            treatments=("none", *ways),
            fit_vectors={"these": rows[np.newaxis]},
            fit_on=f"{n} rows",
            similarity=similarity,
            bootstrap=bootstrap,
        )
        scores = {cell.treatment: cell.score for cell in grid.cells}
        kept = {cell.treatment: cell.n_kept for cell in grid.cells if cell.n_kept is not None}
        found.append(SizedScore(n, scores, kept))
    return tuple(found)
