"""Word vectors along independent, principal and random axes, to name the axes by words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..data.embeddings import VectorTable
from ..linalg.rows import unit_rows
from ..measure.spectrum import mean_kurtosis, mean_skewness
from ..transform.whitening_map import IndependentMap

N_WORDS = 10_000


@dataclass(frozen=True)
class PlacedWords:
    unit: np.ndarray  # (n, k) float32, the words at unit length
    kurtosis: float  # means over the axes, of the words before they got unit length
    skewness: float

    @classmethod
    def of(cls, Z: np.ndarray) -> PlacedWords:
        return cls(unit_rows(Z).astype(np.float32), mean_kurtosis(Z), mean_skewness(Z))

    def top(self, axis: int, count: int) -> np.ndarray:
        """The rows (count,) that are furthest along the axis, as the paper's figure has them."""
        return np.argsort(-self.unit[:, axis], kind="stable")[:count]

    def mean_top(self, count: int) -> float:
        """The mean value of such rows on their axis, over all axes."""
        return float(np.mean(np.sort(self.unit, axis=0)[-count:]))


@dataclass(frozen=True)
class WordAxes:
    words: tuple[str, ...]
    n_fitted: int  # the other words, on which the axes were fitted
    # "independent", "principal", and the control "random": rotations of one another, so that the
    # words have the same cosines in each
    bases: Mapping[str, PlacedWords]


def word_axes(table: VectorTable, *, n_words: int = N_WORDS, random_state: int = 0) -> WordAxes:
    """Whiten one half of the ``n_words`` most frequent words, and place the other on its axes.

    After Yamagiwa, Oyama, Shimodaira 2023, "Discovering Universal Geometry in Embeddings with ICA".
    """
    X = table.vectors[:n_words].astype(np.float64)
    rng = np.random.default_rng(random_state)
    is_fit = rng.permutation(len(X)) % 2 == 0
    fitted = IndependentMap.of(X[is_fit], n_components=X.shape[1], random_state=random_state)
    skewness = np.mean(fitted.whitening.apply(X[is_fit]) ** 3, axis=0)
    Z = fitted.whitening.apply(X[~is_fit])  # (n, k)
    turned = np.linalg.qr(rng.standard_normal((Z.shape[1], Z.shape[1])))[0]
    return WordAxes(
        tuple(word for word, fit in zip(table.words, is_fit, strict=False) if not fit),
        int(is_fit.sum()),
        {
            "independent": PlacedWords.of(Z @ fitted.rotation),
            "principal": PlacedWords.of(Z * np.where(skewness < 0, -1.0, 1.0)),
            "random": PlacedWords.of(Z @ turned),
        },
    )
