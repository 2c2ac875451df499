"""The state of the whitening page at its settings: one cloud under several treatments."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from geometry import Cloud, Corpus, Projection
from geometry.data.corpus import read_bundled
from geometry.encode import ArrayStore
from geometry.linalg.moments import Moments
from geometry.projection.projection import match_radius, settle
from geometry.projection.twin import FRAME_SHARE
from geometry.transform import WhiteningMap
from geometry.transform.learned_removal import WeightedRemoval
from geometry.transform.treatments import (
    LINEAR_AT_ONCE,
    Knobs,
    Treated,
    Treatment,
    fit_treatment,
    treatment_of_moments,
)
from pages.common.cache import Cache
from pages.common.cloud_choices import Look
from pages.common.corpus_cloud import SEED, CorpusCloud, encode_corpus
from pages.common.uploads import chosen_corpus
from pages.common.words import Translate

from .choices import FitSet
from .flow import flow_treatment

SAMPLE_ROWS = 5000  # for intervals and figures over pairs; the page says so
FRAME_MARGIN = 1.1
UNFITTED = ("raw", "learned")  # the fit set does not change them
WEIGHED = tuple(
    name for name in LINEAR_AT_ONCE if name not in ("raw", "zipf")
)  # by weights of texts

_TREATMENTS: Cache[Treatment] = Cache("whitening-treatments", max_entries=96)
# treated vectors, 8 MB for 5,000 points: two dozen, for the page's four and their film
_TREATED: Cache[Treated] = Cache("whitening-treated", max_entries=24)
# of the cloud at each stop of the sliders, for all readers: many, and small
_PLACES: Cache[Place] = Cache("whitening-places", max_entries=2000)


@dataclass(frozen=True)
class Place:
    """Where the points of a treated cloud are drawn.

    Attributes
    ----------
    factor : float
        Multiplies the drawn coordinates, so that all pictures have one rms radius.
    reach : float
        Half-width of a frame that holds nearly all points.
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
    key : str
        Names the treated vectors in cache keys.
    is_private : bool
        True where they come from a reader's own texts.
    """

    treatment: Treatment
    points: CorpusCloud
    look: Look
    key: str
    is_private: bool

    @property
    def name(self) -> str:
        """The treatment's code."""
        return self.treatment.name

    @cached_property
    def treated(self) -> Treated:
        """The treated vectors; computed only if a number needs them that is in no cache."""

        def make() -> Treated:
            return self.treatment.apply(self.points.vectors)

        # A session's own cache can't be read in a job, and jobs need these vectors.
        return make() if self.is_private else _TREATED.get_or_make(self.key, make)

    def on(self, points: CorpusCloud) -> TreatedCloud:
        """The same treatment of some of the points, such as a sample."""
        if points is self.points:
            return self
        return replace(self, points=points, key=f"{self.key}/{len(points.cloud)}")

    @cached_property
    def place(self) -> Place:
        """Where the points are drawn."""
        name = f"{self.key}/{self.look.view}/{self.look.n_components}"
        return _PLACES.get_or_make(name, self._make_place, private=self.is_private)

    def _make_place(self) -> Place:
        raw = projection = self.points.project(self.look.view, self.look.n_components)
        if self.name != "raw":
            Z = self.treated.vectors
            projection = settle(raw.apply(Z), self.points.vectors, Z)
        factor = match_radius(raw.around_origin, projection.around_origin)
        distances = np.abs(projection.around_origin).max(axis=1) * factor
        return Place(projection, factor, float(np.quantile(distances, FRAME_SHARE)))

    @property
    def projection(self) -> Projection:
        """Where the points are drawn."""
        return self.place.projection

    @property
    def factor(self) -> float:
        """Multiplies the drawn coordinates, so that all pictures have one rms radius."""
        return self.place.factor

    @property
    def is_emptied(self) -> bool:
        """True if the treatment removed all but rounding errors along the picture's axes."""
        return not self.projection.around_origin.any()


