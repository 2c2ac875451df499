"""One cloud under several treatments, and the page's claim beside what is measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from threadpoolctl import threadpool_limits

from geometry import UndefinedMeasure
from geometry.data.corpus import read_bundled
from geometry.data.number_text import change, signed
from geometry.data.pairs import read_bundled_pairs
from geometry.encode import ArrayStore
from geometry.linalg.moments import Moments
from geometry.linalg.rows import count_distinct
from geometry.measure import Annotations, Measured, label_agreement, measure_table
from geometry.measure.intervals import MIN_ROWS, Estimate
from geometry.measure.neighbours import AgreementDraws
from geometry.projection import Projection
from geometry.projection.projection import match_radius, settle
from geometry.training.contrastive import POSITIVE
from geometry.transform import WhiteningMap
from geometry.transform.remove import WeightedRemoval
from geometry.transform.treatments import (
    COUNTS,
    PAIRS,
    ROWS,
    TRAINING,
    TREATMENTS,
    Knobs,
    Treated,
    Treatment,
    TreatmentKind,
    fit_treatment,
    treatment_of_moments,
)
from pages.common import jobs, measures
from pages.common.cache import kept
from pages.common.cloud_choices import SAME, Look, fit_words
from pages.common.corpus_cloud import CorpusCloud, encode_corpus, labels_of
from pages.common.downloads import short_number
from pages.common.measures import Control, NoControl, State, Verdict
from pages.common.messages import too_few_for_interval
from pages.common.origin import agreement_note, origin, weight_words
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_names
from pages.common.uploads import chosen_corpus
from pages.common.words import _, aligned_table, labelled, markdown, paragraph

if TYPE_CHECKING:
    from geometry.transform.flow import FlowEpoch


# ---- flows, each trained by a job with a live loss curve ----


# epochs of the flows in training, by the key of their points; shared by all sessions
_histories: dict[str, list[FlowEpoch]] = defaultdict(list)


@dataclass(frozen=True)
class TrainedFlow:
    treatment: Treatment
    history: tuple[FlowEpoch, ...]
    n_held_out: int


@kept(8)
def trained_flow(points: CorpusCloud, report: jobs.Progress = jobs.no_report) -> TrainedFlow:
    from geometry import NormalizingFlow  # torch and scikit-learn

    X = points.vectors
    history = _histories[points.key]

    def note(epoch: FlowEpoch) -> None:
        history.append(epoch)
        report(epoch.epoch, epoch.max_epochs)

    # matrix products of the flow are small; on busy cores two threads take ten times as long as
    # one, because they wait for each other
    try:
        with threadpool_limits(limits=1, user_api="openmp"):
            flow = NormalizingFlow(random_state=SEED).fit(X, progress=note)
    finally:
        _histories.pop(points.key, None)
    return TrainedFlow(Treatment("flow", len(X), None, flow.map_), flow.history_, flow.n_held_out_)


def train_flow(points: CorpusCloud) -> None:
    """Train a flow, with a live loss curve. UndefinedMeasure for fewer than three points."""
    from geometry.transform.flow import MIN_DISTINCT_ROWS

    distinct = count_distinct(points.vectors, most=MIN_DISTINCT_ROWS)
    if distinct < MIN_DISTINCT_ROWS:
        raise UndefinedMeasure("too_few_distinct", at_least=MIN_DISTINCT_ROWS, n=distinct)
    place = st.empty()
    n_drawn = 0

    def watch() -> None:
        nonlocal n_drawn
        history = list(_histories.get(points.key, ()))
        if len(history) > max(1, n_drawn):
            n_drawn = len(history)
            _draw_live(place, history)

    what = _("Training a flow on {n} points").format(n=f"{len(points.cloud):,}")
    jobs.kept_or_made(trained_flow, points, what=what, lane="flow", watch=watch, is_long=True)


def _draw_live(place: DeltaGenerator, history: list[FlowEpoch]) -> None:
    """The losses minus their first values, because this chart's axis starts at 0; both terms."""
    first = history[0]
    lines = {
        _("loss on the fitted points"): [e.train_loss - first.train_loss for e in history],
        _("loss on points held out"): [e.held_out_loss - first.held_out_loss for e in history],
    }
    with place.container():
        st.line_chart(
            {_("epoch"): [epoch.epoch for epoch in history], **lines},
            x=_("epoch"),
            y=list(lines),
            y_label=_("change since the start, nats per point"),
            height=300,
        )
        st.latex(LOG_LIKELIHOOD)
        st.markdown(terms_table([history[0], history[-1]]))


