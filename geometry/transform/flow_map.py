"""An invertible map made of couplings, for numpy arrays and torch tensors.

``xp`` is the library of the arrays: torch during the fit, for the gradients, and numpy afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..linalg.rows import wide_rows

KINDS = ("affine", "additive")
GRID_POINTS = 61  # of a line of ``FlowMap.grid``
LOG_SCALE_BOUND = 1.0  # one affine coupling scales by e at most, so that no row diverges


@dataclass(frozen=True)
class Coupling:
    """Act-norm, a permutation, and a shift of one half that a network computes from the other.

    Act-norm gives y = (x - bias) exp(log_scale). Of the permuted y, the first k = d // 2 columns u
    do not change. The other d - k, v, become v + t (additive) or v exp(s) + t (affine), with
    (t, s) = relu(relu(u W1 + b1) W2 + b2) W3 + b3.
    """

    order: Any  # (d,) int, the permutation
    bias: Any  # (d,)
    log_scale: Any
    W1: Any  # (k, h)
    b1: Any
    W2: Any  # (h, h)
    b2: Any
    W3: Any  # (h, d - k) for an additive coupling, (h, 2(d - k)) for an affine one
    b3: Any

    @property
    def parts(self) -> tuple[Any, ...]:
        """The nine fields in order, without the copies of ``dataclasses.astuple``."""
        return tuple(vars(self).values())

    @property
    def d(self) -> int:
        return len(self.bias)

    @property
    def kind(self) -> str:
        return "additive" if len(self.b3) == self.d - self.d // 2 else "affine"

    def forward(self, x: Any, xp: Any) -> tuple[Any, Any]:
        """x (n, d) to (y (n, d), log|det J|, a number or (n,))."""
        y = ((x - self.bias) * xp.exp(self.log_scale))[:, self.order]
        u, v = y[:, : self.d // 2], y[:, self.d // 2 :]
        t, s = self._shift_and_log_scale(u, xp)
        log_det = self.log_scale.sum()
        if s is not None:
            v, log_det = v * xp.exp(s), log_det + s.sum(1)
        return xp.concatenate([u, v + t], 1), log_det

    def backward(self, y: np.ndarray) -> np.ndarray:
        """The x (n, d) that ``forward`` maps to y; numpy only."""
        u, v = y[:, : self.d // 2], y[:, self.d // 2 :]
        t, s = self._shift_and_log_scale(u, np)
        v = v - t if s is None else (v - t) * np.exp(-s)
        x = np.empty_like(y)
        x[:, self.order] = np.concatenate([u, v], axis=1)
        return x * np.exp(-self.log_scale) + self.bias

    def _shift_and_log_scale(self, u: Any, xp: Any) -> tuple[Any, Any]:
        """(t, s), both (n, d - k); s is None for an additive coupling."""
        h = (u @ self.W1 + self.b1).clip(min=0)
        h = (h @ self.W2 + self.b2).clip(min=0)
        out = h @ self.W3 + self.b3
        if self.kind == "additive":
            return out, None
        m = self.d - self.d // 2
        return out[:, :m], LOG_SCALE_BOUND * xp.tanh(out[:, m:] / LOG_SCALE_BOUND)


@dataclass(frozen=True)
class FlowMap:
    """z = (couplings of ((x - mean) V diag(scales))) V'; V = I if rotation is None.

    mean, scales (d,), rotation (d, d) orthogonal or None: the start, in float64.
    """

    mean: np.ndarray
    scales: np.ndarray
    rotation: np.ndarray | None
    couplings: tuple[Coupling, ...]

    def enter(self, X: np.ndarray) -> np.ndarray:
        centred = X.astype(np.float64) - self.mean
        return (centred if self.rotation is None else centred @ self.rotation) * self.scales

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), computed in float64; float32 stays float32."""
        X = wide_rows(X, len(self.mean))
        return self.with_log_det(X)[0].astype(X.dtype)

    def with_log_det(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """X (n, d) to (z (n, d), log|det dz/dx| (n,)), both float64."""
        X = wide_rows(X, len(self.mean))
        y, log_det = chain(self.couplings, self.enter(X), np)
        z = y if self.rotation is None else y @ self.rotation.T
        return z, np.full(len(X), self.start_log_det) + log_det

    def undo(self, Z: np.ndarray) -> np.ndarray:
        """The X (n, d) that ``apply`` maps to Z; float64."""
        y = Z.astype(np.float64)
        if self.rotation is not None:
            y = y @ self.rotation
        if self.couplings:
            y = y[:, composed_order(self.couplings)]
        for coupling in reversed(self.couplings):
            y = coupling.backward(y)
        x = y / self.scales
        return (x if self.rotation is None else x @ self.rotation.T) + self.mean

    @property
    def widest(self) -> np.ndarray:
        """The two directions (2, d) in which the start finds the largest variance; d >= 2."""
        V = np.eye(len(self.mean)) if self.rotation is None else self.rotation
        return V[:, np.argsort(self.scales, kind="stable")[:2]].T

    def grid(self, reach: float = 2.0, step: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
        """A grid in the plane of ``widest`` through the mean, and where it is mapped to.

        Both are (m, 2). A row of NaN is after each line. ``reach`` and ``step`` are in standard
        deviations.
        """
        at = np.linspace(-reach, reach, round(2 * reach / step) + 1)
        along = np.linspace(-reach, reach, GRID_POINTS)
        lines = [np.stack(np.broadcast_arrays(place, along), axis=1) for place in at]
        lines += [line[:, ::-1] for line in lines]
        before = np.stack(lines) / np.sort(self.scales)[:2]  # (lines, GRID_POINTS, 2)
        mapped = self.with_log_det(self.mean + before.reshape(-1, 2) @ self.widest)[0]
        after = (mapped @ self.widest.T).reshape(before.shape)
        return _with_gaps(before), _with_gaps(after)

    @property
    def start_log_det(self) -> float:
        return float(np.log(self.scales).sum())

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Plain arrays by name, for a file; ``from_arrays`` is the inverse."""
        arrays = {"mean": self.mean, "scales": self.scales}
        if self.rotation is not None:
            arrays["rotation"] = self.rotation
        for i, coupling in enumerate(self.couplings):
            for name, value in zip(_PARTS, coupling.parts, strict=True):
                arrays[f"{i}.{name}"] = value
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> FlowMap:
        """The inverse of ``to_arrays``; ValueError with the array that is absent or misshapen."""
        held = {name: np.asarray(arrays[name]) for name in arrays}
        n = len({name.partition(".")[0] for name in held if "." in name})
        names = [f"{i}.{part}" for i in range(n) for part in _PARTS]
        wrong = {"mean", "scales", *names} ^ (held.keys() - {"rotation"})
        if wrong or not n:
            raise ValueError(f"a flow's arrays lack couplings, or differ in {sorted(wrong)}")
        couplings = tuple(Coupling(*(held[f"{i}.{part}"] for part in _PARTS)) for i in range(n))
        found = cls(held["mean"], held["scales"], held.get("rotation"), couplings)
        found._check()
        return found

    def _check(self) -> None:
        d = self.mean.size
        shapes: dict[str, tuple[int, ...]] = {"mean": (d,), "scales": (d,), "rotation": (d, d)}
        for i, coupling in enumerate(self.couplings):
            shapes |= {f"{i}.{part}": shape for part, shape in _shapes(coupling, d).items()}
        for name, value in self.to_arrays().items():
            if value.shape != shapes[name]:
                raise ValueError(f"{name} must have shape {shapes[name]}; got {value.shape}")
            if not np.isfinite(value).all():
                raise ValueError(f"{name} has NaN or infinity")
        if not (self.scales > 0).all():
            raise ValueError("scales must lie above 0")
        for i, coupling in enumerate(self.couplings):
            if not np.array_equal(np.sort(coupling.order), np.arange(d)):
                raise ValueError(f"{i}.order must be a permutation of 0 to {d - 1}")


def _with_gaps(lines: np.ndarray) -> np.ndarray:
    """Lines (k, m, 2) as rows (k (m + 1), 2), with a row of NaN after each."""
    gaps = np.full((len(lines), 1, 2), np.nan)
    return np.concatenate([lines, gaps], axis=1).reshape(-1, 2)


def chain(couplings: tuple[Coupling, ...], x: Any, xp: Any) -> tuple[Any, Any]:
    """Map rows through all couplings: (z (n, d), log|det J|, a number or (n,)), columns as in x."""
    log_det: Any = 0.0
    for coupling in couplings:
        x, more = coupling.forward(x, xp)
        log_det = log_det + more
    return (x[:, np.argsort(composed_order(couplings))] if couplings else x), log_det


def composed_order(couplings: tuple[Coupling, ...]) -> np.ndarray:
    order = np.arange(couplings[0].d)
    for coupling in couplings:
        order = order[np.asarray(coupling.order)]
    return order


def identity_couplings(
    d: int, n_couplings: int, *, hidden_units: int, kind: str, rng: np.random.Generator
) -> tuple[Coupling, ...]:
    """Couplings with random permutations and first layers; W3 = b3 = 0 makes them the identity."""
    k = d // 2
    m = (d - k) * (2 if kind == "affine" else 1)
    return tuple(
        Coupling(
            order=np.roll(np.arange(d), -k) if i % 2 else rng.permutation(d),
            bias=np.zeros(d),
            log_scale=np.zeros(d),
            W1=_uniform(rng, k, (k, hidden_units)),
            b1=_uniform(rng, k, (hidden_units,)),
            W2=_uniform(rng, hidden_units, (hidden_units, hidden_units)),
            b2=_uniform(rng, hidden_units, (hidden_units,)),
            W3=np.zeros((hidden_units, m)),
            b3=np.zeros(m),
        )
        for i in range(n_couplings)
    )


def _uniform(rng: np.random.Generator, fan_in: int, shape: tuple[int, ...]) -> np.ndarray:
    """Entries within 1/sqrt(fan_in) of 0, the default of torch's linear layers."""
    return rng.uniform(-1, 1, shape) / math.sqrt(max(fan_in, 1))


def _shapes(coupling: Coupling, d: int) -> dict[str, tuple[int, ...]]:
    k, h = d // 2, coupling.b1.size
    m = d - k if coupling.b3.size == d - k else 2 * (d - k)
    wide = {"order": (d,), "bias": (d,), "log_scale": (d,)}
    return {**wide, "W1": (k, h), "b1": (h,), "W2": (h, h), "b2": (h,), "W3": (h, m), "b3": (m,)}


_PARTS = tuple(field.name for field in fields(Coupling))
