"""The flows of the whitening page, each trained by a job with a live loss curve."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from threadpoolctl import threadpool_limits

from geometry.transform.treatments import Treatment
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.seed import SEED
from pages.common.words import _

if TYPE_CHECKING:
    from geometry.transform.flow import FlowEpoch

# epochs of the flows in training, by the key of their points; shared by all sessions
_histories: dict[str, list[FlowEpoch]] = defaultdict(list)


@dataclass(frozen=True)
class TrainedFlow:
    """A fitted flow and its epochs; losses are mean negative log-densities in nats a row."""

    treatment: Treatment
    history: tuple[FlowEpoch, ...]
    n_held_out: int


@kept(8)
def trained_flow(points: CorpusCloud, report: jobs.Progress = jobs.no_report) -> TrainedFlow:
    """The flow of these points; ``_histories`` has its epochs during the training."""
    from geometry import NormalizingFlow  # torch and scikit-learn

    X, history = points.vectors, _histories[points.key]
    history.clear()

    def note(epoch: FlowEpoch) -> None:
        history.append(epoch)
        report(epoch.epoch, epoch.max_epochs)

    # matrix products of the flow are small; on busy cores two threads take ten times as long as
    # one, because they wait for each other
    with threadpool_limits(limits=1, user_api="openmp"):
        flow = NormalizingFlow(random_state=SEED).fit(X, progress=note)
    return TrainedFlow(Treatment("flow", len(X), None, flow.map_), flow.history_, flow.n_held_out_)


def flow_treatment(points: CorpusCloud) -> Treatment | None:
    """The flow that was trained on these points as a treatment; None if there is none yet."""
    trained = trained_flow.find(points)
    return None if trained is None else trained.treatment


def train_flow(points: CorpusCloud) -> None:
    """Train a flow on the points, with count, live loss curve and cancel."""
    place = st.empty()
    n_drawn = 0

    def watch() -> None:
        nonlocal n_drawn
        history = list(_histories[points.key])
        if len(history) > max(1, n_drawn):
            n_drawn = len(history)
            _draw_live(place, history)

    jobs.kept_or_made(
        trained_flow,
        points,
        what=_("Training a flow on {n} points").format(n=f"{len(points.cloud):,}"),
        lane="flow",
        watch=watch,
        is_long=True,
    )
    _histories.pop(points.key, None)


def _draw_live(place: DeltaGenerator, history: list[FlowEpoch]) -> None:
    """The losses so far, minus their first values, because this chart's axis starts at 0.

    Streamlit's own chart needs no key, so one run can redraw it.
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
        y_label=_("change since the start, nats per point"),
        height=300,
    )