# on two lines, because the column of a picture is narrow
LOG_LIKELIHOOD = (
    r"\small\begin{aligned}\log p(x) = {} & \log \mathcal{N}(f(x);\, 0, I) \\"
    r"& + \log \left\lvert \det \frac{\partial f}{\partial x} \right\rvert\end{aligned}"
)


def terms_table(epochs: Sequence[FlowEpoch]) -> str:
    """Both terms of the likelihood of the held-out points, and their sum; a column an epoch."""
    terms = {
        r"\log \mathcal{N}": [each.held_out_log_normal for each in epochs],
        r"\log \lvert \det \rvert": [each.held_out_log_det for each in epochs],
        r"\log p(x)": [-each.held_out_loss for each in epochs],
    }
    lines = [
        [f"${name}$", *(signed(value, 1) for value in values)] for name, values in terms.items()
    ]
    return aligned_table([_("epoch"), *(f"{each.epoch}" for each in epochs)], lines)


# ---- the scene ----


SAMPLE_ROWS = 5000  # for intervals and figures over pairs; the page says so
FRAME_MARGIN = 1.1


@dataclass(frozen=True)
class TreatedCloud:
    treatment: Treatment  # fitted, at the knobs' settings
    points: CorpusCloud  # those shown
    look: Look
    content_key: str  # names the treated vectors
    private: bool  # True if they come from a reader's own texts

    @property
    def n_slow(self) -> int:
        return self.points.n_slow

    @property
    def name(self) -> str:
        return self.treatment.name

    @property
    def title(self) -> str:
        return treatment_names()[self.name]

    @property
    def kind(self) -> TreatmentKind:
        return TREATMENTS[self.name]

    @property  # not kept here: Streamlit stores the scene of each session for its downloads
    def treated(self) -> Treated:
        """The treated vectors, computed when needed: kept numbers do not need them."""
        return _treated(self)

    def on(self, points: CorpusCloud) -> TreatedCloud:
        """The same treatment of some of the points, such as a sample."""
        if points is self.points:
            return self
        return replace(self, points=points, content_key=f"{self.content_key}/{len(points.cloud)}")

    @cached_property
    def projection(self) -> Projection:
        return _projected(self, self.look.view, self.look.n_components)

    @cached_property
    def factor(self) -> float:
        """Multiplies the drawn coordinates, so that all pictures have one rms radius."""
        raw = self.points.project(self.look.view, self.look.n_components)
        return match_radius(raw.around_origin, self.projection.around_origin)


# treated vectors take 8 MB for 5,000 points
@kept(24, in_run=True)
def _treated(picture: TreatedCloud) -> Treated:
    return picture.treatment.apply(picture.points.vectors)


# for each cloud and stop of the sliders; shared by all readers, and small
@kept(2000)
def _projected(picture: TreatedCloud, view: str, n_components: int) -> Projection:
    raw = picture.points.project(view, n_components)
    if picture.name == "raw":
        return raw
    Z = picture.treated.vectors
    return settle(raw.apply(Z), picture.points.vectors, Z)


@dataclass(frozen=True)
class PointSets:
    points: CorpusCloud
    fit_points: CorpusCloud
    code: str  # of the fit set: SAME, SPLIT or another corpus

    @cached_property
    def sample(self) -> CorpusCloud:
        """The points of intervals, of the table, and of figures over pairs."""
        return self.points.sample(SAMPLE_ROWS)

    @property
    def is_all_fitted(self) -> bool:
        return self.code == SAME and len(self.fit_points.cloud) == len(self.points.cloud)

    def overlap_with_fit(self, name: str) -> str:
        """How many of the points shown that treatment was fitted on: "all", "some" or "none"."""
        if name == "raw":
            return "none"
        if TREATMENTS[name].needs == PAIRS:  # fitted on the sentences of the bundled pairs
            return "all" if self.points.corpus.sha256 == read_bundled("pairs").sha256 else "none"
        if self.code != SAME:
            return "none"
        return "all" if self.is_all_fitted else "some"

    @property
    def whitening(self) -> WhiteningMap:
        """ZCA whitening of the fit set without shrinkage, for its rank."""
        return _fit("zca", self.fit_points).fitted


