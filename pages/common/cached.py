"""Calls of the library whose answers are kept. Arrays travel beside a content key, as ``_X``.

``cache_data`` samples large arrays when it hashes them, so most one-value edits would return
the old answer; and it copies. Read-only arrays are therefore kept by ``cache_resource``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import streamlit as st
from threadpoolctl import threadpool_limits

from geometry import (
    Cloud,
    Corpus,
    Coverage,
    Encoder,
    Projection,
    label_agreement,
    project,
    read_cloud,
)
from geometry.encode import ArrayStore
from geometry.encode.cloud import is_stored
from geometry.measure import (
    Measured,
    chance_agreement,
    mean_cosine,
    measure_table,
    pairwise_cosines,
)
from geometry.measure.cosines import cosine_shares
from geometry.projection.projection import UMAP_NEIGHBOURS, umap_picture
from geometry.projection.twin import fit_whitening, one_scale, whiten_beside
from geometry.transform import WhiteningMap
from geometry.transform.treatments import Treatment

from . import jobs
from .models import current_encoder
from .umap_worker import fit_elsewhere
from .uploads import is_own
from .words import Translate

# The arrays here are small. BLAS threads that wait for each other by spinning gain nothing on
# them, and where the cores are busy (a class of thirty) make a product thirty times slower.
threadpool_limits(limits=1, user_api="blas")

SEED = 0
EDGES = np.linspace(-1.0, 1.0, 161)  # of the cosine histogram
HISTOGRAM_ROWS = 1500  # 1.1 million pairs; of a larger cloud a sample, and the page says so
UMAP_VERSION = version("umap-learn")
MAX_POINTS = 3000  # what a picture draws; a larger cloud is sampled, and the page says so


@dataclass(frozen=True)
class CloudSpec:
    """Which cloud of a corpus."""

    unit: str
    layer: int | str
    pooling: str
    special_tokens: bool = True
    max_points: int = MAX_POINTS
    seed: int = SEED


def encoder() -> Encoder:
    """The encoder this session chose, one copy for all sessions."""
    return current_encoder()


@st.cache_resource(max_entries=1, show_spinner=False)
def store() -> ArrayStore:
    """The disk cache."""
    return ArrayStore()


def coverage(corpus: Corpus) -> Coverage:
    """Texts cut and tokens unknown, by the chosen encoder."""
    return _coverage(encoder().fingerprint, corpus.sha256, corpus)


@st.cache_data(max_entries=32, show_spinner=False)
def _coverage(model_key: str, corpus_key: str, _corpus: Corpus) -> Coverage:
    return encoder().coverage(_corpus.texts)


def cloud_key(corpus: Corpus, spec: CloudSpec) -> str:
    """What the cloud and its numbers depend on; agreement and colours depend on the labels."""
    return ArrayStore.key(encoder().fingerprint, corpus.sha256, corpus.labels, spec)


def cloud(corpus: Corpus, spec: CloudSpec, _: Translate) -> Cloud:
    """The cloud: from memory or disk at once, else encoded with progress and cancel."""
    key = cloud_key(corpus, spec)
    keep = _kept_upload if is_own(corpus) else _kept_cloud
    try:
        return keep(key, nothing_kept)
    except NotKept:
        made = _from_disk_or_job(key, corpus, spec, _)
    return keep(key, lambda: made)


def _from_disk_or_job(key: str, corpus: Corpus, spec: CloudSpec, _: Translate) -> Cloud:
    chosen = encoder()  # here: a job's thread belongs to no session

    def read(report: jobs.Report | None = None) -> Cloud:
        return read_cloud(chosen, corpus, **asdict(spec), store=store(), progress=report)

    if is_stored(chosen, corpus, **asdict(spec), store=store()):
        return read()
    what = _("Encoding {n} sentences").format(n=f"{len(corpus):,}")
    made: Cloud = jobs.wait_for(f"cloud-{key}", read, _, what)
    return made


class NotKept(Exception):
    """Raised inside a kept call in order to ask, without computing, whether it is kept."""


def nothing_kept() -> Cloud:
    raise NotKept


@st.cache_resource(max_entries=24, show_spinner=False)
def _kept_cloud(key: str, _make: Callable[[], Cloud]) -> Cloud:
    return _make()


# a reader's own texts live and end with the session
@st.cache_resource(max_entries=8, show_spinner=False, scope="session")
def _kept_upload(key: str, _make: Callable[[], Cloud]) -> Cloud:
    return _make()


@st.cache_resource(max_entries=48, show_spinner=False)
def projection(key: str, method: str, n_components: int, _X: np.ndarray) -> Projection:
    """A linear projection of the vectors named by ``key``."""
    return project(_X, method, n_components, random_state=SEED)


@st.cache_resource(max_entries=24, show_spinner=False)
def whitening(key: str, fit: str, _X: np.ndarray) -> WhiteningMap:
    """The fitted whitening; sliders soften it without a second fit."""
    return fit_whitening(_X, fit)


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


@dataclass(frozen=True)
class Numbers:
    """What is measured of one cloud.

    measured : rows of ``measure_table`` by name.   shares : of the cosines in each bin of EDGES.
    chance : the agreement of neighbours drawn at random.
    """

    measured: dict[str, Measured]
    shares: np.ndarray
    pairs: int
    agreement: float | None
    chance: float | None


def numbers(X: np.ndarray, labels: tuple[str, ...] | None) -> Numbers:
    """The numbers of one cloud X (n, d): no intervals and nothing simulated, so that it is fast."""
    table = measure_table(X, names=MEASURES, seed=SEED, intervals=False, simulate=False)
    cosines = pairwise_cosines(X, max_rows=HISTOGRAM_ROWS, seed=SEED)
    return Numbers(
        measured={row.name: row for row in table},
        shares=cosine_shares(cosines, EDGES),
        pairs=len(cosines),
        agreement=label_agreement(X, labels) if labels else None,
        chance=chance_agreement(labels) if labels else None,
    )


@st.cache_resource(max_entries=48, show_spinner=False)
def raw_numbers(key: str, _X: np.ndarray, _labels: tuple[str, ...] | None) -> Numbers:
    """``numbers`` of a raw cloud, kept: sliders do not change it."""
    return numbers(_X, _labels)


@st.cache_resource(max_entries=48, show_spinner=False)
def frame_reach(key: str, fit: str, view: str, n_components: int, _X: np.ndarray) -> float:
    """Half-width that holds raw and the fully white cloud: one frame for the whole film."""
    first = projection(key, view, n_components, _X)
    white = whiten_beside(_X, whitening(key, fit, _X))
    return one_scale(first, first.apply(white.vectors))[1]


@st.cache_resource(max_entries=48, show_spinner=False)
def film_cosines(key: str, fit: str, _X: np.ndarray) -> dict[tuple[float, float], float]:
    """Mean cosine at three places of (centring, strength), as the lesson on the film quotes it."""
    fitted = whitening(key, fit, _X)
    places = ((0.5, 0.5), (0.0, 1.0), (1.0, 0.0))
    return {
        (s, t): mean_cosine(whiten_beside(_X, fitted, centring=s, strength=t).vectors)
        for s, t in places
    }


def umap_key(key: str, n_components: int) -> str:
    """Where the coordinates of a UMAP picture are kept."""
    return ArrayStore.key("umap", UMAP_VERSION, UMAP_NEIGHBOURS, key, n_components, SEED)


def umap_if_ready(key: str, n_components: int, X: np.ndarray) -> Projection | None:
    """The UMAP picture where it was fitted before, else None."""
    coordinates = store().read(umap_key(key, n_components))
    return None if coordinates is None else umap_picture(X, coordinates, random_state=SEED)


def fit_umap(key: str, n_components: int, X: np.ndarray, _: Translate) -> None:
    """Fit and keep it, with progress and cancel."""

    def work(report: jobs.Report) -> None:
        coordinates = fit_elsewhere(X, n_components, SEED, report)
        store().write(umap_key(key, n_components), coordinates)

    what = _("UMAP of {n} points").format(n=f"{len(X):,}")
    jobs.wait_for(f"umap-{umap_key(key, n_components)}", work, _, what, lane="umap")


@st.cache_resource(max_entries=64, show_spinner=False)
def treatment(key: str, _fit: Callable[[], Treatment]) -> Treatment:
    """A fitted treatment; its knobs are turned without a second fit."""
    return _fit()


@st.cache_resource(max_entries=128, show_spinner=False)
def _kept_measures(key: str, _make: Callable[[], Any]) -> Any:
    return _make()


def measures_if_ready(key: str) -> Any:
    """What was measured of the vectors named by ``key``, None where nothing was."""
    try:
        return _kept_measures(key, nothing_kept)
    except NotKept:
        return None


def keep_measures(key: str, report: Any) -> None:
    """Keep what was measured."""
    _kept_measures(key, lambda: report)


@st.cache_resource(max_entries=64, show_spinner=False)
def lab_value(key: str, _make: Callable[[], Any]) -> Any:
    """A value of the whitening page's charts; the key names all that it depends on."""
    return _make()


# a picture holds its vectors, 8 MB for 5,000 points: two dozen, for the page's four and their film
@st.cache_resource(max_entries=24, show_spinner=False)
def picture(key: str, _make: Callable[[], Any]) -> Any:
    """A treated cloud and where it is drawn."""
    return _make()


# a film is ten pictures of three numbers a point: 0.4 MB for the most that a page draws
@st.cache_resource(max_entries=24, show_spinner=False)
def film_of_all(key: str, _make: Callable[[], Any]) -> Any:
    """A film from raw to white, and its packed places."""
    return _make()


@st.cache_resource(max_entries=8, show_spinner=False, scope="session")
def film_of_session(key: str, _make: Callable[[], Any]) -> Any:
    """The same of a reader's own texts, which no other session may keep alive."""
    return _make()
