"""The page's claim beside what is measured of the reader's own texts."""

from __future__ import annotations

from dataclasses import asdict

from geometry.data.corpus import read_bundled
from geometry.data.number_text import estimate, signed
from geometry.encode.cloud import is_stored
from geometry.measure import Measured, mean_cosine
from geometry.measure.cone import NARROW
from geometry.measure.intervals import MIN_ROWS
from pages.common.corpus_cloud import CorpusCloud, encode_corpus, store
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .result import cloud_line
from .scene import Scene


def cone_verdict(scene: Scene) -> Verdict:
    """Whether the texts form a narrow cone, and how narrow the bundled corpus is, if encoded."""
    points = scene.points
    state, cosine = _state_of(scene.mean_cosine)
    words = {
        "holds": _(
            "Your {units} form a narrow cone: the mean cosine of two of them, drawn at random, is "
            "{cosine}. Isotropic directions have 0, and a narrow cone has {limit} or more."
        ),
        "partly": _(
            "Your {units} hardly form a cone: the mean cosine of two of them, drawn at random, is "
            "{cosine}. Isotropic directions have 0, and a narrow cone has {limit} or more."
        ),
        "fails": _(
            "Your {units} form no cone: the mean cosine of two of them, drawn at random, is "
            "{cosine}, and isotropic directions have 0."
        ),
        "unknown": _(
            "The mean cosine of your {units} is {cosine}. To say whether they form a cone, at "
            "least {least} are needed that are not all alike."
        ),
    }
    units = _("texts") if points.model else _("vectors")
    measured = words[state].format(
        units=units, cosine=f"**{cosine}**", limit=NARROW, least=MIN_ROWS
    )
    if state != "unknown" and scene.is_bundled_model:
        measured = " ".join(filter(None, [measured, _comparison(points)]))
    return Verdict(
        claim=(
            _("Texts of any subject form a narrow cone in the middle layers of a model.")
            if points.model
            else _("The vectors of a language model form a narrow cone.")
        ),
        source="Ethayarajh (2019)",
        state=state,
        measured=measured,
        basis=" · ".join([cloud_line(points), _("95% interval: jackknife over rows")]),
    )


def _state_of(row: Measured) -> tuple[State, str]:
    """The verdict's state, and the mean cosine with its interval."""
    if row.value is None or row.low is None or row.high is None:
        return "unknown", "—" if row.value is None else signed(row.value, 3)
    state: State = "holds" if row.low >= NARROW else "partly" if row.low > 0 else "fails"
    return state, estimate(row.value, row.low, row.high)


def _comparison(points: CorpusCloud) -> str:
    """The bundled corpus at the same layer and pooling; empty if its vectors are not stored."""
    corpus = read_bundled("topics")
    if not is_stored(points.encoder, corpus, **asdict(points.spec), store=store()):
        return ""
    topics = encode_corpus(corpus, points.spec)
    return _("The corpus Topics, of twelve subjects, has {cosine} at the same layer.").format(
        cosine=signed(mean_cosine(topics.vectors), 3)
    )
