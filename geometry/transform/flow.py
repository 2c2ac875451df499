"""A normalising flow: an invertible map of a cloud to N(0, I), fitted by maximum likelihood.

log p(x) = log N(z; 0, I) + log|det dz/dx|. It is exact, because every step of the map has a
determinant in closed form.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from operator import attrgetter
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from ..errors import need
from ..linalg.moments import Moments, ledoit_wolf
from ..linalg.rows import need_whole, refuse_not_finite, slices
from .flow_map import Coupling, FlowMap, chain, identity_couplings
from .map_estimator import FLOATS, MapEstimator

MIN_SHRINKAGE = 1e-6  # share of the mean variance that is the least variance of a direction
MIN_DISTINCT_ROWS = 3  # two to train on, one held out


@dataclass(frozen=True)
class FlowEpoch:
    """One epoch of a fit. Losses are mean negative log-densities in nats a row, in units of X."""

    epoch: int  #: 0 is the start, before any step
    max_epochs: int  #: epochs at most
    steps: int  #: batches so far
    train_loss: float  #: over the epoch's smoothed batches
    held_out_loss: float  #: over the held-out rows, which are not smoothed
    #: held_out_log_normal, held_out_log_det: its two terms with the other sign: the means of log
    #: N(z; 0, I) and of log|det dz/dx|
    held_out_log_normal: float
    held_out_log_det: float


class NormalizingFlow(ClassNamePrefixFeaturesOutMixin, MapEstimator):
    """Map rows to N(0, I) by affine couplings with act-norm and fixed permutations.

    The map starts with a ZCA whitening. Its covariance is that of Ledoit and Wolf,
    (1 - a) Sigma + a v I with v = tr Sigma / d. This start is not trained; its log-determinant is
    included. The couplings after it start as the identity, so the fit starts *at* the Ledoit-Wolf
    Gaussian. That whitening makes most of the change of a cosine; the gain over ``history_[0]`` is
    that of the couplings. BERT-flow has no such start, and shifts by v + t alone. On a few thousand
    rows in hundreds of dimensions, couplings alone do not find the correlations and end below the
    Gaussian.

    With null directions, such as one from LayerNorm, the likelihood would grow without bound. So
    training rows are smoothed to mu + sqrt(1 - a) (x - mu) + sqrt(a v) e, with new e ~ N(0, I) in
    each batch. The covariance of the smoothed cloud *is* that of Ledoit and Wolf: no direction has
    less variance than a v. Rows are scored without smoothing.

    Parameters
    ----------
    n_couplings : int >= 1
    hidden_units : int >= 1
        Units in each of the two hidden layers of a coupling's network.
    max_epochs : int >= 1
        The result is the best epoch; epoch 0, the start, counts.
    patience : int >= 1
        The fit stops after so many epochs without a new minimum of the held-out loss.
    batch_size : int >= 1
    learning_rate : float > 0, learning rate of Adam
    validation_fraction : float in (0, 1)
        Share of the *distinct* rows that is held out, also from the mean and covariance of the
        start. Equal rows are on the same side.
    random_state : int, RandomState or None, one int gives one result on one machine

    Attributes
    ----------
    map_ : FlowMap, numpy arrays only
    shrinkage_ : float, the a above
    history_ : tuple of FlowEpoch, from epoch 0, the start
    best_epoch_ : int
    n_epochs_ : int, epochs finished
    n_train_, n_held_out_ : int, rows
    stop_reason_ : {"patience", "max_epochs", "diverged"}
        In every case the result is the best epoch so far.

    Notes
    -----
    float32 rows give float32; all others give float64. Arithmetic after the fit is float64.

    Li et al. 2020, "On the Sentence Embeddings from Pre-trained Language Models", section 3.
    Dinh, Sohl-Dickstein, Bengio 2017, "Density estimation using Real NVP", equations 7, 8.
    Kingma, Dhariwal 2018, "Glow", section 3.1 (act-norm).
    Ledoit, Wolf 2004, "A well-conditioned estimator", section 3 (a).
    """

    map_: FlowMap

    def __init__(
        self,
        *,
        n_couplings: int = 6,
        hidden_units: int = 64,
        max_epochs: int = 100,
        patience: int = 10,
        batch_size: int = 256,
        learning_rate: float = 1e-3,
        validation_fraction: float = 0.1,
        random_state: Any = 0,
    ) -> None:
        self.n_couplings = n_couplings
        self.hidden_units = hidden_units
        self.max_epochs = max_epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any = None, *, progress: Callable[[FlowEpoch], object] | None = None
    ) -> Self:
        """Learn the map. All random numbers come from ``random_state``, and none from torch's own.

        Parameters
        ----------
        X : (n, d) array of float, with three distinct rows or more
        y : ignored
        progress : callable, optional
            Called with the start and after each epoch. If it raises, the fit ends and the
            estimator is not fitted.
        """
        if hasattr(self, "map_"):
            del self.map_  # after a fit that fails, the estimator is not fitted
        for name in ("n_couplings", "hidden_units", "max_epochs", "patience", "batch_size"):
            need_whole(name, getattr(self, name), at_least=1)
        rate: Any = self.learning_rate
        share: Any = self.validation_fraction
        if not (isinstance(rate, Real) and 0 < float(rate) < math.inf):
            raise ValueError(f"learning_rate must be a finite number above 0; got {rate!r}")
        if not (isinstance(share, Real) and 0 < float(share) < 1):
            raise ValueError(f"validation_fraction must lie between 0 and 1; got {share!r}")
        X = self._read(X, reset=True, at_least=2)
        refuse_not_finite(X)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        is_held_out = _held_out_rows(X, float(self.validation_fraction), rng)
        rows, held_out = X[~is_held_out], X[is_held_out]
        start, share, noise = _start(rows)
        couplings = identity_couplings(X.shape[1], self.n_couplings, self.hidden_units, rng)
        start = replace(start, couplings=couplings)
        need("encode", "torch")
        import torch

        def smoothed(rows: np.ndarray) -> Any:
            e = rng.standard_normal(rows.shape, dtype=np.float32)
            e *= noise
            e += np.float32(share) * rows
            return torch.from_numpy(e)

        # gradients are on in this block, even if the caller has turned them off
        with torch.inference_mode(False):
            best, history, reason = _train(self, start, rows, held_out, smoothed, rng, progress)
        self.map_ = replace(start, couplings=best)
        self.shrinkage_ = 1.0 - share**2
        self.n_train_, self.n_held_out_ = len(rows), len(held_out)
        self.history_ = tuple(history)
        self.n_epochs_ = len(history) - 1
        self.best_epoch_ = min(history, key=attrgetter("held_out_loss")).epoch
        self.stop_reason_ = reason
        return self

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """z (n, d) to X (n, d), to 1e-4 of its spread in float32 and to 1e-9 in float64."""
        check_is_fitted(self, "map_")
        Z = check_array(Z, dtype=FLOATS, input_name="Z")
        if Z.shape[1] != self.n_features_in_:
            raise ValueError(f"Z must have {self.n_features_in_} columns; got {Z.shape[1]}")
        return self.map_.undo(Z).astype(Z.dtype)

    def score_samples(self, X: Any) -> np.ndarray:
        """log p(x) of each row, in nats, (n,) float64."""
        X = self._checked(X)
        z, log_det = self.map_.with_log_det(X)
        constant = 0.5 * z.shape[1] * math.log(2 * math.pi)
        return -0.5 * np.einsum("nd,nd->n", z, z) - constant + log_det

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of ``score_samples``, in nats a row; higher is better."""
        return float(self.score_samples(X).mean())

    def log_det(self, X: Any) -> np.ndarray:
        """log|det dz/dx| at each row, (n,) float64."""
        X = self._checked(X)
        return self.map_.with_log_det(X)[1]

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The fitted map as plain arrays by name, for ``numpy.savez`` or safetensors."""
        check_is_fitted(self, "map_")
        return self.map_.to_arrays()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """A fitted flow from the result of ``to_arrays``, without the history.

        ValueError names arrays that are absent or foreign.
        """
        found = FlowMap.from_arrays(arrays)
        units = len(found.couplings[0].b1)
        flow = cls(n_couplings=len(found.couplings), hidden_units=units)
        flow.map_, flow.n_features_in_ = found, len(found.mean)
        return flow

    @property
    def _n_features_out(self) -> int:
        return len(self.map_.mean)


def _held_out_rows(X: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) bool: this share of the distinct rows is held out; equal rows are on the same side."""
    groups: dict[bytes, int] = {}
    group = np.array([groups.setdefault(row.tobytes(), len(groups)) for row in X])  # (n,)
    if len(groups) < MIN_DISTINCT_ROWS:
        raise ValueError(
            f"X must have at least {MIN_DISTINCT_ROWS} distinct rows, two to train on and one "
            f"held out; got {len(groups)} in n_samples = {len(X)}"
        )
    n_held_out = min(max(1, round(share * len(groups))), len(groups) - 2)
    chosen = np.zeros(len(groups), dtype=bool)
    chosen[rng.permutation(len(groups))[:n_held_out]] = True
    return chosen[group]


