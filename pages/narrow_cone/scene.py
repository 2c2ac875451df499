"""The clouds of Narrow cone, their pictures, maps, and the page's claims beside their measures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

import numpy as np

from geometry import UndefinedMeasure, nearest
from geometry.data.number_text import change, signed
from geometry.encode import ArrayStore
from geometry.linalg.products import centred_product
from geometry.measure import Measured, chance_agreement, mean_cosine, measure_table
from geometry.measure.cosines import isotropic_angle_spread
from geometry.measure.intervals import MIN_ROWS, Estimate
from geometry.measure.table_measures import OF_PAIRS
from geometry.process import Worker, send_progress
from geometry.projection import Projection, Twin, whiten_beside
from geometry.projection.neighbour_maps import MAPS, fit_map
from geometry.projection.panel import Panel
from geometry.projection.projection import map_picture
from geometry.projection.twin import WIDEST_DRAWN, common_scale, fit_whitening, retained_dimensions
from geometry.transform import WhiteningMap
from pages.common import jobs, measures
from pages.common.cache import kept
from pages.common.cloud_choices import Look
from pages.common.corpus_cloud import MANY_POINTS, CorpusCloud, store
from pages.common.cosine_histogram import cosine_histogram
from pages.common.draw.clouds import cloud_panel
from pages.common.jobs import Progress
from pages.common.measures import Control, NoControl, State, Verdict
from pages.common.models import chosen_model
from pages.common.origin import agreement_note, counted, origin, weight_words
from pages.common.seed import SEED
from pages.common.words import _, aligned_table, dotted, language, markdown, names, paragraph

# ---- maps, fitted by another process and stored on disk ----


MAP_WORKER = Worker(idle_seconds=900)  # it takes 11 s to import UMAP and to compile


def maps_if_ready(clouds: Sequence[Side], look: Look) -> tuple[Projection, ...] | None:
    """The maps of the clouds; None if one of them is not fitted yet."""
    pictures = []
    for cloud in clouds:
        coordinates = store().read(_store_key(cloud, look))
        if coordinates is None:
            return None
        pictures.append(map_picture(cloud.vectors, coordinates, look.view, random_state=look.seed))
    return tuple(pictures)


def fit_maps(clouds: Sequence[Side], look: Look) -> None:
    def fit(name: str, X: np.ndarray, report: Progress) -> None:
        store().write(name, fit_elsewhere(X, look, report))

    what = _("{map} of {n} points")
    for name, X in {_store_key(each, look): each.vectors for each in clouds}.items():
        about = what.format(map=MAPS[look.view].title, n=f"{len(X):,}")
        work = partial(fit, name, X)
        jobs.wait_for(f"{look.view}-{name}", work, about, lane="umap", is_long=True)


def _store_key(cloud: Side, look: Look) -> str:
    kind = MAPS[look.view]
    made_by = f"{version(kind.distribution)}/{kind.n_neighbors}"
    settings = (look.n_components, look.seed, look.most_fitted)
    return ArrayStore.key(look.view, made_by, *settings, cloud.content_key)


def fit_elsewhere(X: np.ndarray, look: Look, report: Progress) -> np.ndarray:
    """The coordinates of a map (n, n_components), fitted by the worker process."""
    how: dict[str, Any] = {
        "random_state": look.seed,
        "most_fitted": look.most_fitted,
        "progress": send_progress,
    }
    call = partial(fit_map, np.asarray(X), look.view, look.n_components, **how)
    return MAP_WORKER.run(call, report)


# ---- the scene ----


SAMPLE_ROWS = 3000  # for intervals and figures over pairs; the page says so
NEIGHBOURS = 5
ROUNDING = 0.01  # more than the error in float32 of the cosine of whitened rows
TINY = 1e-30  # instead of the length of a row of zeros
HEADLINES = ("mean_cosine", "positive_cosine_share", "isoscore")
WIDEST_CONE = 60.0  # degrees; a wider cloud is not called a narrow cone
MEASURES = (
    "mean_cosine",
    "positive_cosine_share",
    "opening_angle",
    "opening_angle_90",
    "mean_norm_share",
    "isoscore",
    "effective_rank",
    "effective_rank_uncentred",
)
QUOTED = ("mean_cosine", "opening_angle", "opening_angle_90", "mean_norm_share")  # in questions


@dataclass(frozen=True)
class Side:
    """One side of the comparison: the cloud at two positions of the sliders, and its picture."""

    name: str  # "raw" or "white"
    points: CorpusCloud
    fit: str  # which whitening: "recommended", "ledoit-wolf" or "full"
    centring: float  # in [0, 1], of the sliders; 0 and 0 for the raw cloud
    strength: float  # in [0, 1]
    projection: Projection
    scale: float = 1.0  # multiplies the drawn coordinates
    reach: float = 1.0  # half-width of both pictures

    @property
    def title(self) -> str:
        return place_name(self.centring, self.strength)

    @property
    def content_key(self) -> str:
        """Names the vectors. At 0 and 0 they are the raw ones for any fit."""
        is_raw = self.centring == self.strength == 0
        settings = f"/{self.fit}/{self.centring}/{self.strength}"
        return self.points.key + ("" if is_raw else settings)

    @property
    def private(self) -> bool:
        return self.points.private

    @property
    def n_slow(self) -> int:
        return self.points.n_slow

    @cached_property
    def whitening(self) -> WhiteningMap:
        full = full_whitening(self.points, self.fit)
        return full.adjust(centring=self.centring, strength=self.strength)

    @property
    def d(self) -> int:
        """Dimensions that the cloud fills."""
        return retained_dimensions(self.whitening)

    @property  # not kept here: Streamlit stores the scene of each session for its downloads
    def _made(self) -> tuple[np.ndarray, np.ndarray]:
        if self.name == "raw":
            return self.points.vectors, self.points.vectors
        return _whitened(self)

    @property
    def vectors(self) -> np.ndarray:
        """(n, all dimensions)."""
        return self._made[0]

    @property
    def retained_vectors(self) -> np.ndarray:
        """(n, d): only the directions that the cloud fills. Measures use these."""
        return self._made[1]

    @property
    def sampled_vectors(self) -> np.ndarray:
        """The retained vectors of SAMPLE_ROWS, for intervals and figures over pairs."""
        sample = self.points.sample(SAMPLE_ROWS)
        if sample is self.points:
            return self.retained_vectors
        if self.name == "raw":
            return sample.vectors
        return self.treat(sample.vectors).retained_vectors

    def treat(self, X: np.ndarray) -> Twin:
        """Rows (m, all dimensions) of the raw cloud at this side's settings."""
        full = full_whitening(self.points, self.fit)
        return whiten_beside(X, full, centring=self.centring, strength=self.strength)

    @property
    def is_set_by_fit(self) -> bool:
        """True if its IsoScore is above that of isotropic data: the map was fitted on it."""
        row = measured(self)["isoscore"]
        return (row.value or 0.0) > (row.baseline or 0.0)

    @cached_property
    def panel(self) -> Panel:
        """The picture, without texts and marks."""
        return _panel(self, self.projection, self.scale, self.reach, language())


