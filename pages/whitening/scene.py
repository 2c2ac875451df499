"""What the whitening page shows at one moment: one cloud under several treatments."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from geometry import Cloud, Corpus, Projection
from geometry.encode import ArrayStore
from geometry.projection.projection import match_radius, settle
from geometry.projection.twin import FRAME_SHARE
from geometry.transform import WhiteningMap
from geometry.transform.learned_removal import WeightedRemoval
from geometry.transform.treatments import Knobs, Treated, Treatment, fit_treatment
from pages.common import cached
from pages.common.cached import SEED, CloudSpec
from pages.common.uploads import chosen_corpus
from pages.common.words import Translate

from .choices import FitChoice
from .flow import kept_flow

MAX_POINTS = 5000
FRAME_MARGIN = 1.1
UNFITTED = ("raw", "learned")  # what "fit on" says does not change them


class Clouds(NamedTuple):
    """The points shown, those that the treatments may be fitted on, and a name for each."""

    shown: Cloud
    key: str
    fit: Cloud
    fit_key: str


@dataclass(frozen=True)
class Shown:
    """One picture: a treatment of the cloud, where its points are drawn, the factor by which.

    reach : half-width of a frame that holds nearly all of them.
    key : names the vectors, for what is kept of them.
    """

    treatment: Treatment
    treated: Treated
    projection: Projection
    factor: float
    reach: float
    key: str

    @property
    def name(self) -> str:
        """The treatment's code."""
        return self.treatment.name

    @property
    def is_emptied(self) -> bool:
        """True where the treatment left nothing but rounding in the picture's axes."""
        return not self.projection.around_origin.any()


@dataclass(frozen=True)
class Material:
    """The points that are shown, and those that the treatments are fitted on.

    key, fit_key : name them.
    """

    corpus: Corpus
    spec: CloudSpec
    cloud: Cloud
    key: str
    fit: Cloud
    fit_key: str
    fit_set: FitChoice

    @property
    def is_own_fit(self) -> bool:
        """True where the fitted points are among those shown."""
        return self.fit_set.code == "same"

    @property
    def is_all_fitted(self) -> bool:
        """True where the fitted points are those shown, and no others."""
        return self.is_own_fit and len(self.fit) == len(self.cloud)

    @property
    def whitening(self) -> WhiteningMap:
        """ZCA of the fit, nothing shrunk: its rank is the fit's."""
        found: WhiteningMap = _fit("zca", self.fit_key, self.fit).fitted
        return found

    @property
    def has_spread(self) -> bool:
        """False where all points shown, or all of the fit, are one and the same."""
        return bool(self.whitening.rank and _fit("zca", self.key, self.cloud).rank)


@dataclass(frozen=True)
class Scene:
    """All pictures in one basis and one scale, raw first.

    waiting : treatments that were asked for and are not fitted yet.
    """

    material: Material
    knobs: Knobs
    shown: tuple[Shown, ...]
    reach: float
    waiting: tuple[str, ...]


def gather(corpus: Corpus, spec: CloudSpec, code: str, _: Translate) -> Clouds:
    """The points shown and all points of the fit set."""
    cloud = cached.cloud(corpus, spec, _)
    key = cached.cloud_key(corpus, spec)
    if code == "same":
        return Clouds(cloud, key, cloud, key)
    if code == "split":
        order = np.random.default_rng(SEED).permutation(len(cloud))
        halves = np.array_split(order, 2)
        fit, shown = (cloud.take(np.sort(rows)) for rows in halves)
        return Clouds(shown, f"{key}/shown-half", fit, f"{key}/fitted-half")
    other = chosen_corpus(code)
    return Clouds(cloud, key, cached.cloud(other, spec, _), cached.cloud_key(other, spec))


def material_of(corpus: Corpus, spec: CloudSpec, clouds: Clouds, fit_set: FitChoice) -> Material:
    """The same with only so many rows of the fit set as were asked for."""
    cloud, key, fit, fit_key = clouds
    available = len(fit)
    if fit_set.rows < available:
        order = np.random.default_rng(SEED).permutation(available)
        fit = fit.take(np.sort(order[: fit_set.rows]))
        fit_key = f"{fit_key}/{fit_set.rows}"
    return Material(corpus, spec, cloud, key, fit, fit_key, fit_set)


def build_scene(
    material: Material, names: tuple[str, ...], knobs: Knobs, view: str, n_axes: int, _: Translate
) -> Scene:
    """Every treatment of the same points; only what a knob has changed is worked out again.

    view, n_axes : the projection and its two or three dimensions.
    """
    fitted = {name: _fitted(name, material, _) for name in names}
    ready = {name: treatment for name, treatment in fitted.items() if treatment is not None}
    shown = tuple(_shown(one, material, knobs, view, n_axes) for one in ready.values())
    # the frame of the knobs at rest, so that the pictures keep one scale while a slider moves
    at_rest = [_shown(one, material, Knobs(), view, n_axes) for one in ready.values()]
    reach = max(one.reach for one in at_rest) * FRAME_MARGIN
    return Scene(material, knobs, shown, reach, tuple(name for name in names if name not in ready))


def _shown(treatment: Treatment, material: Material, knobs: Knobs, view: str, n_axes: int) -> Shown:
    """The treatment at those knobs; kept, because most knobs turn only some of the pictures."""
    own = asdict(knobs.of(treatment.name))
    fit_key = "" if treatment.name in UNFITTED else material.fit_key
    key = ArrayStore.key(material.key, fit_key, treatment.name, own)

    def make() -> Shown:
        X = material.cloud.vectors
        first = cached.projection(material.key, view, n_axes, X)
        turned = treatment.turn(knobs)
        treated = turned.apply(X)
        picture = first
        if treatment.name != "raw":
            picture = settle(first.apply(treated.vectors), X, treated.vectors)
        factor = match_radius(first.around_origin, picture.around_origin)
        distances = np.abs(picture.around_origin).max(axis=1) * factor
        reach = float(np.quantile(distances, FRAME_SHARE))
        return Shown(turned, treated, picture, factor, reach, key)

    shown: Shown = cached.picture(f"{key}/{view}/{n_axes}", make)
    return shown


def _fitted(name: str, material: Material, _: Translate) -> Treatment | None:
    """The treatment fitted on the material; None where that has still to be waited for."""
    if name == "flow":
        return kept_flow(material.fit_key)
    if name == "learned":
        pairs = chosen_corpus("pairs")
        scored = cached.cloud(pairs, material.spec, _)
        return cached.treatment(
            cached.cloud_key(pairs, material.spec) + "/learned", lambda: _learned(scored.vectors)
        )
    return _fit(name, material.fit_key, material.fit)


def _fit(name: str, key: str, cloud: Cloud) -> Treatment:
    weights = cloud.counts if name == "zipf" else None
    return cached.treatment(
        f"{key}/{name}",
        lambda: fit_treatment(name, cloud.vectors, sample_weight=weights, random_state=SEED),
    )


def _learned(X: np.ndarray) -> Treatment:
    """Weights learned on the project's own pairs: left sentences, then right ones."""
    from geometry.data.corpus import read_bundled_pairs

    gold = read_bundled_pairs().gold_scores
    m = len(gold)
    pairs = np.column_stack([np.arange(m), np.arange(m) + m])
    removal = WeightedRemoval().fit(X, pairs=pairs, gold_scores=gold)
    return Treatment("learned", len(X), removal.rank_, removal.map_)
