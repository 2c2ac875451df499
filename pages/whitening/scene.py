"""The state of the whitening page at its settings: one cloud under several treatments."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from geometry import Cloud, Corpus
from geometry.data.corpus import read_bundled
from geometry.encode import ArrayStore
from geometry.linalg.moments import Moments
from geometry.projection import Projection
from geometry.projection.projection import match_radius, settle
from geometry.projection.twin import FRAME_SHARE
from geometry.transform import WhiteningMap
from geometry.transform.learned_removal import WeightedRemoval
from geometry.transform.treatments import (
    COUNTS,
    PAIRS,
    TREATMENTS,
    Knobs,
    Treated,
    Treatment,
    TreatmentKind,
    fit_treatment,
    treatment_of_moments,
)
from pages.common.cache import kept
from pages.common.cloud_choices import Look
from pages.common.corpus_cloud import CorpusCloud, encode_corpus
from pages.common.fit_set import SAME
from pages.common.seed import SEED
from pages.common.uploads import chosen_corpus

from .choices import FitRows
from .flow import flow_treatment

SAMPLE_ROWS = 5000  # for intervals and figures over pairs; the page says so
FRAME_MARGIN = 1.1


@dataclass(frozen=True)
class ScaledProjection:
    """Where the points of a treated cloud are drawn.

    Attributes
    ----------
    factor : float
        Multiplies the drawn coordinates, so that all pictures have one rms radius.
    reach : float
        Half-width of a frame with nearly all points inside.
    """

    projection: Projection
    factor: float
    reach: float


@dataclass(frozen=True)
class TreatedCloud:
    """One treatment of the cloud, and its picture.

    Attributes
    ----------
    treatment : Treatment
        Fitted, at the knobs' settings.
    points : CorpusCloud
        Those shown.
    look : Look
    content_key : str
        Names the treated vectors.
    private : bool
        True if they come from a reader's own texts.
    """

    treatment: Treatment
    points: CorpusCloud
    look: Look
    content_key: str
    private: bool

    @property
    def name(self) -> str:
        """The treatment's code."""
        return self.treatment.name

    @property
    def kind(self) -> TreatmentKind:
        """The treatment before its fit."""
        return TREATMENTS[self.name]

    @cached_property
    def treated(self) -> Treated:
        """The treated vectors, computed at first use: kept numbers do not need them."""
        return _treated(self)

    def on(self, points: CorpusCloud) -> TreatedCloud:
        """The same treatment of some of the points, such as a sample."""
        if points is self.points:
            return self
        return replace(self, points=points, content_key=f"{self.content_key}/{len(points.cloud)}")

    @cached_property
    def scaled(self) -> ScaledProjection:
        """Where the points are drawn, and their scale."""
        return _scaled(self, self.look.view, self.look.n_components)

    @property
    def projection(self) -> Projection:
        """Where the points are drawn."""
        return self.scaled.projection

    @property
    def factor(self) -> float:
        """Multiplies the drawn coordinates, so that all pictures have one rms radius."""
        return self.scaled.factor

    @property
    def is_emptied(self) -> bool:
        """True if the treatment removed all but rounding errors along the picture's axes."""
        return not self.projection.around_origin.any()


# treated vectors take 8 MB for 5,000 points
@kept(24)
def _treated(picture: TreatedCloud) -> Treated:
    return picture.treatment.apply(picture.points.vectors)


# for each cloud and stop of the sliders; shared by all readers, and small
@kept(2000)
def _scaled(picture: TreatedCloud, view: str, n_components: int) -> ScaledProjection:
    raw = projection = picture.points.project(view, n_components)
    if picture.name != "raw":
        Z = picture.treated.vectors
        projection = settle(raw.apply(Z), picture.points.vectors, Z)
    factor = match_radius(raw.around_origin, projection.around_origin)
    distances = np.abs(projection.around_origin).max(axis=1) * factor
    return ScaledProjection(projection, factor, float(np.quantile(distances, FRAME_SHARE)))


@dataclass(frozen=True)
class PointSets:
    """The points that are shown, and those that the treatments are fitted on."""

    points: CorpusCloud
    fit_points: CorpusCloud
    fit_set: FitRows

    @cached_property
    def sample(self) -> CorpusCloud:
        """The points of intervals, of the table, and of figures over pairs."""
        return self.points.sample(SAMPLE_ROWS)

    @property
    def is_sampled(self) -> bool:
        """True if the sample has fewer points than are shown."""
        return self.sample is not self.points

    @property
    def corpus(self) -> Corpus:
        """The corpus of the points shown."""
        return self.points.corpus

    @property
    def cloud(self) -> Cloud:
        """The points shown."""
        return self.points.cloud

    @property
    def fit(self) -> Cloud:
        """The points of the fit."""
        return self.fit_points.cloud

    @property
    def is_private(self) -> bool:
        """True if a reader's own texts are among the points or the fit."""
        return self.points.private or self.fit_points.private

    @property
    def is_own_fit(self) -> bool:
        """True if the fitted points are among those shown."""
        return self.fit_set.code == SAME

    @property
    def is_all_fitted(self) -> bool:
        """True if the fitted points are exactly those shown."""
        return self.is_own_fit and len(self.fit) == len(self.cloud)

    def overlap_with_fit(self, name: str) -> str:
        """How many of the points shown that treatment was fitted on: "all", "some" or "none"."""
        if name == "raw":
            return "none"
        if TREATMENTS[name].needs == PAIRS:  # fitted on the sentences of the bundled pairs
            return "all" if self.corpus.sha256 == read_bundled("pairs").sha256 else "none"
        if not self.is_own_fit:
            return "none"
        return "all" if self.is_all_fitted else "some"

    @property
    def whitening(self) -> WhiteningMap:
        """ZCA whitening of the fit set without shrinkage, for its rank."""
        fitted: WhiteningMap = _fit("zca", self.fit_points).fitted
        return fitted

    @property
    def has_spread(self) -> bool:
        """False if all points shown are equal, or all points of the fit."""
        return bool(self.whitening.rank and _fit("zca", self.points).rank)