def place_name(centring: float, strength: float) -> str:
    names = {(0.0, 0.0): _("Raw"), (1.0, 0.0): _("Centred"), (1.0, 1.0): _("Whitened")}
    between = _("Between: centring {s}, strength {t}")
    return names.get((centring, strength)) or between.format(s=f"{centring:g}", t=f"{strength:g}")


@dataclass(frozen=True)
class ConeScene:
    """Both sides and the provenance of every number; the argument of every panel."""

    points: CorpusCloud
    look: Look
    raw: Side
    white: Side
    waits_for_map: bool  # a map is chosen and not fitted; the pictures are by SVD until then
    chosen: int | None  # the row whose neighbours are shown

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.raw, self.white

    @cached_property
    def sample(self) -> CorpusCloud:
        return self.points.sample(SAMPLE_ROWS)

    @property
    def has_few_points(self) -> bool:
        """True if n <= d and the whitening retains fewer directions than the rank allows."""
        n, d = self.points.vectors.shape
        return n <= d and len(self.white.whitening.components) < min(n - 1, d)

    @property
    def is_cone(self) -> bool:
        """True if half of the raw points lie within WIDEST_CONE degrees of their mean."""
        angle = measured(self.raw, QUOTED)["opening_angle"].value
        return angle is not None and angle <= WIDEST_CONE

    @property
    def is_hardly_a_cone(self) -> bool:
        """True for what the bundled model was trained to spread: means of its last layer."""
        spec = self.points.spec
        model = self.points.model
        if model is None or not chosen_model().is_bundled:
            return False
        is_trained = (spec.unit, spec.layer, spec.pooling) == ("sentences", model.n_layers, "mean")
        return is_trained and not self.is_cone

    @property
    def narrows_first(self) -> bool:
        """True if strength alone, without centring, raises the mean cosine."""
        raw = measured(self.raw)["mean_cosine"].value or 0.0
        alone = _film_cosines(self.points, self.white.fit)[0.0, 1.0]
        rise = 0.0 if alone is None else alone - raw
        return rise > 1 / 10**measures.COSINE_DECIMALS  # a smaller rise is not visible in print

    @property
    def steps(self) -> Steps | None:
        """What each stage does to the neighbours; None without labels or with too few rows."""
        return _steps(self.sample, self.white.fit)

    @cached_property
    def provenance(self) -> str:
        points = self.points
        whitening = self.white.whitening
        n, d = points.vectors.shape
        parts = [
            *origin(points),
            _("centring {s}").format(s=f"{whitening.centring:.2f}"),
            _("strength {t}").format(t=f"{whitening.strength:.2f}"),
            _("whitening fitted on the same {count}, so its numbers are set by the fit").format(
                count=counted(n, points.cloud.unit)
            ),
            *weight_words(points),
            _("n/d = {ratio}").format(ratio=f"{points.effective_n / d:.2f}"),
            _("rank {rank} of {d}").format(rank=whitening.rank, d=d),
            _("Ledoit-Wolf shrinkage {a}").format(a=f"{whitening.shrinkage:.3f}")
            if whitening.shrinkage
            else _("no shrinkage"),
        ]
        if len(whitening.components) < d:
            parts.append(_("directions kept: {k}").format(k=len(whitening.components)))
        if n > SAMPLE_ROWS:
            sample = _("neighbours, pairs and intervals: a sample of {n}")
            parts.append(sample.format(n=f"{SAMPLE_ROWS:,}"))
        parts += agreement_note(points)
        return " · ".join([*parts, _("seed {seed}").format(seed=points.spec.seed)])

    @cached_property
    def near(self) -> list[tuple[np.ndarray, np.ndarray]]:
        if self.chosen is None:
            return []
        return [_near(side, self.chosen) for side in self.sides]


