"""How contextual tokens are: alike in all contexts, alike within a sentence, or neither.

Vectors are of contextual tokens: special tokens dropped by the caller, word pieces kept. Each
measure is compared with its anisotropy baseline, what tokens share that have nothing in common but
the space: in a narrow cone everything is similar to everything.
Ethayarajh 2019, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..rows import UndefinedMeasure, directions, finite_rows
from .cosines import mean_cosine_of_sum
from .measured import Measured
from .resample import MIN_ROWS, jackknife_interval

SHUFFLES = 5


def self_similarity(vectors: np.ndarray, types: np.ndarray) -> float:
    """Mean cosine between occurrences of one type, over types, less the baseline; in [-2, 2].

    vectors : (n, d), no zero row.   types : (n,) ids or words; a type counts once however often
    it occurs, and those that occur once have no pair and are left out.
    Baseline: the mean cosine over all pairs of tokens. Exact sums, no n x n matrix. Near 0, a
    type's contexts share no more than any two tokens do.
    Ethayarajh 2019, equation 1 and section 3.4.
    """
    parts = _self_similarity(vectors, types)
    return parts.value - parts.baseline


def intra_sentence_similarity(vectors: np.ndarray, sentences: np.ndarray) -> float:
    """Mean cosine of tokens to their sentence's mean vector, over sentences, less the baseline.

    vectors : (n, d), no zero row.   sentences : (n,) ids; those of one token, whose cosine to
    itself is 1, are left out.   Baseline: the mean cosine over all pairs of tokens, as published.
    It does not take away that a mean of m tokens holds each with weight 1/m: m isotropic tokens
    have a cosine of about 1/sqrt(m) to it.
    Ethayarajh 2019, equation 2 and section 3.4.
    """
    parts = _intra_sentence(vectors, sentences)
    return parts.value - parts.baseline


def max_explainable_variance(vectors: np.ndarray, types: np.ndarray, *, seed: int = 0) -> float:
    """Share sigma_1^2 / sum sigma^2 of a type's occurrences, over types, less the baseline.

    vectors : (n, d).   types : (n,); those that occur once are left out.   How well one static
    vector could stand for a type: sigma are the singular values of its occurrences, not centred.
    Baseline: the same with the types dealt to the tokens at random (SHUFFLES seeded deals). The
    paper takes one large random sample instead; equal counts matter, because two occurrences
    alone have a share of at least 1/2.
    Ethayarajh 2019, equation 3 and section 3.4.
    """
    parts = _max_explainable(vectors, types, seed)
    return parts.value - parts.baseline


def contextual_table(
    vectors: np.ndarray, types: np.ndarray, sentences: np.ndarray, *, seed: int = 0
) -> tuple[Measured, ...]:
    """The three measures of this module; the published figure is ``value - baseline``.

    vectors (n, d), types (n,), sentences (n,) : as above.   The interval is the value's, from
    leaving out groups of types or of sentences, with the baseline as it is.
    """
    X = finite_rows(vectors, at_least=1)
    n, d = X.shape
    measures: dict[str, Callable[[], _Contextual]] = {
        "self_similarity": lambda: _self_similarity(X, types),
        "intra_sentence_similarity": lambda: _intra_sentence(X, sentences),
        "max_explainable_variance": lambda: _max_explainable(X, types, seed),
    }
    rows = []
    for name, of in measures.items():
        try:
            rows.append(_measured(name, of(), n, d, seed))
        except UndefinedMeasure as error:
            rows.append(Measured(name, None, None, None, None, n, d, error.code))
    return tuple(rows)


@dataclass(frozen=True)
class _Contextual:
    """A mean over types or sentences, not yet less its baseline; terms (g,) are its summands."""

    value: float
    baseline: float
    terms: np.ndarray


def _measured(name: str, parts: _Contextual, n: int, d: int, seed: int) -> Measured:
    low = high = None
    if len(parts.terms) >= MIN_ROWS:
        low, high = jackknife_interval(lambda terms: float(terms.mean()), parts.terms, seed=seed)
        low, high = max(low, -1.0), min(high, 1.0)
    return Measured(name, parts.value, low, high, parts.baseline, n, d)


def _self_similarity(vectors: np.ndarray, types: np.ndarray) -> _Contextual:
    U = directions(finite_rows(vectors, at_least=2))
    groups = _Groups(types, len(U), "type")
    sums, m = groups.sums(U), groups.counts
    terms = (np.einsum("gd,gd->g", sums, sums) - m) / (m * (m - 1))
    return _mean(terms, mean_cosine_of_sum(U.sum(axis=0), len(U)))


def _intra_sentence(vectors: np.ndarray, sentences: np.ndarray) -> _Contextual:
    X = finite_rows(vectors, at_least=2)
    U = directions(X)
    groups = _Groups(sentences, len(X), "sentence")
    means = groups.sums(X) / groups.counts[:, None]  # (g, d)
    lengths = np.linalg.norm(means, axis=1)
    if not lengths.all():
        raise UndefinedMeasure("zero_row", "a sentence's mean vector is zero and has no direction")
    terms = np.einsum("gd,gd->g", groups.sums(U), means / lengths[:, None]) / groups.counts
    return _mean(terms, mean_cosine_of_sum(U.sum(axis=0), len(U)))


def _max_explainable(vectors: np.ndarray, types: np.ndarray, seed: int) -> _Contextual:
    X = finite_rows(vectors, at_least=2)
    directions(X)  # refuses a zero row, as the others do
    groups = _Groups(types, len(X), "type")
    rng = np.random.default_rng(seed)
    dealt = [
        float(groups.largest_shares(X[rng.permutation(len(X))]).mean()) for _ in range(SHUFFLES)
    ]
    return _mean(groups.largest_shares(X), float(np.mean(dealt)))


def _mean(terms: np.ndarray, baseline: float) -> _Contextual:
    return _Contextual(float(terms.mean()), baseline, terms)


class _Groups:
    """Rows of one id together; ids that occur once are left out. counts (g,)."""

    def __init__(self, ids: np.ndarray, n: int, what: str) -> None:
        ids = np.asarray(ids)
        if ids.shape != (n,):
            raise ValueError(f"expected one {what} for each of the {n} rows; got shape {ids.shape}")
        _, code, counts = np.unique(ids, return_inverse=True, return_counts=True)
        order = np.argsort(code, kind="stable")
        self._order = order[counts[code[order]] > 1]
        self.counts = counts[counts > 1]
        if len(self.counts) == 0:
            raise UndefinedMeasure(
                "no_repeats", f"each {what} occurs once: there is nothing to compare within it"
            )
        self._starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Sums of the rows of each id, (g, d)."""
        return np.add.reduceat(X[self._order], self._starts, axis=0)

    def largest_shares(self, X: np.ndarray) -> np.ndarray:
        """sigma_1^2 / sum sigma^2 of the rows of each id, (g,); ids of one count at a time."""
        shares = np.empty(len(self.counts))
        for m in np.unique(self.counts):
            here = np.flatnonzero(self.counts == m)
            step = max(1, 2_000_000 // (int(m) * X.shape[1]))
            for some in np.split(here, range(step, len(here), step)):
                rows = self._order[self._starts[some, None] + np.arange(m)]  # (s, m)
                A = X[rows]  # (s, m, d)
                T = A.transpose(0, 2, 1)
                gram = A @ T if m <= X.shape[1] else T @ A
                shares[some] = np.linalg.eigvalsh(gram)[:, -1] / np.trace(gram, axis1=1, axis2=2)
        return shares
