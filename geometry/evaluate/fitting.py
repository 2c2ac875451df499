"""The set that treatments are fitted on: read once, whatever the number of treatments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import float_rows
from ..transform.removal_map import RemovalMap
from ..transform.treatments import LINEAR_AT_ONCE, Treatment, fit_treatment, treatment_of_moments
from ..transform.whitening_map import WhiteningMap
from .specs import TreatmentSpec

FROM_SUMS = (*LINEAR_AT_ONCE, "svd")  # names of specs that need no rows of their fit set

Layers = tuple[int, ...]  # indices into hidden states; several are averaged
FitVectors = Mapping[str, np.ndarray] | Callable[[Layers, str], "np.ndarray | Moments"]


class FitSet:
    """Rows (m, d), m >= 2, or their moments, of one layer and pooling; treatments by their name.

    eps : the precision of the rows, where only their moments are given.
    """

    def __init__(self, fit_vectors: np.ndarray | Moments, *, eps: float) -> None:
        self._rows: np.ndarray | None = None
        self._eps = eps
        if isinstance(fit_vectors, Moments):
            self.moments = fit_vectors
        else:
            self._rows = float_rows(fit_vectors, at_least=2)
            self._eps = float(np.finfo(self._rows.dtype).eps)
            self.moments = Moments.of(self._rows)
        self._fitted: dict[str, Treatment] = {}

    @property
    def d(self) -> int:
        return len(self.moments.mean)

    def fit(self, spec: TreatmentSpec) -> Treatment:
        """The treatment fitted here; others of that name differ by their knobs alone."""
        if spec.name not in self._fitted:
            self._fitted[spec.name] = self._fit(spec.name)
        return spec.turn(self._fitted[spec.name], self.d)

    def _fit(self, name: str) -> Treatment:
        if name == "svd":  # "removed", uncentred: the map is one of that kind
            fitted = RemovalMap.solve(self.moments, eps=self._eps, centred=False)
            return Treatment("removed", fitted.n_rows, fitted.rank, fitted)
        if name in LINEAR_AT_ONCE:
            return treatment_of_moments(name, self.moments, eps=self._eps)
        if self._rows is None:
            raise ValueError(f"{name} needs the rows of its fit set; only their sums were given")
        return fit_treatment(name, self._rows)

    def precision_after(self, treatment: Treatment) -> WhiteningMap:
        """The whitening of these rows once they are treated, for Mahalanobis distances.

        Of z = x W + b the covariance is W' Sigma W. ValueError for a treatment that is not linear.
        """
        if treatment.name not in LINEAR_AT_ONCE:
            raise ValueError(
                f"mahalanobis after {treatment.name} is not offered: the map is not linear. Leave "
                "it out of the treatments"
            )
        basis = np.vstack([np.zeros(self.d), np.eye(self.d)])
        images = treatment.apply(basis).kept  # (d + 1, k)
        W = images[1:] - images[0]
        moved = replace(self.moments, mean=self.moments.mean @ W + images[0])
        moved = replace(moved, scatter=W.T @ self.moments.scatter @ W)
        return WhiteningMap.solve(moved, eps=self._eps, method="pca")


def average_layers(hidden: np.ndarray, layers: Layers) -> np.ndarray:
    """(n, d) of hidden (n_layers + 1, n, d): one layer as it is, several averaged."""
    return hidden[layers[0]] if len(layers) == 1 else hidden[list(layers)].mean(axis=0)
