"""The flow on the whitening page: trained as a job with a live loss curve, then kept."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from threadpoolctl import threadpool_limits

from geometry.transform.treatments import Treatment
from pages.common import jobs
from pages.common.cached import SEED, NotKept, nothing_kept
from pages.common.words import Translate

if TYPE_CHECKING:
    from collections.abc import Callable

    from geometry.transform.flow_training import FlowEpoch

_histories: dict[str, list[FlowEpoch]] = defaultdict(list)  # of flows in training, for all sessions


@dataclass(frozen=True)
class TrainedFlow:
    """A fitted flow and how it got there; losses are mean negative log-densities in nats a row."""

    treatment: Treatment
    history: tuple[FlowEpoch, ...]
    n_held_out: int


def kept_flow(fit_key: str) -> Treatment | None:
    """The flow that was trained on the rows of that key, None where it still has to be."""
    trained = trained_flow(fit_key)
    return None if trained is None else trained.treatment


def trained_flow(fit_key: str) -> TrainedFlow | None:
    """The same with its history."""
    try:
        kept: TrainedFlow = _kept(fit_key, nothing_kept)
    except NotKept:
        return None
    return kept


@st.cache_resource(max_entries=8, show_spinner=False)
def _kept(fit_key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def train_flow(fit_key: str, X: np.ndarray, _: Translate) -> None:
    """Train it, with count, live loss curve and cancel; then it is kept."""

    def work(report: jobs.Report) -> TrainedFlow:
        from geometry import NormalizingFlow  # torch and scikit-learn

        history = _histories[fit_key]
        history.clear()

        def told(epoch: FlowEpoch) -> None:
            history.append(epoch)
            report(epoch.epoch, epoch.max_epochs)

        # its products are small: two threads that wait for each other on busy cores take ten
        # times as long as one
        with threadpool_limits(limits=1, user_api="openmp"):
            flow = NormalizingFlow(random_state=SEED).fit(X, progress=told)
        return TrainedFlow(
            Treatment("flow", len(X), None, flow.map_),
            flow.history_,
            flow.n_held_out_,
        )

    what = _("Training a flow on {n} points").format(n=f"{len(X):,}")
    place = st.empty()
    seen = 0

    def watch() -> None:
        nonlocal seen
        history = list(_histories[fit_key])
        if len(history) > max(1, seen):
            seen = len(history)
            _draw_live(place, history, _)

    trained = jobs.wait_for(
        f"flow-{fit_key}", work, _, what, lane="flow", amount="{:,.0f}".format, watch=watch
    )
    _histories.pop(fit_key, None)
    _kept(fit_key, lambda: trained)


def _draw_live(place: DeltaGenerator, history: list[FlowEpoch], _: Translate) -> None:
    """The losses so far, from where each began: a chart whose axis starts at 0 shows no less.

    Streamlit's own chart: it can be redrawn within one run, without a key.
    """
    first = history[0]
    lines = {
        _("loss on the fitted points"): [e.train_loss - first.train_loss for e in history],
        _("loss on points held out"): [e.held_out_loss - first.held_out_loss for e in history],
    }
    place.line_chart(
        {_("epoch"): [epoch.epoch for epoch in history], **lines},
        x=_("epoch"),
        y=list(lines),
        y_label=_("change since the start, nats a point"),
        height=300,
    )