def _start(rows: np.ndarray) -> tuple[FlowMap, float, np.ndarray]:
    """The map before the couplings, and the smoothing after which it whitens exactly.

    Training rows y become share y + noise (d,) e, with new e ~ N(0, I) in every batch.
    """
    moments = Moments.of(rows)
    covariance = moments.covariance
    d = rows.shape[1]
    mean_variance = float(np.trace(covariance)) / d
    # rounding moves a row by about eps times its length; less than that is not spread
    eps = float(np.finfo(rows.dtype).eps)  # a float32 scalar would make the products float32
    if d * mean_variance <= (2 * eps) ** 2 * float(moments.mean @ moments.mean):
        raise ValueError(
            "the rows to train on are equal up to rounding, so no density has a highest "
            "likelihood; give rows that differ"
        )
    a = max(ledoit_wolf(moments), MIN_SHRINKAGE)
    variances, rotation = np.linalg.eigh(covariance)
    smoothed = (1 - a) * variances.clip(min=0.0) + a * mean_variance
    start = FlowMap(moments.mean, smoothed**-0.5, rotation, ())
    return start, math.sqrt(1 - a), np.sqrt(a * mean_variance / smoothed).astype(np.float32)


def _train(
    flow: NormalizingFlow,
    start: FlowMap,
    rows: np.ndarray,
    held_out: np.ndarray,
    smoothed: Callable[[np.ndarray], Any],
    rng: np.random.Generator,
    progress: Callable[[FlowEpoch], object] | None,
) -> tuple[tuple[Coupling, ...], list[FlowEpoch], str]:
    """Couplings fitted by Adam, of the epoch of least held-out loss; all epochs; why it stopped."""
    import torch

    def learnable(coupling: Coupling) -> Coupling:
        order, *parts = coupling.parts
        learnt = (torch.tensor(p, dtype=torch.float32, device="cpu") for p in parts)
        return Coupling(torch.tensor(order, device="cpu"), *(p.requires_grad_() for p in learnt))

    couplings = tuple(map(learnable, start.couplings))
    learnt = [part for each in couplings for part in each.parts[1:]]
    adam = torch.optim.Adam(learnt, lr=float(flow.learning_rate))

    def terms(y: Any) -> tuple[Any, Any]:
        """log N(z; 0, I) and log|det dz/dx|, averaged over rows."""
        z, log_det = chain(couplings, y, torch)
        constant = 0.5 * y.shape[1] * math.log(2 * math.pi)
        normal = (-0.5 * (z * z).sum(1)).mean() - constant
        return normal, log_det.mean() + start.start_log_det

    def evaluated(y: Any) -> tuple[float, float]:
        with torch.no_grad():
            log_normal, log_det = terms(y)
        return float(log_normal), float(log_det)

    rows, held_out = (start.enter(X).astype(np.float32) for X in (rows, held_out))
    tested = torch.tensor(held_out, device="cpu")
    most = int(flow.max_epochs)
    steps = 0
    best, best_epoch = start.couplings, 0
    history: list[FlowEpoch] = []
    for epoch in range(most + 1):
        if epoch == 0:
            train_loss = -sum(evaluated(smoothed(rows)))
        else:
            order = rng.permutation(len(rows))
            total = 0.0
            for some in slices(len(order), int(flow.batch_size)):
                batch = smoothed(rows[order[some]])
                loss = -sum(terms(batch))
                adam.zero_grad()
                loss.backward()
                adam.step()
                steps += 1
                total += loss.item() * len(batch)
            train_loss = total / len(order)
        log_normal, log_det = evaluated(tested)
        held_out_loss = -(log_normal + log_det)
        if epoch and held_out_loss < history[best_epoch].held_out_loss:
            best, best_epoch = tuple(map(_as_numpy, couplings)), epoch
        history.append(
            FlowEpoch(epoch, most, steps, train_loss, held_out_loss, log_normal, log_det)
        )
        if progress is not None:
            progress(history[-1])
        if epoch and not math.isfinite(train_loss + held_out_loss):
            return best, history, "diverged"
        if epoch - best_epoch >= int(flow.patience):
            return best, history, "patience"
    return best, history, "max_epochs"


def _as_numpy(coupling: Coupling) -> Coupling:
    """In float64: with exp(a) exp(-a) in float32 the inverse would lose half its digits."""
    order, *parts = (part.detach().numpy() for part in coupling.parts)
    return Coupling(order.copy(), *(part.astype(np.float64) for part in parts))