@dataclass(frozen=True)
class WhiteningScene:
    """All pictures in one basis and one scale, raw first; the argument of every panel."""

    sets: PointSets
    knobs: Knobs
    look: Look
    chosen: int | None  # the row that is ringed
    pictures: tuple[TreatedCloud, ...]
    reach: float  # half-width of every picture's frame
    waits_for_flow: bool  # a flow is chosen and not trained yet


def build_scene(
    sets: PointSets, names: tuple[str, ...], knobs: Knobs, look: Look, chosen: int | None
) -> WhiteningScene | None:
    """Every treatment of the same points; None if all points shown are equal, or all of the fit."""
    if not (sets.whitening.rank and _fit("zca", sets.points).rank):
        return None
    sets.points.project_in_job(look.view, look.n_components)
    fitted = [_fitted(name, sets) for name in names]
    ready = [treatment for treatment in fitted if treatment is not None]
    # the frame is that of the default knobs, so that the scale is constant while a slider moves
    at_rest = [_picture(treatment, sets, Knobs(), look) for treatment in ready]
    return WhiteningScene(
        sets,
        knobs,
        look,
        chosen,
        pictures=tuple(_picture(treatment, sets, knobs, look) for treatment in ready),
        reach=max(each.factor * each.projection.half_width for each in at_rest) * FRAME_MARGIN,
        waits_for_flow=len(ready) < len(fitted),
    )


def _picture(treatment: Treatment, sets: PointSets, knobs: Knobs, look: Look) -> TreatedCloud:
    """The treatment at those knobs; most knobs change only some of the pictures."""
    # the fit set does not change raw vectors, and those that are fitted on the bundled pairs
    is_unfitted = treatment.name == "raw" or TREATMENTS[treatment.name].needs == PAIRS
    fit_key = "" if is_unfitted else sets.fit_points.key
    settings = asdict(knobs.of(treatment.name))
    key = ArrayStore.key(sets.points.key, fit_key, treatment.name, settings)
    turned = treatment.turn(knobs)
    is_private = sets.points.private or sets.fit_points.private
    return TreatedCloud(turned, sets.points, look, key, is_private)


def fit_cloud(name: str, knobs: Knobs, scene: WhiteningScene) -> TreatedCloud:
    """The points of the fit, treated by the whitening of that name that was fitted on them."""
    fit = scene.sets.fit_points
    own = replace(scene.sets, points=fit)
    return _picture(_fit(name, fit), own, knobs, scene.look)


def _fitted(name: str, sets: PointSets) -> Treatment | None:
    """The fitted treatment; None for a flow that is not trained yet."""
    if name == "flow":
        trained = trained_flow.find(sets.fit_points)
        return None if trained is None else trained.treatment
    if name == "learned":
        return _learned(encode_corpus(chosen_corpus("pairs"), sets.points.spec))
    return _fit(name, sets.fit_points)


@kept(96)
def _fit(name: str, points: CorpusCloud) -> Treatment:
    X = points.vectors
    weights = points.weights
    kind = TREATMENTS[name]
    if weights is None or kind.needs or kind.fit is None:
        counts = points.cloud.counts if kind.needs == COUNTS else None
        return fit_treatment(name, X, sample_weight=counts, random_state=SEED)
    return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))


@kept(8)
def _learned(points: CorpusCloud) -> Treatment:
    """Removal whose weights are learned on the project's own pairs: left sentences, then right."""
    X = points.vectors
    gold = read_bundled_pairs().gold_scores
    m = len(gold)
    pairs = np.column_stack([np.arange(m), np.arange(m) + m])
    removal = WeightedRemoval().fit(X, pairs=pairs, gold_scores=gold)
    return Treatment("learned", len(X), removal.rank_, removal.map_)


# ---- what the numbers were measured on ----


def provenance(scene: WhiteningScene) -> str:
    sets = scene.sets
    knobs = scene.knobs
    ratio = sets.fit_points.effective_n / sets.points.vectors.shape[1]
    parts = [
        *origin(sets.points),
        _("centring {s}").format(s=f"{knobs.centring:.2f}"),
        _("strength {t}").format(t=f"{knobs.strength:.2f}"),
        fit_words(sets.code, sets.fit_points),
        *weight_words(sets.fit_points),
        _("n/d = {ratio}").format(ratio=f"{ratio:.2f}"),
        *_ranks(scene),
    ]
    if sets.sample is not sets.points:
        sampled = _("neighbours, pairs and intervals: a sample of {n}")
        parts.append(sampled.format(n=f"{len(sets.sample.cloud):,}"))
    parts += agreement_note(sets.points)
    return " · ".join([*parts, _("seed {seed}").format(seed=sets.points.spec.seed)])


