"""An invertible map made of couplings, for numpy arrays and torch tensors.

``xp`` is the library of the arrays: torch during the fit, for the gradients, and numpy afterwards.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ..linalg.rows import wide_rows

GRID_POINTS = 61  # of a line of ``FlowMap.grid``


@dataclass(frozen=True)
class Coupling:
    """Act-norm, a permutation, and an affine map of one half that a network computes of the other.

    Act-norm gives y = (x - bias) exp(log_scale). Of the permuted y, the first k = d // 2 columns u
    do not change. The other d - k, v, become v exp(tanh(s)) + t, with
    (t, s) = relu(relu(u W1 + b1) W2 + b2) W3 + b3. It scales by e at most, so no row diverges.
    """

    order: Any  # (d,) int, the permutation
    bias: Any  # (d,)
    log_scale: Any
    W1: Any  # (k, h)
    b1: Any
    W2: Any  # (h, h)
    b2: Any
    W3: Any  # (h, 2(d - k))
    b3: Any

    @property
    def parts(self) -> tuple[Any, ...]:
        """The nine fields in order, without the copies of ``dataclasses.astuple``."""
        return tuple(vars(self).values())

    @property
    def d(self) -> int:
        return len(self.bias)

    def forward(self, x: Any, xp: Any) -> tuple[Any, Any]:
        """x (n, d) to (y (n, d), log|det J| (n,))."""
        y = ((x - self.bias) * xp.exp(self.log_scale))[:, self.order]
        u, v = y[:, : self.d // 2], y[:, self.d // 2 :]
        t, s = self._shift_and_log_scale(u, xp)
        return xp.concatenate([u, v * xp.exp(s) + t], 1), self.log_scale.sum() + s.sum(1)

    def backward(self, y: np.ndarray) -> np.ndarray:
        """The x (n, d) that ``forward`` maps to y; numpy only."""
        u, v = y[:, : self.d // 2], y[:, self.d // 2 :]
        t, s = self._shift_and_log_scale(u, np)
        x = np.empty_like(y)
        x[:, self.order] = np.concatenate([u, (v - t) * np.exp(-s)], axis=1)
        return x * np.exp(-self.log_scale) + self.bias

    def _shift_and_log_scale(self, u: Any, xp: Any) -> tuple[Any, Any]:
        """(t, tanh(s)), both (n, d - k)."""
        h = (u @ self.W1 + self.b1).clip(min=0)
        h = (h @ self.W2 + self.b2).clip(min=0)
        out = h @ self.W3 + self.b3
        m = self.d - self.d // 2
        return out[:, :m], xp.tanh(out[:, m:])


@dataclass(frozen=True)
class FlowMap:
    """z = (couplings of ((x - mean) V diag(scales))) V'; the start is mean, scales and V."""

    mean: np.ndarray  # (d,) float64, as the others
    scales: np.ndarray  # (d,)
    rotation: np.ndarray  # V (d, d), orthogonal
    couplings: tuple[Coupling, ...]

    def enter(self, X: np.ndarray) -> np.ndarray:
        return (X.astype(np.float64) - self.mean) @ self.rotation * self.scales

    def apply(self, X: np.ndarray) -> np.ndarray:
        """(n, d) to (n, d), computed in float64; float32 stays float32."""
        X = wide_rows(X, len(self.mean))
        return self.with_log_det(X)[0].astype(X.dtype)

    def with_log_det(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """X (n, d) to (z (n, d), log|det dz/dx| (n,)), both float64."""
        X = wide_rows(X, len(self.mean))
        y, log_det = chain(self.couplings, self.enter(X), np)
        return y @ self.rotation.T, np.full(len(X), self.start_log_det) + log_det

    def undo(self, Z: np.ndarray) -> np.ndarray:
        """The X (n, d) that ``apply`` maps to Z; float64."""
        y = Z.astype(np.float64) @ self.rotation
        if self.couplings:
            y = y[:, composed_order(self.couplings)]
        for coupling in reversed(self.couplings):
            y = coupling.backward(y)
        return y / self.scales @ self.rotation.T + self.mean

    @property
    def widest(self) -> np.ndarray:
        """The two directions (2, d) in which the start finds the largest variance; d >= 2."""
        return self.rotation[:, np.argsort(self.scales, kind="stable")[:2]].T

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
        gap = ((0, 0), (0, 1), (0, 0))
        before, after = (np.pad(each, gap, constant_values=np.nan) for each in (before, after))
        return before.reshape(-1, 2), after.reshape(-1, 2)

    @property
    def start_log_det(self) -> float:
        return float(np.log(self.scales).sum())

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Plain arrays by name, for a file; ``from_arrays`` is the inverse."""
        arrays = {name: getattr(self, name) for name in _START}
        for i, coupling in enumerate(self.couplings):
            arrays |= {f"{i}.{name}": value for name, value in vars(coupling).items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """The inverse of ``to_arrays``; ValueError names arrays that are absent or foreign."""
        held = {name: np.asarray(arrays[name]) for name in arrays}
        n = len({name.partition(".")[0] for name in held if "." in name})
        names = [f"{i}.{part}" for i in range(n) for part in _PARTS]
        wrong = {*_START, *names} ^ held.keys()
        if wrong or not n:
            raise ValueError(f"a flow's arrays lack couplings, or differ in {sorted(wrong)}")
        couplings = tuple(Coupling(*(held[f"{i}.{part}"] for part in _PARTS)) for i in range(n))
        return cls(held["mean"], held["scales"], held["rotation"], couplings)


def chain(couplings: tuple[Coupling, ...], x: Any, xp: Any) -> tuple[Any, Any]:
    """Map rows through all couplings: (z (n, d), log|det J| (n,)), with the columns of x."""
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
    d: int, n_couplings: int, hidden_units: int, rng: np.random.Generator
) -> tuple[Coupling, ...]:
    """Couplings with random permutations and first layers; W3 = b3 = 0 makes them the identity."""
    k = d // 2
    m = 2 * (d - k)
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


_PARTS = tuple(field.name for field in fields(Coupling))
_START = ("mean", "scales", "rotation")
