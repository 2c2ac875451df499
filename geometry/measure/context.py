"""How much tokens depend on their context: similarity of a type's tokens, and of a sentence's.

Vectors are those of contextual tokens; the caller leaves out special tokens and includes word
pieces. Each measure is compared with its anisotropy baseline, the value for tokens that have only
the space in common: in a narrow cone all tokens are similar to each other.
Ethayarajh 2019, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from .intervals import MIN_ROWS, jackknife_interval
from .table import Measured

SHUFFLES = 5


def self_similarity(vectors: np.ndarray, types: np.ndarray) -> float:
    """Mean cosine between occurrences of one type, over types, minus the baseline; in [-2, 2].

    Each type has equal weight. Baseline: the mean cosine over all pairs of tokens, from exact sums
    without an n x n matrix. At a value near 0, two tokens of one type are no more similar than any
    two tokens.

    Parameters
    ----------
    vectors : (n, d) array of float
        Vectors of tokens; no zero row.
    types : (n,) ids or words
        A type that occurs once has no pair and is left out.

    References
    ----------
    Ethayarajh 2019, equation 1 and section 3.4.
    """
    parts = Tokens(vectors).self_similarity(types)
    return parts.value - parts.baseline


def intra_sentence_similarity(vectors: np.ndarray, sentences: np.ndarray) -> float:
    """Mean cosine of tokens to their sentence's mean vector, over sentences, minus the baseline.

    Baseline: the mean cosine over all pairs of tokens, as published. It does not correct for each
    token's weight 1/m in a mean of m tokens. Isotropic tokens have a cosine of about 1/sqrt(m) to
    that mean: the second baseline (``intra_sentence_baseline``).

    Parameters
    ----------
    vectors : (n, d) array of float
        Vectors of tokens; no zero row.
    sentences : (n,) ids
        Sentences of one token, whose cosine to itself is 1, are left out.

    References
    ----------
    Ethayarajh 2019, equation 2 and section 3.4.
    """
    parts = Tokens(vectors).intra_sentence(sentences)
    return parts.value - parts.baseline


def max_explainable_variance(vectors: np.ndarray, types: np.ndarray, *, seed: int = 0) -> float:
    """Share sigma_1^2 / sum sigma^2 of a type's occurrences, over types, minus the baseline.

    It shows how well one static vector could replace a type: sigma are the singular values of its
    occurrences, not centred. Baseline: the same with the types assigned to the tokens at random
    (SHUFFLES seeded permutations). The paper takes one large random sample instead. Equal counts
    matter, because two occurrences alone have a share of at least 1/2.

    Parameters
    ----------
    vectors : (n, d) array of float
        Vectors of tokens; no zero row.
    types : (n,) ids or words
        Types that occur once are left out.
    seed : int
        Seed of the permutations.

    References
    ----------
    Ethayarajh 2019, equation 3 and section 3.4.
    """
    parts = Tokens(vectors).max_explainable(types, seed)
    return parts.value - parts.baseline


def contextual_table(
    vectors: np.ndarray, types: np.ndarray, sentences: np.ndarray, *, seed: int = 0
) -> tuple[Measured, ...]:
    """The three measures of this module; the published figure is ``value - baseline``.

    The interval is that of the value, from leaving out groups of sentences. For a mean over types,
    groups of types are left out as well, and the wider interval is taken. The baseline stays as it
    is.

    Parameters
    ----------
    vectors : (n, d) array of float
        Vectors of tokens; no zero row.
    types : (n,) ids or words
    sentences : (n,) ids
    seed : int
        Seed of the baseline's permutations, and of the groups that an interval leaves out.
    """
    X = finite_rows(vectors, at_least=1)
    n, d = X.shape
    rows = []
    for name, of in contextual_parts(X, types, sentences, seed=seed).items():
        try:
            parts = of()
        except UndefinedMeasure as error:
            rows.append(Measured(name, None, None, None, None, n, d, error.code))
            continue
        low, high = parts.interval(seed)
        rows.append(Measured(name, parts.value, low, high, parts.baseline, n, d))
    return tuple(rows)


def intra_sentence_baseline(sentences: np.ndarray) -> float:
    """``intra_sentence_similarity`` of isotropic tokens: the mean of 1/sqrt(m) over sentences.

    m is the number of a sentence's tokens, 2 or more. x_i and the sum of m independent rows have
    the correlation 1/sqrt(m); in many dimensions that is also their cosine.

    Parameters
    ----------
    sentences : (n,) ids
    """
    groups = _Groups(sentences, len(np.asarray(sentences).ravel()), "sentence")
    return float(np.mean(groups.counts**-0.5))


@dataclass(frozen=True, eq=False)
class Contextual:
    """A mean of terms (g,), over types or sentences, before its baseline is subtracted.

    of_rows : the value of the tokens at some rows (m,), where a term takes tokens of several
        sentences; ``sentences`` (n,) are then those of all tokens.
    """

    baseline: float
    terms: np.ndarray
    of_rows: Callable[[np.ndarray], float] | None = None
    sentences: np.ndarray | None = None

    @property
    def value(self) -> float:
        """The mean of the terms."""
        return float(self.terms.mean())

    def interval(self, seed: int) -> tuple[float, float] | tuple[None, None]:
        """95% interval of the value; None below MIN_ROWS terms or sentences.

        Types and sentences are both samples. Leaving out groups of terms misses that tokens of
        one sentence resemble each other, so the wider of the two intervals is taken.
        """
        if len(self.terms) < MIN_ROWS:
            return None, None
        low, high = jackknife_interval(lambda terms: float(terms.mean()), self.terms, seed=seed)
        if self.of_rows is not None and self.sentences is not None:
            if len(np.unique(self.sentences)) < MIN_ROWS:
                return None, None
            rows = np.arange(len(self.sentences))
            ends = jackknife_interval(self.of_rows, rows, units=self.sentences, seed=seed)
            low, high = min(low, ends[0]), max(high, ends[1])
        return max(low, -1.0), min(high, 1.0)


def contextual_parts(
    vectors: np.ndarray, types: np.ndarray, sentences: np.ndarray, *, seed: int
) -> dict[str, Callable[[], Contextual]]:
    """The three measures by name, each computed when called; their common parts once."""
    tokens, types, sentences = Tokens(vectors), np.asarray(types), np.asarray(sentences)
    return {
        "self_similarity": lambda: replace(
            tokens.self_similarity(types),
            of_rows=lambda rows: tokens.own_similarity(types, rows),
            sentences=sentences,
        ),
        "intra_sentence_similarity": lambda: tokens.intra_sentence(sentences),
        "max_explainable_variance": lambda: replace(
            tokens.max_explainable(types, seed),
            of_rows=lambda rows: tokens.explainable(types, rows),
            sentences=sentences,
        ),
    }


class Tokens:
    """Checked vectors of tokens (n, d), n >= 2 and no zero row, and their directions."""

    def __init__(self, vectors: np.ndarray) -> None:
        self._X = in_range(finite_rows(vectors, at_least=1))

    @cached_property
    def _unit(self) -> np.ndarray:
        need_rows(len(self._X), 2)
        return directions(self._X)

    @cached_property
    def _mean_cosine(self) -> float:
        return mean_cosine_of_sum(self._unit.sum(axis=0), len(self._X))

    def self_similarity(self, types: np.ndarray) -> Contextual:
        """See the function of that name."""
        return Contextual(self._mean_cosine, _own_cosines(self._unit, types))

    def own_similarity(self, types: np.ndarray, rows: np.ndarray) -> float:
        """The value of ``self_similarity`` for the tokens at some rows."""
        return float(_own_cosines(self._unit[rows], types[rows]).mean())

    def intra_sentence(self, sentences: np.ndarray) -> Contextual:
        """See ``intra_sentence_similarity``."""
        U = self._unit
        groups = _Groups(sentences, len(U), "sentence")
        sums = groups.sums(self._X)  # (g, d), which point where the means do
        if not sums.any(axis=1).all():
            raise UndefinedMeasure("zero_row", because="zero_sentence")
        terms = np.einsum("gd,gd->g", groups.sums(U), directions(sums)) / groups.counts
        return Contextual(self._mean_cosine, terms)

    def max_explainable(self, types: np.ndarray, seed: int) -> Contextual:
        """See ``max_explainable_variance``."""
        n = len(self._unit)  # raises for a zero row, as the other measures do
        groups = _Groups(types, n, "type")
        rng = np.random.default_rng(seed)
        at_random = [
            float(groups.largest_shares(self._X, rng.permutation(n)).mean())
            for _ in range(SHUFFLES)
        ]
        return Contextual(float(np.mean(at_random)), groups.largest_shares(self._X, np.arange(n)))

    def explainable(self, types: np.ndarray, rows: np.ndarray) -> float:
        """The value of ``max_explainable`` for the tokens at some rows."""
        groups = _Groups(types[rows], len(rows), "type")
        return float(groups.largest_shares(self._X, rows).mean())


def _own_cosines(U: np.ndarray, types: np.ndarray) -> np.ndarray:
    """(g,) mean cosine of each type's unit rows, over pairs of different rows."""
    groups = _Groups(types, len(U), "type")
    sums, m = groups.sums(U), groups.counts
    return np.asarray((np.einsum("gd,gd->g", sums, sums) - m) / (m * (m - 1)))


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
        if len(self.counts) == 0:
            raise UndefinedMeasure("no_repeats", what=what)
        self._starts = np.concatenate([[0], np.cumsum(self.counts)])

    def sums(self, X: np.ndarray) -> np.ndarray:
        """Sums of the rows of each id, (g, d), a tenth of the time of ``np.add.reduceat``."""
        ones = np.ones(len(self._order))
        chosen = csr_array((ones, self._order, self._starts), shape=(len(self.counts), len(X)))
        return np.asarray(chosen @ X)

    def largest_shares(self, X: np.ndarray, replacement: np.ndarray) -> np.ndarray:
        """sigma_1^2 / sum sigma^2 of the rows of each id, (g,); ids of one count at a time.

        replacement (n,) : the row of X that replaces each row.
        """
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