def _ranks(scene: WhiteningScene) -> list[str]:
    sets = scene.sets
    d = sets.points.vectors.shape[1]
    parts = [_("rank {rank} of {d}").format(rank=sets.whitening.rank, d=d)]
    whitened = [picture for picture in scene.pictures if picture.kind.is_whitening]
    if whitened:
        shares = [picture.treatment.fitted.shrinkage for picture in whitened]
        words = [
            _("shrinkage {a}").format(a=f"{a:.3f}") if a else _("no shrinkage") for a in shares
        ]
        # Ledoit-Wolf with weights by word counts gives another value
        titles = [picture.title for picture in whitened]
        parts += words[:1] if len(set(words)) == 1 else map(labelled, titles, words)
        if (k := scene.knobs.n_components) is not None:
            parts.append(_("directions kept: {k}").format(k=k))
    for picture in scene.pictures:
        needs = picture.kind.needs
        if "n_removed" in picture.kind.knobs:
            n_removed = len(picture.treatment.fitted.weights)
            parts.append(_("directions removed: {k}").format(k=n_removed))
        if sets.fit_points.weights is not None and needs in (ROWS, TRAINING):
            parts.append(labelled(picture.title, _("fit unweighted")))
        if needs in (COUNTS, PAIRS):  # fitted with other weights, or on other points
            parts.append(labelled(picture.title, _own_fit(picture, scene)))
    return parts


def _own_fit(picture: TreatedCloud, scene: WhiteningScene) -> str:
    """The fit set and settings of a picture whose fit differs from the others."""
    if picture.kind.needs == PAIRS:
        n = f"{picture.treatment.n_rows:,}"
        return _("fitted on the {n} sentences of the scored pairs").format(n=n)
    d = scene.sets.points.vectors.shape[1]
    return _("rank {rank} of {d}").format(rank=picture.treatment.rank, d=d)


def fit_cells_of(picture: TreatedCloud, scene: WhiteningScene) -> list[str]:
    fitted_on = "" if picture.name == "raw" else fit_words(scene.sets.code, scene.sets.fit_points)
    if picture.kind.needs == PAIRS:
        fitted_on = _own_fit(picture, scene)
    a = picture.treatment.fitted.shrinkage if picture.kind.is_whitening else None
    return [fitted_on, *map(short_number, (picture.treatment.rank, a))]


# ---- labels of neighbours ----


# for each cloud and setting of the sliders; shared by all readers
@kept(2000)
def agreement(picture: TreatedCloud, sample: CorpusCloud) -> float | None:
    """Share of the five nearest of other units with the same label, if there are labels."""
    labels = labels_of(sample.cloud)
    with suppress(UndefinedMeasure):
        if labels is not None:
            return label_agreement(picture.on(sample).treated.retained, labels, units=sample.units)
    return None


def agreement_change(
    before: TreatedCloud, after: TreatedCloud, scene: WhiteningScene
) -> Estimate | None:
    """The change of the agreement with its interval; None without labels or with few points."""
    first, then = (_draws_of(each, scene.sets.sample) for each in (before, after))
    return None if first is None or then is None else measures.since(first, then)


@kept(2000)
def _draws_of(picture: TreatedCloud, sample: CorpusCloud) -> AgreementDraws | None:
    labels = labels_of(sample.cloud)
    if labels is None:
        return None
    return measures.agreement_of(picture.on(sample).treated.retained, labels, sample.units)


# ---- annotations ----


def annotations_of(sample: CorpusCloud) -> Annotations:
    """Labels; positive pairs of the bundled sentences; types and sentences of tokens; counts."""
    cloud = sample.cloud
    units = sample.units
    labels = labels_of(cloud)
    if cloud.unit == "tokens":
        types = np.array(cloud.texts)
        return Annotations(types=types, sentences=cloud.sources, labels=labels, units=units)
    if cloud.unit == "types":
        return Annotations(frequencies=cloud.counts, labels=labels)
    if sample.corpus.sha256 == read_bundled("pairs").sha256:
        return Annotations(pairs=_positive_pairs(cloud.sources), labels=labels)
    return Annotations(labels=labels, units=units)