@dataclass(frozen=True)
class Scene:
    """All pictures in one basis and one scale, raw first; the argument of every panel.

    Attributes
    ----------
    chosen : int or None
        The row that is ringed.
    pictures : tuple of TreatedCloud
    reach : float
        Half-width of every picture's frame.
    waiting : tuple of str
        Treatments that are not fitted yet.
    """

    sets: PointSets
    knobs: Knobs
    look: Look
    chosen: int | None
    pictures: tuple[TreatedCloud, ...]
    reach: float
    waiting: tuple[str, ...]


def choose_point_sets(points: CorpusCloud, fit: CorpusCloud, fit_set: FitRows) -> PointSets:
    """The points shown, and a part of the fit set.

    Parameters
    ----------
    points : CorpusCloud
        Those shown.
    fit : CorpusCloud
        All points of the fit set.
    fit_set : FitRows
        How many of its rows to take; they are drawn with a seed.
    """
    available = len(fit.cloud)
    if fit_set.rows < available:
        order = np.random.default_rng(SEED).permutation(available)
        fit = fit.take(np.sort(order[: fit_set.rows]), str(fit_set.rows))
    return PointSets(points, fit, fit_set)


def build_scene(
    sets: PointSets, names: tuple[str, ...], knobs: Knobs, look: Look, chosen: int | None
) -> Scene:
    """Every treatment of the same points. A moved knob computes only what depends on it.

    Parameters
    ----------
    sets : PointSets
    names : tuple of str
        Treatments.
    knobs : Knobs
    look : Look
        View, components and colours.
    chosen : int or None
        The row that is ringed.
    """
    fitted = {name: _fitted(name, sets) for name in names}
    ready = [treatment for treatment in fitted.values() if treatment is not None]
    pictures = tuple(_picture(treatment, sets, knobs, look) for treatment in ready)
    # the frame is that of the default knobs, so that the scale is constant while a slider moves
    at_rest = [_picture(treatment, sets, Knobs(), look) for treatment in ready]
    return Scene(
        sets=sets,
        knobs=knobs,
        look=look,
        chosen=chosen,
        pictures=pictures,
        reach=max(picture.scaled.reach for picture in at_rest) * FRAME_MARGIN,
        waiting=tuple(name for name, treatment in fitted.items() if treatment is None),
    )


def _picture(treatment: Treatment, sets: PointSets, knobs: Knobs, look: Look) -> TreatedCloud:
    """The treatment at those knobs; most knobs change only some of the pictures."""
    # the fit set does not change raw vectors, and those that are fitted on the bundled pairs
    is_unfitted = treatment.name == "raw" or TREATMENTS[treatment.name].needs == PAIRS
    fit_key = "" if is_unfitted else sets.fit_points.key
    settings = asdict(knobs.of(treatment.name))
    key = ArrayStore.key(sets.points.key, fit_key, treatment.name, settings)
    turned = treatment.turn(knobs)
    return TreatedCloud(turned, sets.points, look, key, sets.is_private)


def _fitted(name: str, sets: PointSets) -> Treatment | None:
    """The fitted treatment; None for a flow that is not trained yet."""
    if name == "flow":
        return flow_treatment(sets.fit_points)
    if name == "learned":
        return _learned(encode_corpus(chosen_corpus("pairs"), sets.points.spec))
    return _fit(name, sets.fit_points)


@kept(96)
def _fit(name: str, points: CorpusCloud) -> Treatment:
    X, weights = points.vectors, points.weights
    kind = TREATMENTS[name]
    if weights is None or kind.needs or kind.fit is None:
        counts = points.cloud.counts if kind.needs == COUNTS else None
        return fit_treatment(name, X, sample_weight=counts, random_state=SEED)
    return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))


@kept(8)
def _learned(points: CorpusCloud) -> Treatment:
    """Removal whose weights are learned on the project's own pairs: left sentences, then right."""
    from geometry.data.pairs import read_bundled_pairs

    X, gold = points.vectors, read_bundled_pairs().gold_scores
    m = len(gold)
    pairs = np.column_stack([np.arange(m), np.arange(m) + m])
    removal = WeightedRemoval().fit(X, pairs=pairs, gold_scores=gold)
    return Treatment("learned", len(X), removal.rank_, removal.map_)
