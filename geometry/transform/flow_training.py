"""Maximum likelihood for couplings: Adam on batches, stopped by rows that are held out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .couplings import Coupling, chain


@dataclass(frozen=True)
class FlowEpoch:
    """Where a fit is. Losses are mean negative log-densities in nats a row, in X's own units.

    epoch 0 is the start, before any step; steps : batches so far.
    train_loss : over the epoch's batches, smoothed as they were; held_out_loss : as they are.
    """

    epoch: int
    max_epochs: int
    steps: int
    train_loss: float
    held_out_loss: float


@dataclass(frozen=True)
class Smoothing:
    """Training rows y become keep y + noise e, e ~ N(0, I) drawn anew for every batch.

    keep : float.   noise (d,): standard deviations.
    """

    keep: float
    noise: np.ndarray

    def draw(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Of rows (n, d) a smoothed copy, float32."""
        e = rng.standard_normal(rows.shape, dtype=np.float32)
        e *= self.noise.astype(np.float32)
        e += np.float32(self.keep) * rows
        return e


@dataclass(frozen=True)
class Schedule:
    """How long and how fast; see ``NormalizingFlow``."""

    max_epochs: int
    batch_size: int
    learning_rate: float
    patience: int


@dataclass(frozen=True)
class Trained:
    """The best couplings, the epochs until the end, and why it ended.

    stop_reason : "patience", "max_epochs", "cancelled", or "diverged" (a loss was not finite).
    """

    couplings: tuple[Coupling, ...]
    history: tuple[FlowEpoch, ...]
    best_epoch: int
    stop_reason: str


def train(
    couplings: tuple[Coupling, ...],
    rows: np.ndarray,
    held_out: np.ndarray,
    *,
    smoothing: Smoothing,
    start_log_det: float,
    schedule: Schedule,
    rng: np.random.Generator,
    progress: Callable[[FlowEpoch], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Trained:
    """Fit couplings to rows (n, d) under N(0, I); rows and held_out already in start coordinates.

    Every random number is drawn from ``rng``: torch's own generator, threads and flags are left
    alone. ``cancelled`` is asked before each batch. What ``progress`` raises ends the training.
    """
    import torch

    # the caller may have switched gradients off, for inference or by no_grad: this turns them on
    # for the block, and then they are what they were
    with torch.inference_mode(False):
        return _Training(
            couplings, rows, held_out, smoothing, start_log_det, schedule, rng, progress
        ).run(cancelled or _never)


def _never() -> bool:
    return False


class _Training:
    """One run of ``train``: the tensors that learn, and the best of them so far."""

    def __init__(
        self,
        couplings: tuple[Coupling, ...],
        rows: np.ndarray,
        held_out: np.ndarray,
        smoothing: Smoothing,
        start_log_det: float,
        schedule: Schedule,
        rng: np.random.Generator,
        progress: Callable[[FlowEpoch], object] | None,
    ) -> None:
        import torch

        self._torch, self._rng, self._schedule = torch, rng, schedule
        self._rows, self._smoothing, self._progress = rows, smoothing, progress
        self._held_out = torch.tensor(held_out, dtype=torch.float32, device="cpu")
        self._log_det = start_log_det
        self._couplings = tuple(self._learnable(coupling) for coupling in couplings)
        learnt = [part for each in self._couplings for part in each.parts[1:]]
        self._adam = torch.optim.Adam(learnt, lr=schedule.learning_rate)
        self._steps = 0
        self._history: list[FlowEpoch] = []
        self._best, self._best_epoch = couplings, 0

    def run(self, cancelled: Callable[[], bool]) -> Trained:
        """Epochs until one of the four reasons to stop."""
        start = self._smoothing.draw(self._rows, self._rng)
        self._note(0, self._evaluate(self._torch.from_numpy(start)))
        return Trained(
            stop_reason=self._epochs(cancelled),
            couplings=self._best,
            history=tuple(self._history),
            best_epoch=self._best_epoch,
        )

    def _epochs(self, cancelled: Callable[[], bool]) -> str:
        for epoch in range(1, self._schedule.max_epochs + 1):
            train_loss = self._epoch(cancelled)
            if train_loss is None:
                return "cancelled"
            noted = self._note(epoch, train_loss)
            if not (math.isfinite(noted.train_loss) and math.isfinite(noted.held_out_loss)):
                return "diverged"
            if epoch - self._best_epoch >= self._schedule.patience:
                return "patience"
        return "max_epochs"

    def _epoch(self, cancelled: Callable[[], bool]) -> float | None:
        """Every row once, in a new order: the mean loss, or None where cancelled."""
        order = self._rng.permutation(len(self._rows))
        total = 0.0
        for first in range(0, len(order), self._schedule.batch_size):
            if cancelled():
                return None
            chosen = self._rows[order[first : first + self._schedule.batch_size]]
            batch = self._torch.from_numpy(self._smoothing.draw(chosen, self._rng))
            loss = self._loss(batch)
            self._adam.zero_grad()
            loss.backward()
            self._adam.step()
            self._steps += 1
            total += loss.item() * len(batch)
        return total / len(order)

    def _note(self, epoch: int, train_loss: float) -> FlowEpoch:
        """Keep what was reached, and the couplings where they are the best; tell it."""
        held_out_loss = self._evaluate(self._held_out)
        noted = FlowEpoch(
            epoch=epoch,
            max_epochs=self._schedule.max_epochs,
            steps=self._steps,
            train_loss=train_loss,
            held_out_loss=held_out_loss,
        )
        if epoch and held_out_loss < self._history[self._best_epoch].held_out_loss:
            self._best_epoch = epoch
            self._best = tuple(_as_numpy(coupling) for coupling in self._couplings)
        self._history.append(noted)
        if self._progress is not None:
            self._progress(noted)
        return noted

    def _evaluate(self, y: Any) -> float:
        with self._torch.no_grad():
            return float(self._loss(y))

    def _loss(self, y: Any) -> Any:
        """-log N(z; 0, I) - log|det|, averaged over rows."""
        z, log_det = chain(self._couplings, y, self._torch)
        constant = 0.5 * y.shape[1] * math.log(2 * math.pi) - self._log_det
        return (0.5 * (z * z).sum(1) - log_det).mean() + constant

    def _learnable(self, coupling: Coupling) -> Coupling:
        """Its parts as tensors; all but the permutation ask for gradients."""
        order, *parts = coupling.parts
        torch = self._torch
        learnt = (torch.tensor(p, dtype=torch.float32, device="cpu") for p in parts)
        return Coupling(torch.tensor(order, device="cpu"), *(p.requires_grad_() for p in learnt))


def _as_numpy(coupling: Coupling) -> Coupling:
    """In float64: exp(a) exp(-a) in float32 would cost the inverse half its digits."""
    order, *parts = (part.detach().numpy() for part in coupling.parts)
    return Coupling(order.copy(), *(part.astype(np.float64) for part in parts))