def quick_measures(X: np.ndarray, sample: np.ndarray, names: Sequence[str]) -> dict[str, Measured]:
    """Measures of the rows by name, those over pairs of a sample, without intervals."""
    found: dict[str, Measured] = {}
    for rows, are_pairs in ((X, False), (sample, True)):
        if some := [name for name in names if (name in OF_PAIRS) is are_pairs]:
            table = measure_table(rows, names=some, seed=SEED, intervals=False, simulate=False)
            found |= {row.name: row for row in table}
    return found


# for each cloud and stop of the sliders; shared by all readers, and small
@kept(2000)
def measured(side: Side, names: tuple[str, ...] = HEADLINES) -> dict[str, Measured]:
    return quick_measures(side.retained_vectors, side.sampled_vectors, names)


@kept(64)
def histogram(side: Side) -> tuple[np.ndarray, int]:
    return cosine_histogram(side.sampled_vectors)


# for each stop of the sliders, as the alternatives
@kept(1000)
def _panel(side: Side, projection: Projection, scale: float, reach: float, code: str) -> Panel:
    return cloud_panel(side.vectors, (), projection, reach, scale=scale, is_framed=True, d=side.d)


@kept(24)
def full_whitening(points: CorpusCloud, fit: str) -> WhiteningMap:
    """The whitening at full strength, which the sliders turn; rank 0 if all points are equal."""
    return fit_whitening(points.vectors, fit, sample_weight=points.weights)


@kept(32, in_run=True)
def _whitened(side: Side) -> tuple[np.ndarray, np.ndarray]:
    twin = side.treat(side.points.vectors)
    return twin.vectors, twin.retained_vectors


@kept(32)
def _lengths(side: Side) -> np.ndarray:
    return np.linalg.norm(side.vectors, axis=1)


