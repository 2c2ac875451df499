"""The training of a flow on the whitening page, a job with a live loss curve."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from threadpoolctl import threadpool_limits

from geometry.transform.treatments import Treatment
from pages.common import jobs
from pages.common.seed import SEED
from pages.common.words import _

from .scene import Scene
from .trained_flows import TrainedFlow, put_trained_flow

if TYPE_CHECKING:
    from geometry.transform.flow import FlowEpoch

# epochs of the flows in training, by the key of their points; shared by all sessions
_histories: dict[str, list[FlowEpoch]] = defaultdict(list)


def train_flow(scene: Scene) -> None:
    """Train a flow on the fit set, with count, live loss curve and cancel; then cache it."""
    points = scene.sets.fit_points
    X = points.vectors

    def work(report: jobs.Progress) -> TrainedFlow:
        from geometry import NormalizingFlow  # torch and scikit-learn

        history = _histories[points.key]
        history.clear()

        def note(epoch: FlowEpoch) -> None:
            history.append(epoch)
            report(epoch.epoch, epoch.max_epochs)

        # matrix products of the flow are small; on busy cores two threads take ten times as long
        # as one, because they wait for each other
        with threadpool_limits(limits=1, user_api="openmp"):
            flow = NormalizingFlow(random_state=SEED).fit(X, progress=note)
        return TrainedFlow(
            Treatment("flow", len(X), None, flow.map_),
            flow.history_,
            flow.n_held_out_,
        )

    what = _("Training a flow on {n} points").format(n=f"{len(X):,}")
    place = st.empty()
    n_drawn = 0

    def watch() -> None:
        nonlocal n_drawn
        history = list(_histories[points.key])
        if len(history) > max(1, n_drawn):
            n_drawn = len(history)
            _draw_live(place, history)

    trained = jobs.wait_for(
        f"flow-{points.key}",
        work,
        what,
        lane="flow",
        amount="{:,.0f}".format,
        watch=watch,
        is_long=True,
    )
    _histories.pop(points.key, None)
    put_trained_flow(points, trained)


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
