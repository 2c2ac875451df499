"""The trained flows of the whitening page, cached by the points that they were fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from geometry.transform.treatments import Treatment
from pages.common.cache import Cache
from pages.common.corpus_cloud import CorpusCloud

if TYPE_CHECKING:
    from geometry.transform.flow import FlowEpoch


@dataclass(frozen=True)
class TrainedFlow:
    """A fitted flow and its epochs; losses are mean negative log-densities in nats a row."""

    treatment: Treatment
    history: tuple[FlowEpoch, ...]
    n_held_out: int


_FLOWS: Cache[TrainedFlow] = Cache("trained-flows", max_entries=8)


def trained_flow(points: CorpusCloud) -> TrainedFlow | None:
    """The flow that was trained on these points; None if there is none yet."""
    return _FLOWS.get(points.key, private=points.private)


def put_trained_flow(points: CorpusCloud, trained: TrainedFlow) -> None:
    """Cache the flow that was trained on these points."""
    _FLOWS.put(points.key, trained, private=points.private)


def flow_treatment(points: CorpusCloud) -> Treatment | None:
    """The trained flow as a treatment."""
    trained = trained_flow(points)
    return None if trained is None else trained.treatment
