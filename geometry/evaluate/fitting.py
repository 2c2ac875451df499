"""The set that treatments are fitted on, and similarities of pairs after a fitted treatment."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..linalg.moments import Moments
from ..linalg.rows import float_rows
from ..transform.treatments import TREATMENTS, Treatment, fit_treatment, treatment_of_moments
from ..transform.whitening_map import WhiteningMap
from .similarities import FLOAT32_EPS, pair_similarities
from .specs import TreatmentSpec, parse_treatment

Layers = tuple[int, ...]  # indices of hidden states; several are averaged
FitVectors = Mapping[str, np.ndarray] | Callable[[Layers, str], "np.ndarray | Moments"]


class FitSet:
    """Fits treatments on the rows of one layer and pooling, which are read once for all."""

    def __init__(self, fit_vectors: np.ndarray | Moments, *, eps: float = FLOAT32_EPS) -> None:
        self._rows: np.ndarray | None = None
        self._eps = eps  # of the rows behind given moments
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

    def fit(self, treatment: TreatmentSpec | str) -> Treatment:
        """The treatment, or that of a text, fitted on this set; those of one name share the fit."""
        spec = parse_treatment(treatment) if isinstance(treatment, str) else treatment
        name = spec.name
        if name not in self._fitted and TREATMENTS[name].takes_moments:
            self._fitted[name] = treatment_of_moments(name, self.moments, eps=self._eps)
        elif name not in self._fitted:
            if self._rows is None:
                message = f"{name} needs the rows of its fit set; only their sums were given"
                raise ValueError(message)
            self._fitted[name] = fit_treatment(name, self._rows)
        return spec.turn(self._fitted[name], self.d)

    def precision_after(self, treatment: Treatment) -> WhiteningMap:
        """Whitening of the treated rows, for Mahalanobis distances.

        The covariance of z = x W + b is W' Sigma W. ValueError if the treatment is not linear.
        """
        if not TREATMENTS[treatment.name].is_affine:
            raise ValueError(
                f"mahalanobis after {treatment.name} is not offered: the map is not linear. Leave "
                "it out of the treatments"
            )
        basis = np.vstack([np.zeros(self.d), np.eye(self.d)])
        images = treatment.apply(basis).retained  # (d + 1, k)
        W = images[1:] - images[0]
        moved = replace(self.moments, mean=self.moments.mean @ W + images[0])
        moved = replace(moved, scatter=W.T @ self.moments.scatter @ W)
        return WhiteningMap.solve(moved, eps=self._eps, method="pca")


def average_layers(hidden: np.ndarray, layers: Layers) -> np.ndarray:
    """(n, d) from hidden (n_layers + 1, n, d): one layer, or the mean of several."""
    return hidden[layers[0]] if len(layers) == 1 else hidden[list(layers)].mean(axis=0)


def treated_similarities(
    X: np.ndarray,
    fit_vectors: np.ndarray | Moments,
    treatment: str,
    *,
    similarity: str = "cosine",
) -> np.ndarray:
    """Similarities (n,) float64 of pairs after a treatment; UndefinedMeasure if a row has none.

    Parameters
    ----------
    X : (2n, d) array of float, the left sentences of n pairs, then the right ones
    fit_vectors : (m, d) array of float, m >= 2, or Moments
        The fit set of the treatment and of Mahalanobis distances.
    treatment : str, as in ``parse_treatment``
    similarity : str, as in ``pair_similarities``
    """
    fit_set = FitSet(fit_vectors, eps=float(np.finfo(X.dtype).eps))
    fitted = fit_set.fit(treatment)
    precision = fit_set.precision_after(fitted) if similarity == "mahalanobis" else None
    Z = fitted.apply(X.astype(np.float64)).retained
    return pair_similarities(
        Z[: len(Z) // 2], Z[len(Z) // 2 :], similarity=similarity, precision=precision
    )