@kept(200)
def _near(side: Side, row: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows and cosines of a row's nearest neighbours."""
    X = side.points.vectors
    if side.name == "raw" or len(X) <= MANY_POINTS:
        return nearest(side.retained_vectors, row, k=NEIGHBOURS)
    # only those rows are whitened whose cosine, z_i'z = (x_i - s mu)'W z, may be one of the largest
    whitening = side.whitening
    shift = whitening.affine[0].astype(np.float32)
    toward = whitening.matrix @ whitening.apply(X[[row]])[0]
    products = centred_product(X, shift, toward.astype(np.float32)[:, None])[:, 0]
    lengths = np.maximum(_lengths(side), TINY)
    cosines = products / (lengths * lengths[row])
    least = np.partition(cosines, -NEIGHBOURS - 1)[-NEIGHBOURS - 1] - ROUNDING
    rows = np.union1d(np.flatnonzero(cosines >= least), row)
    Z = side.treat(X[rows]).retained_vectors
    found, of_found = nearest(Z, int(np.searchsorted(rows, row)), k=NEIGHBOURS)
    return rows[found], of_found


@kept(1000)
def _placed(side: Side, raw: Projection) -> Projection:
    return raw.apply(side.vectors)


def build_scene(
    points: CorpusCloud, look: Look, fit: str, chosen: int | None, settings: tuple[float, float]
) -> ConeScene | None:
    """Whiten at (centring, strength) and project; None if all points are equal."""
    if full_whitening(points, fit).rank == 0:
        return None
    linear = points.project_in_job("svd" if look.is_map else look.view, look.n_components)
    raw = Side("raw", points, fit, 0.0, 0.0, linear)
    white = Side("white", points, fit, *settings, linear)
    maps = maps_if_ready((raw, white), look) if look.is_map else None
    first, picture = maps or (linear, _placed(white, linear))
    scale, reach = common_scale(first, picture)
    if maps is None:  # one frame for the whole film, up to its last stop
        last = _placed(replace(white, centring=1.0, strength=1.0), linear)
        reach = common_scale(first, last)[1]
    return ConeScene(
        points=points,
        look=look,
        raw=replace(raw, projection=first, reach=reach),
        white=replace(white, projection=picture, scale=scale, reach=reach),
        waits_for_map=look.is_map and maps is None,
        chosen=chosen,
    )


@kept(200)
def _film_cosines(points: CorpusCloud, fit: str) -> dict[tuple[float, float], float | None]:
    """Mean cosine at quoted settings; None where a point is moved to the origin."""
    full = full_whitening(points, fit)
    found: dict[tuple[float, float], float | None] = {}
    for s, t in ((0.5, 0.5), (0.0, 1.0), (1.0, 0.0)):
        found[s, t] = None
        with suppress(UndefinedMeasure):
            twin = whiten_beside(points.vectors, full, centring=s, strength=t)
            found[s, t] = mean_cosine(twin.vectors)
    return found


def lesson_values(scene: ConeScene) -> dict[str, str]:
    whitening = scene.white.whitening
    steps = scene.steps
    film = _film_cosines(scene.points, scene.white.fit)
    n, d = scene.points.vectors.shape
    names: tuple[str, ...] = QUOTED
    if scene.is_hardly_a_cone:  # only one question quotes it, and it needs all pairs
        names = (*QUOTED, "positive_cosine_share")
    of = {name: row.value for name, row in measured(scene.raw, names).items()}
    cosine = partial(measures.print_value, "mean_cosine", decimals=measures.COSINE_DECIMALS)
    return {
        "n": f"{n:,}",
        "d": f"{d}",
        "widest": f"{WIDEST_DRAWN:.0f}",
        "ratio": f"{n / d:.2f}",
        "median": measures.print_value("opening_angle", of["opening_angle"]) or "—",
        "angle_90": measures.print_value("opening_angle_90", of["opening_angle_90"]) or "—",
        "mean_cosine": cosine(of["mean_cosine"]),
        "norm_share": measures.print_value("mean_norm_share", of["mean_norm_share"], 2),
        "norm_times": f"{n * (of['mean_norm_share'] or 0.0):.0f}",
        "positive": _percent(of.get("positive_cosine_share")),
        "half_together": cosine(film[0.5, 0.5]),
        "strength_alone": cosine(film[0.0, 1.0]),
        "centred": cosine(film[1.0, 0.0]),
        "white_d": f"{scene.white.d}",
        "cosine_spread": f"{scene.white.d**-0.5:.3f}",
        "spread": f"{isotropic_angle_spread(scene.white.d):.1f}",
        "shrinkage": f"{whitening.shrinkage:.3f}",
        "rank": f"{whitening.rank}",
        "raw_agreement": _percent(steps.agreements[0] if steps else None),
        "white_agreement": _percent(steps.agreements[-1] if steps else None),
    }


def _percent(share: float | None) -> str:
    return "—" if share is None else f"{share:.0%}"


# ---- claims ----


STAGES = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))  # raw, centred, whitened


@kept(48)
def _cosine_of(sample: CorpusCloud) -> Estimate:
    """Mean cosine of a cloud; its interval leaves out whole units, such as a sentence's tokens."""
    X = sample.vectors
    [row] = measure_table(X, names=["mean_cosine"], seed=SEED, units=sample.units)
    return Estimate(mean_cosine(X), row.low, row.high)


