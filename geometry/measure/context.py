"""How much tokens depend on their context: similarity of a type's tokens, and of a sentence's.

Vectors are those of contextual tokens, word pieces included; the caller leaves out special tokens.
Each measure is less its anisotropy baseline, the value for tokens that share only the space.
Ethayarajh 2019, sections 3 and 4.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from ..linalg.rows import (
    UndefinedMeasure,
    directions,
    finite_rows,
    in_range,
    need_rows,
    refuse_missing,
)
from .cosines import mean_cosine_of_sum
from .intervals import MIN_ROWS, NORMAL, around

SHUFFLES = 5


def self_similarity(vectors: np.ndarray, types: np.ndarray) -> float:
    """Mean cosine between occurrences of one type, over types, minus the baseline; in [-2, 2].

    Each type has equal weight; one that occurs once has no pair and is left out. Baseline: the mean
    cosine over all pairs of tokens, from exact sums without an n x n matrix. At a value near 0, two
    tokens of one type are no more similar than any two tokens. ``vectors`` (n, d) have no zero row;
    ``types`` (n,) are ids or words.

    Ethayarajh 2019, equation 1 and section 3.4.
    """
    return Tokens(vectors).self_similarity(types).difference


def intra_sentence_similarity(vectors: np.ndarray, sentences: np.ndarray) -> float:
    """Mean cosine of tokens to their sentence's mean vector, over sentences, minus the baseline.

    Baseline: the mean cosine over all pairs of tokens, as published. It does not correct for each
    token's weight 1/m in a mean of m tokens. Isotropic tokens have a cosine of about 1/sqrt(m) to
    that mean: the second baseline (``intra_sentence_baseline``). Sentences of one token, whose
    cosine to itself is 1, are left out. ``vectors`` (n, d) have no zero row; ``sentences`` (n,) are
    ids.

    Ethayarajh 2019, equation 2 and section 3.4.
    """
    return Tokens(vectors).intra_sentence(sentences).difference


def max_explainable_variance(vectors: np.ndarray, types: np.ndarray, *, seed: int = 0) -> float:
    """Share sigma_1^2 / sum sigma^2 of a type's occurrences, over types, minus the baseline.

    It shows how well one static vector could replace a type: sigma are the singular values of its
    occurrences, not centred. Baseline: the same with the types assigned to the tokens at random
    (SHUFFLES seeded permutations). The paper's baseline is another one: the share of one large
    random sample of tokens. So this value is not the paper's. Equal counts matter, because two
    occurrences alone have a share of at least 1/2, also where types mean nothing.

    Parameters
    ----------
    vectors : (n, d) array of float, without a zero row
    types : (n,) ids or words; types that occur once are left out
    seed : int, of the permutations

    Ethayarajh 2019, equation 3 and section 3.4.
    """
    return Tokens(vectors).max_explainable(types, seed).difference


def intra_sentence_baseline(sentences: np.ndarray) -> float:
    """``intra_sentence_similarity`` of isotropic tokens: the mean of 1/sqrt(m) over sentences.

    m is the number of a sentence's tokens, 2 or more. x_i and the sum of m independent rows have
    the correlation 1/sqrt(m); in many dimensions that is also their cosine.
    """
    groups = _Groups(sentences, len(np.asarray(sentences).ravel()), "sentence")
    return float(np.mean(groups.counts**-0.5))


@dataclass(frozen=True, eq=False)
class Contextual:
    """A measure of tokens, and its anisotropy baseline."""

    value: float
    baseline: float
    n_terms: int  # types or sentences whose mean the value is
    influence: np.ndarray  # (n,) how far each token moves value - baseline, to first order

    @property
    def difference(self) -> float:
        """value - baseline, as published."""
        return self.value - self.baseline

    def interval(
        self, sentences: np.ndarray, types: np.ndarray | None = None
    ) -> tuple[float, float] | tuple[None, None]:
        """95% interval of the difference; None below MIN_ROWS terms or sentences.

        A mean over types needs ``types``: types and sentences are then both samples. The variance
        is that of sums over types plus that of sums over sentences, less that of single tokens:
        two-way clustering (Cameron, Gelbach & Miller 2011, "Robust Inference with Multiway
        Clustering", section 2).
        """
        if min(self.n_terms, len(np.unique(sentences))) < MIN_ROWS:
            return None, None

        def variance_over(ids: np.ndarray) -> float:
            places = np.unique(ids, return_inverse=True)[1]
            return float((np.bincount(places, self.influence) ** 2).sum())

        variance = variance_over(sentences)
        if types is not None:
            both = variance_over(types) + variance - float(self.influence @ self.influence)
            variance = max(both, variance_over(types), variance)
        return around(self.difference, NORMAL * variance**0.5)


class Tokens:
    """Checked vectors of tokens (n, d), n >= 2 and no zero row, and their directions."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._X = in_range(finite_rows(vectors, at_least=1))

    @cached_property
    def _unit(self) -> np.ndarray:
        need_rows(len(self._X), 2)
        return directions(self._X)

    @cached_property
    def _every(self) -> tuple[float, np.ndarray]:
        """The mean cosine over all pairs, and each token's influence (n,) on it."""
        U = self._unit
        n = len(U)
        total = U.sum(axis=0)
        value = mean_cosine_of_sum(total, n)
        return value, 2 * ((U @ total - 1) / (n - 1) - value) / n

    def self_similarity(self, types: np.ndarray) -> Contextual:
        U = self._unit
        groups = _Groups(types, len(U), "type")
        m = groups.counts
        baseline, shared = self._every
        sums = groups.sums(U)
        terms = (np.einsum("gd,gd->g", sums, sums) - m) / (m * (m - 1))
        value = float(terms.mean())
        # a token's mean cosine to the others of its type, (n,)
        own = (np.einsum("nd,nd->n", U, groups.at_rows(sums)) - 1) / groups.at_rows(m - 1, 1)
        influence = 2 * (own - groups.at_rows(terms)) + groups.at_rows(terms - value)
        influence /= groups.at_rows(m * len(m), np.inf)  # 0 for a type that occurs once
        return Contextual(value, baseline, len(m), influence - shared)

    def intra_sentence(self, sentences: np.ndarray) -> Contextual:
        U = self._unit
        groups = _Groups(sentences, len(U), "sentence")
        m = groups.counts
        baseline, shared = self._every
        sums = groups.sums(self._X)  # (g, d), which point where the means do
        if not sums.any(axis=1).all():
            raise UndefinedMeasure("zero_sentence")
        means = directions(sums)
        value = float((np.einsum("gd,gd->g", groups.sums(U), means) / m).mean())
        influence = np.einsum("nd,nd->n", U, groups.at_rows(means)) - value
        influence /= groups.at_rows(m * len(m), np.inf)
        return Contextual(value, baseline, len(m), influence - shared)

    def max_explainable(self, types: np.ndarray, seed: int) -> Contextual:
        n = len(self._unit)  # raises for a zero row, as the other measures do
        groups = _Groups(types, n, "type")
        m = groups.counts
        rng = np.random.default_rng(seed)
        at_random = np.mean(
            [groups.largest_shares(self._X, rng.permutation(n)) for _ in range(SHUFFLES)], axis=0
        )
        terms = groups.largest_shares(self._X, np.arange(n))
        value, baseline = float(terms.mean()), float(at_random.mean())
        # the baseline of a type is that of as many tokens
        place = np.unique(m, return_inverse=True)[1]
        alike = (np.bincount(place, at_random) / np.bincount(place))[place]
        gap = (terms - alike - (value - baseline)) / (m * len(m))
        return Contextual(value, baseline, len(m), groups.at_rows(gap))


class _Groups:
    """Rows grouped by id; ids that occur once are left out. counts (g,) : rows of each id."""

    def __init__(self, ids: np.ndarray, n: int, what: str) -> None:
        ids = np.asarray(ids)
        if ids.shape != (n,):
            raise ValueError(f"expected one {what} for each of the {n} rows; got shape {ids.shape}")
        refuse_missing(ids, what)
        _, code, counts = np.unique(ids, return_inverse=True, return_counts=True)
        order = np.argsort(code, kind="stable")
        self._order = order[counts[code[order]] > 1]
        self.counts = counts[counts > 1]
        self._n = n
        if len(self.counts) == 0:
            raise UndefinedMeasure("no_repeats", what=what)
        self._starts = np.concatenate([[0], np.cumsum(self.counts)])

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Sums of the rows of each id, (g, d), a tenth of the time of ``np.add.reduceat``."""
        ones = np.ones(len(self._order))
        chosen = csr_array((ones, self._order, self._starts), shape=(len(self.counts), len(X)))
        return np.asarray(chosen @ X)

    def at_rows(self, values: np.ndarray, otherwise: float = 0.0) -> np.ndarray:
        """The value (g, ...) of each row's id, (n, ...); ``otherwise`` for an id with one row."""
        found = np.full((self._n, *values.shape[1:]), otherwise, dtype=np.float64)
        found[self._order] = np.repeat(values, self.counts, axis=0)
        return found

    def largest_shares(self, X: np.ndarray, replacement: np.ndarray) -> np.ndarray:
        """sigma_1^2 / sum sigma^2 of the rows of each id, (g,), a replacement (n,) of the rows."""
        order = replacement[self._order]
        shares = np.empty(len(self.counts))
        for m in np.unique(self.counts):
            here = np.flatnonzero(self.counts == m)
            step = max(1, 2_000_000 // (int(m) * X.shape[1]))
            for some in np.split(here, range(step, len(here), step)):
                A = X[order[self._starts[some, None] + np.arange(m)]]  # (s, m, d)
                A /= np.abs(A).max(axis=(1, 2), keepdims=True)  # short rows must not underflow
                T = A.transpose(0, 2, 1)
                gram = A @ T if m <= X.shape[1] else T @ A
                shares[some] = np.linalg.eigvalsh(gram)[:, -1] / np.trace(gram, axis1=1, axis2=2)
        return shares