@dataclass(frozen=True)
class Material:
    """The points that are shown, and those that the treatments are fitted on."""

    points: CorpusCloud
    fit_points: CorpusCloud
    fit_set: FitSet

    @cached_property
    def sample(self) -> CorpusCloud:
        """The points of intervals, of the table, and of figures over pairs."""
        return self.points.sample(SAMPLE_ROWS)

    @property
    def is_sampled(self) -> bool:
        """True where the sample has not all points."""
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
        """True where a reader's own texts are among the points or the fit."""
        return self.points.private or self.fit_points.private

    @property
    def is_own_fit(self) -> bool:
        """True where the fitted points are among those shown."""
        return self.fit_set.code == "same"

    @property
    def is_all_fitted(self) -> bool:
        """True where the fitted points are those shown, and no others."""
        return self.is_own_fit and len(self.fit) == len(self.cloud)

    def seen_by_fit(self, name: str) -> str:
        """Whether the fit of that treatment saw the points shown: "all", "some" or "none"."""
        if name == "raw":
            return "none"
        if name == "learned":  # fitted on the sentences of the bundled pairs
            return "all" if self.corpus.sha256 == read_bundled("pairs").sha256 else "none"
        if not self.is_own_fit:
            return "none"
        return "all" if self.is_all_fitted else "some"

    @property
    def whitening(self) -> WhiteningMap:
        """Unshrunk ZCA of the fit set, which gives its rank."""
        fitted: WhiteningMap = _fit("zca", self.fit_points).fitted
        return fitted

    @property
    def has_spread(self) -> bool:
        """False where all points shown, or all of the fit, are one and the same."""
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

    material: Material
    knobs: Knobs
    look: Look
    chosen: int | None
    pictures: tuple[TreatedCloud, ...]
    reach: float
    waiting: tuple[str, ...]


def material_of(points: CorpusCloud, fit: CorpusCloud, fit_set: FitSet) -> Material:
    """The points shown, and a part of the fit set.

    Parameters
    ----------
    points : CorpusCloud
        Those shown.
    fit : CorpusCloud
        All points of the fit set.
    fit_set : FitSet
        Says how many rows of it to take; they are drawn by a seed.
    """
    available = len(fit.cloud)
    if fit_set.rows < available:
        order = np.random.default_rng(SEED).permutation(available)
        fit = fit.take(np.sort(order[: fit_set.rows]), str(fit_set.rows))
    return Material(points, fit, fit_set)


def build_scene(
    material: Material,
    names: tuple[str, ...],
    knobs: Knobs,
    look: Look,
    chosen: int | None,
    _: Translate,
) -> Scene:
    """Every treatment of the same points; only what a knob has changed is computed again.

    Parameters
    ----------
    material : Material
    names : tuple of str
        Treatments.
    knobs : Knobs
    look : Look
        View, components and colours.
    chosen : int or None
        The row that is ringed.
    """
    fitted = {name: _fitted(name, material, _) for name in names}
    ready = [treatment for treatment in fitted.values() if treatment is not None]
    pictures = tuple(_picture(treatment, material, knobs, look) for treatment in ready)
    # the frame at the default knobs, so that the scale is constant while a slider moves
    at_rest = [_picture(treatment, material, Knobs(), look) for treatment in ready]
    return Scene(
        material=material,
        knobs=knobs,
        look=look,
        chosen=chosen,
        pictures=pictures,
        reach=max(picture.place.reach for picture in at_rest) * FRAME_MARGIN,
        waiting=tuple(name for name, treatment in fitted.items() if treatment is None),
    )


def _picture(treatment: Treatment, material: Material, knobs: Knobs, look: Look) -> TreatedCloud:
    """The treatment at those knobs; most knobs change only some of the pictures."""
    fit_key = "" if treatment.name in UNFITTED else material.fit_points.key
    settings = asdict(knobs.of(treatment.name))
    key = ArrayStore.key(material.points.key, fit_key, treatment.name, settings)
    turned = treatment.turn(knobs)
    return TreatedCloud(turned, material.points, look, key, material.is_private)


def _fitted(name: str, material: Material, _: Translate) -> Treatment | None:
    """The treatment fitted on the material; None for a flow that is not trained yet."""
    if name == "flow":
        return flow_treatment(material.fit_points)
    if name == "learned":
        pairs = encode_corpus(chosen_corpus("pairs"), material.points.spec, _)
        return _TREATMENTS.get_or_make(f"{pairs.key}/learned", lambda: _learned(pairs.vectors))
    return _fit(name, material.fit_points)


def _fit(name: str, points: CorpusCloud) -> Treatment:
    X, weights = points.vectors, points.weights

    def make() -> Treatment:
        if weights is None or name not in WEIGHED:
            counts = points.cloud.counts if name == "zipf" else None
            return fit_treatment(name, X, sample_weight=counts, random_state=SEED)
        return treatment_of_moments(name, Moments.of(X, weights), eps=float(np.finfo(X.dtype).eps))

    return _TREATMENTS.get_or_make(f"{points.key}/{name}", make, private=points.private)


def _learned(X: np.ndarray) -> Treatment:
    """Weights learned on the project's own pairs: left sentences, then right ones."""
    from geometry.data.pairs import read_bundled_pairs

    gold = read_bundled_pairs().gold_scores
    m = len(gold)
    pairs = np.column_stack([np.arange(m), np.arange(m) + m])
    removal = WeightedRemoval().fit(X, pairs=pairs, gold_scores=gold)
    return Treatment("learned", len(X), removal.rank_, removal.map_)
