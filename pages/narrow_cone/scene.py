"""What narrow_cone shows at one moment: both clouds, their pictures, their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geometry import Cloud, Corpus, Projection
from geometry.measure.cosines import isotropic_angle_spread
from geometry.projection import Twin, whiten_beside
from geometry.projection.twin import one_scale
from pages.common import cached
from pages.common.cached import CloudSpec, Numbers
from pages.common.cloud_choices import Look
from pages.common.measures import print_value
from pages.common.words import Translate, signed

COSINE_DECIMALS = 3
WIDEST_CONE = 60.0  # degrees; beyond it, "only so wide" would be nonsense


@dataclass(frozen=True)
class Side:
    """One side of the comparison: its vectors, its picture, its numbers.

    kept_vectors : the same in only those directions that the cloud fills, which is what is
    measured.   count : takes the numbers; a picture can be on screen before they are asked for.
    """

    name: str
    vectors: np.ndarray
    kept_vectors: np.ndarray
    projection: Projection
    count: Callable[[], Numbers]

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers beside the panel, taken when first asked for."""
        return self.count()


@dataclass(frozen=True)
class Scene:
    """Both sides and all that a number must say of itself.

    factor : by which white is drawn.   reach : half-width of both pictures.
    waits_for_umap : UMAP was asked for and is not fitted yet; the pictures are SVD's meanwhile.
    """

    corpus: Corpus
    cloud: Cloud
    spec: CloudSpec
    fit: str
    twin: Twin
    raw: Side
    white: Side
    factor: float
    reach: float
    waits_for_umap: bool

    @property
    def has_few_points(self) -> bool:
        """True where there are no more points than dimensions, and white keeps few directions."""
        n, d = self.cloud.vectors.shape
        return n <= d and len(self.twin.whitening.components) < min(n - 1, d)

    @property
    def is_white(self) -> bool:
        """True at the end of both sliders."""
        return self.twin.whitening.centring == self.twin.whitening.strength == 1


def build_scene(
    corpus: Corpus,
    cloud: Cloud,
    spec: CloudSpec,
    fit: str,
    look: Look,
    centring: float,
    strength: float,
) -> Scene:
    """Whiten and project; what does not depend on the sliders comes from the cache."""
    key = cached.cloud_key(corpus, spec)
    fitted = cached.whitening(key, fit, cloud.vectors)
    twin = whiten_beside(cloud.vectors, fitted, centring=centring, strength=strength)
    pictures = _umap_pictures(key, cloud, twin, fit, look) if look.view == "umap" else None
    waits = look.view == "umap" and pictures is None
    if pictures is None:
        view = "svd" if waits else look.view
        first = cached.projection(key, view, look.n_components, cloud.vectors)
        pictures = (first, first.apply(twin.vectors))
        reach = cached.frame_reach(key, fit, view, look.n_components, cloud.vectors)
        factor, _reach_now = one_scale(*pictures)
    else:
        factor, reach = one_scale(*pictures)
    return Scene(
        corpus=corpus,
        cloud=cloud,
        spec=spec,
        fit=fit,
        twin=twin,
        raw=Side(
            "raw",
            cloud.vectors,
            cloud.vectors,
            pictures[0],
            lambda: cached.raw_numbers(key, cloud.vectors, cloud.labels),
        ),
        white=Side(
            "white",
            twin.vectors,
            twin.kept_vectors,
            pictures[1],
            lambda: cached.numbers(twin.kept_vectors, cloud.labels),
        ),
        factor=factor,
        reach=reach,
        waits_for_umap=waits,
    )


def _umap_pictures(
    key: str, cloud: Cloud, twin: Twin, fit: str, look: Look
) -> tuple[Projection, Projection] | None:
    raw = cached.umap_if_ready(key, look.n_components, cloud.vectors)
    white = cached.umap_if_ready(_white_key(key, twin, fit), look.n_components, twin.vectors)
    return None if raw is None or white is None else (raw, white)


def fit_umaps(scene: Scene, look: Look, _: Translate) -> None:
    """Fit both UMAP pictures, with progress and cancel, so that the next scene finds them."""
    key = cached.cloud_key(scene.corpus, scene.spec)
    cached.fit_umap(key, look.n_components, scene.cloud.vectors, _)
    white_key = _white_key(key, scene.twin, scene.fit)
    cached.fit_umap(white_key, look.n_components, scene.twin.vectors, _)


def _white_key(key: str, twin: Twin, fit: str) -> str:
    return f"{key}/{fit}/{twin.whitening.centring}/{twin.whitening.strength}"


def few_points_values(scene: Scene) -> dict[str, str]:
    """What the note on few points quotes."""
    n, d = scene.cloud.vectors.shape
    return {"n": f"{n:,}", "d": f"{d:,}", "k": f"{len(scene.twin.whitening.components)}"}


def is_cone(scene: Scene) -> bool:
    """True where half of the raw points lie within WIDEST_CONE degrees of their mean."""
    angle = scene.raw.numbers.measured["opening_angle"].value
    return angle is not None and angle <= WIDEST_CONE


def narrows_first(scene: Scene) -> bool:
    """True where strength alone, without centring, raises the mean cosine."""
    key = cached.cloud_key(scene.corpus, scene.spec)
    film = cached.film_cosines(key, scene.fit, scene.cloud.vectors)
    rise = film[0.0, 1.0] - (scene.raw.numbers.measured["mean_cosine"].value or 0.0)
    return rise > 1 / 10**COSINE_DECIMALS  # else the figures that the page prints would not show it


def lesson_values(scene: Scene) -> dict[str, str]:
    """Live figures that the page's questions quote."""
    raw, white = scene.raw.numbers, scene.white.numbers
    whitening = scene.twin.whitening
    key = cached.cloud_key(scene.corpus, scene.spec)
    film = cached.film_cosines(key, scene.fit, scene.cloud.vectors)
    n, d = scene.cloud.vectors.shape
    of = {name: row.value for name, row in raw.measured.items()}
    return {
        "n": f"{n:,}",
        "d": f"{d}",
        "ratio": f"{n / d:.2f}",
        "median": print_value("opening_angle", of["opening_angle"]) or "—",
        "angle_90": print_value("opening_angle_90", of["opening_angle_90"]) or "—",
        "mean_cosine": print_value("mean_cosine", of["mean_cosine"], COSINE_DECIMALS),
        "norm_share": print_value("mean_norm_share", of["mean_norm_share"], 2),
        "half_together": signed(film[0.5, 0.5], COSINE_DECIMALS),
        "strength_alone": signed(film[0.0, 1.0], COSINE_DECIMALS),
        "centred": signed(film[1.0, 0.0], COSINE_DECIMALS),
        "cosine_spread": f"{d**-0.5:.3f}",
        "spread": f"{isotropic_angle_spread(d):.1f}",
        "shrinkage": f"{whitening.shrinkage:.3f}",
        "rank": f"{whitening.rank}",
        "raw_agreement": _percent(raw.agreement),
        "white_agreement": _percent(white.agreement),
    }


def _percent(share: float | None) -> str:
    return "—" if share is None else f"{share:.0%}"