def cone_verdict(scene: ConeScene) -> Verdict:
    found = _cosine_of(scene.sample)
    unit = scene.points.cloud.unit
    units = names("units")[unit]
    state, heading, said = measures.cone_sentence(units, found.value, found.low, found.high)
    return Verdict(
        claim=_(
            "In many models and layers, embeddings lie in a narrow cone. In the last layers of "
            "some contrastively trained models they hardly do."
        ),
        source=_("Gao et al. (2019), Ethayarajh (2019); Wang & Isola (2020)"),
        state=state,
        heading=heading,
        measured=said,
        control=measures.isotropic_control(*scene.sample.vectors.shape),
        basis=dotted(
            *origin(scene.sample),
            _("raw cloud, nothing fitted"),
            _("the papers measured types and contextual tokens; here: {units}").format(units=units),
            measures.cone_words(),
            {
                "types": _("95% interval: jackknife over types"),
                "vectors": _("95% interval: jackknife over vectors"),
            }.get(unit, _("95% interval: jackknife over sentences")),
        ),
    )


@dataclass(frozen=True)
class Steps:
    """Neighbours of the half that the whitening was not fitted on, from stage to stage."""

    agreements: tuple[float, ...]  # shares of the neighbours with the same label
    cosines: tuple[float, ...]  # mean cosines
    chance: float  # the share for neighbours drawn at random
    centring: Estimate  # difference of agreement: centred and raw
    levelling: Estimate  # whitened and centred
    both: Estimate  # whitened and raw


@kept(48)
def _steps(sample: CorpusCloud, fit: str) -> Steps | None:
    fitted, shown = sample.halves()
    X = shown.vectors
    labels = shown.cloud.labels or ()
    units = shown.units
    raw = measures.agreement_of(X, labels, units)
    if raw is None:
        return None
    whitening = full_whitening(fitted, fit)
    clouds = [
        whiten_beside(X, whitening, centring=centring, strength=strength).retained_vectors
        for centring, strength in STAGES[1:]
    ]
    centred, white = (measures.agreement_of(cloud, labels, units) for cloud in clouds)
    if centred is None or white is None:
        return None
    return Steps(
        agreements=(raw.share, centred.share, white.share),
        cosines=tuple(map(mean_cosine, (X, *clouds))),
        chance=chance_agreement(labels, units=units),
        centring=measures.since(raw, centred),
        levelling=measures.since(centred, white),
        both=measures.since(raw, white),
    )


def whitening_verdict(scene: ConeScene) -> Verdict:
    steps = scene.steps
    state: State = "unknown"
    measured = _("This needs a corpus with labels, and {least} sentences or more.").format(
        least=2 * MIN_ROWS
    )
    control: Control | NoControl = measures.nothing_measured()
    basis = [*origin(scene.sample)]
    if steps is not None:
        if steps.both.rises:
            state = "holds" if steps.levelling.rises else "partly"
        elif steps.both.falls:
            state = "fails"
        whole = _change_words(
            steps.both,
            _("Whitening helps: {change}."),
            _("Whitening hurts: {change}."),
            _("Whitening has no clear effect: {change}."),
        )
        measured = f"{whole}\n\n{_stages_table(steps, scene)}"
        centring = _change_words(
            steps.centring,
            _("centring alone helps: {change}."),
            _("centring alone hurts: {change}."),
            _("centring alone has no clear effect: {change}."),
        )
        levelling = _change_words(
            steps.levelling,
            _("Making the axes equal then helps: {change}."),
            _("Making the axes equal then hurts: {change}."),
            _("Making the axes equal then has no clear effect: {change}."),
        )
        control = Control(paragraph([centring, levelling]))
        basis += [
            _("fitted on one half of the points, without labels; measured on the other half"),
            *weight_words(scene.points),
            _("95% intervals: paired subsamples of the sentences"),
        ]
    return Verdict(
        claim=_("Whitening makes nearest neighbours better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=state,
        measured=measured,
        control=control,
        basis=" · ".join(basis),
    )


def _change_words(step: Estimate, *texts: str) -> str:
    """The text for its direction (it rises, it falls, neither) with the change."""
    shown = change(step.value, step.low, step.high)
    return measures.by_direction(step, *texts).format(change=f"**{shown}**")


def _stages_table(steps: Steps, scene: ConeScene) -> str:
    rows = {
        markdown(measures.same_label(scene.points.corpus)): steps.agreements,
        _("mean cosine"): steps.cosines,
    }
    lines = [[label, *(signed(value, 3) for value in values)] for label, values in rows.items()]
    return aligned_table([_("measure"), _("Raw"), _("Centred"), _("Whitened")], lines)