def _positive_pairs(sources: np.ndarray) -> np.ndarray:
    """Rows (m, 2) of the positive pairs whose two sentences are both among the rows.

    sources (n,) : the sentence of each row, numbered with all left sentences before the right ones.
    """
    gold = read_bundled_pairs().gold_scores
    row_of = np.full(2 * len(gold), -1)
    row_of[sources] = np.arange(len(sources))
    left = np.flatnonzero(gold > POSITIVE)
    both = np.column_stack([row_of[left], row_of[left + len(gold)]])
    return both[(both >= 0).all(axis=1)]


# ---- claim ----


def whitening_verdict(scene: WhiteningScene) -> Verdict:
    state, said, control = _findings(scene)
    how = _("95% intervals: IsoScore by jackknife, neighbours by paired subsamples")
    return Verdict(
        claim=_("Whitening makes embeddings isotropic and nearest neighbours better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=state,
        measured=said,
        control=control,
        basis=f"{provenance(scene)} · {how}",
    )


def _findings(scene: WhiteningScene) -> tuple[State, str, Control | NoControl]:
    """The state, its words and the control: subtracting the mean alone, with the same fit."""
    sets = scene.sets
    nothing = measures.nothing_measured()
    raw, *others = scene.pictures
    white = next((picture for picture in others if picture.kind.is_whitening), None)
    if white is None:
        words = _("None of the pictures is a whitening. Choose a whitening above.")
        return "unknown", words, nothing
    if sets.overlap_with_fit(white.name) != "none":
        words = _(
            "The whitening was fitted on the points shown, so its isotropy follows from the fit. "
            "Choose “the other half” or another corpus under “Fit on”."
        )
        return "unknown", words, nothing
    before, after = (_isoscore(each, sets.sample) for each in (raw, white))
    if before.high is None or after.low is None:
        return "unknown", too_few_for_interval(len(sets.points.cloud)), nothing
    rises = after.low > before.high
    words = _("{name} does not make the points more isotropic: IsoScore {before} → {after}.")
    if rises:
        words = _("{name} makes the points more isotropic: IsoScore {before} → {after}.")
    first, then = map(measures.measured_words, (before, after))
    said = words.format(name=white.title, before=first, after=f"**{then}**")
    beside = _(
        "as many isotropic points have an IsoScore of {best}. Subtracting the mean alone changes "
        "no IsoScore."
    ).format(best=signed(after.baseline or 0.0, 3))
    found = agreement_change(raw, white, scene)
    if found is None:
        needs = _("For neighbours this needs a corpus with labels, and {least} points or more.")
        return "unknown", paragraph([said, needs.format(least=MIN_ROWS)]), Control(beside)
    better = measures.by_direction(
        found,
        _("Nearest neighbours become better ({label}): {change}."),
        _("Nearest neighbours become worse ({label}): {change}."),
        _("Nearest neighbours do not change clearly ({label}): {change}."),
    )
    label = markdown(measures.same_label(sets.points.corpus))
    said = paragraph([said, better.format(label=label, change=_bold_change(found))])
    centred = _picture(_fit("centred", sets.fit_points), sets, Knobs(), scene.look)
    by_centring = agreement_change(raw, centred, scene)
    over = agreement_change(centred, white, scene)
    if by_centring is not None and over is not None:
        words = _("It changes the neighbours by {alone}; whitening beyond it by {over}.")
        alone, beyond = map(_bold_change, (by_centring, over))
        beside = paragraph([beside, words.format(alone=alone, over=beyond)])
    falls = (after.high or 0.0) < (before.low or 0.0)
    return claim_state(rises, falls, found, over), said, Control(beside)


def _bold_change(moved: Estimate) -> str:
    return f"**{change(moved.value, moved.low, moved.high)}**"


def claim_state(rises: bool, falls: bool, found: Estimate, over: Estimate | None) -> State:
    """The state from the IsoScore, the change of the neighbours, and that beyond centring."""
    if rises and found.rises and over is not None and over.rises:
        return "holds"
    if rises or found.rises:
        return "partly"
    return "fails" if falls or found.falls else "unknown"


@kept(2000)
def _isoscore(picture: TreatedCloud, sample: CorpusCloud) -> Measured:
    X = picture.on(sample).treated.retained
    [row] = measure_table(X, names=["isoscore"], seed=SEED, simulate=False, units=sample.units)
    return row
