"""A corpus as a cloud of vectors, encoded by the chosen encoder."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import streamlit as st
from threadpoolctl import threadpool_limits

from geometry import Cloud, Corpus, Encoder, UndefinedMeasure, project, read_cloud
from geometry.data import VectorSet
from geometry.data.columns import FileColumn
from geometry.encode import ArrayStore
from geometry.encode.cloud import is_stored
from geometry.linalg.rows import some_rows
from geometry.projection import Projection
from geometry.projection.point_colours import PointColours

from . import jobs
from .cache import kept
from .encoding_worker import read_cloud_apart
from .models import current_encoder
from .seed import SEED
from .uploads import is_own
from .words import _

ALL_POINTS = 10**9  # more points than any cloud has
MOST_DRAWN = 100_000  # points that are encoded at most, a sample of a larger cloud
MANY_POINTS = 20_000  # points whose projection takes more than half a second
MANY_NUMBERS = 1_000_000  # numbers of vectors whose pictures take more than half a second
SHORT_CHARACTERS = 200_000  # characters of a corpus that is encoded in some seconds
FEWEST_WEIGHED = 2  # rows of a weighted fit at least
SHORT_TOKENS = 512  # tokens of a text up to which an encoding does not take a minute


def _limit_blas() -> None:
    """One thread for every matrix product: on busy cores, spinning ones are thirty times slower."""
    # threadpoolctl refers to the thread that sets a limit, and a visit's thread to its uploads
    thread = threading.Thread(target=threadpool_limits, args=(1, "blas"))
    thread.start()
    thread.join()


_limit_blas()
# torch's threads sleep while they wait for each other: on busy cores, spinning made an encoding
# take 1.6 times the processor time. torch reads this when it is loaded; workers inherit it.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@dataclass(frozen=True)
class CloudSpec:
    unit: str
    layer: int | str
    pooling: str
    special_tokens: bool = True
    max_points: int = ALL_POINTS
    seed: int = SEED
    whole_sentences: bool = False


OF_VECTORS = CloudSpec("vectors", 0, "")  # a reader's own vectors have no layer or pooling


@dataclass(frozen=True)
class CorpusCloud:
    """An encoded corpus or a reader's own vectors, and the settings that the numbers depend on."""

    corpus: Corpus  # the texts. Of vectors without texts, the numbers of their rows
    spec: CloudSpec
    model: Encoder | None  # None for a reader's own vectors
    cloud: Cloud  # the vectors, with text, label and source of each
    key: str  # names the vectors and their labels. Clouds with equal keys have equal numbers
    private: bool  # a reader's own data; answers are cached until the session ends
    weights: np.ndarray | None = None  # (n,) of each row in a fit; None if all are equal
    file_rows: np.ndarray | None = None  # of the corpus' rows in a file of vectors, from 0
    n_zero: int = 0  # rows of zeros that were left out of a reader's own vectors

    @property
    def content_key(self) -> str:
        return self.key

    @property
    def shared_key(self) -> str:
        """``key`` without the labels, which each reader has in the own language."""
        if self.model is None:
            return self.key
        rest = self.key.partition("/")[2]
        return ArrayStore.key(self.model.content_key, self.corpus.sha256, self.spec, rest)

    @property
    def vectors(self) -> np.ndarray:
        return self.cloud.vectors

    @property
    def encoder(self) -> Encoder:
        if self.model is None:
            raise LookupError("these vectors come from a file, not from a model")
        return self.model

    @property
    def units(self) -> np.ndarray | None:
        """(n,) equal numbers for the tokens of a sentence and for the sentences of a text."""
        cloud = self.cloud
        if self.corpus.sources is not None and cloud.unit in ("sentences", "tokens"):
            return np.asarray(self.corpus.sources)[cloud.sources]
        return cloud.sources if cloud.unit == "tokens" else None

    @property
    def n_slow(self) -> int:
        """The number of vectors if work on them takes more than half a second, else 0."""
        n, d = self.vectors.shape
        return n if n > MANY_POINTS or n * d > MANY_NUMBERS else 0

    @property
    def effective_n(self) -> float:
        """(sum w)^2 / sum w^2 of the weights; n if all are equal."""
        w = self.weights
        return float(len(self.cloud) if w is None else w.sum() ** 2 / np.square(w).sum())

    @cached_property
    def corpus_rows(self) -> np.ndarray:
        """(n,) the row of the corpus that each point comes from, from 0."""
        rows = self.cloud.sources
        return rows if self.file_rows is None else np.searchsorted(self.file_rows, rows)

    @cached_property
    def label_colours(self) -> PointColours:
        return PointColours.by_label(self.cloud.labels or (), "")

    def column(self, place: int) -> FileColumn:
        return self.corpus.columns[place].take(self.corpus_rows)

    def take(self, rows: np.ndarray, name: str) -> CorpusCloud:
        """The cloud of these rows only; ``name`` is appended to the key."""
        taken = replace(self, cloud=self.cloud.take(rows), key=f"{self.key}/{name}")
        return taken if self.weights is None else replace(taken, weights=None).weighted()

    def weighted(self) -> CorpusCloud:
        """The same rows with the weights of their texts, if FEWEST_WEIGHED of them are above 0."""
        given = self.corpus.weights
        if given is None or self.cloud.unit == "types":
            return self
        weights = np.array(given)[self.cloud.sources]
        if np.count_nonzero(weights) < FEWEST_WEIGHED:
            return self
        name = sha256(weights.tobytes()).hexdigest()[:16]
        return replace(self, weights=weights, key=f"{self.key}/weighted-{name}")

    def sample(self, most: int) -> CorpusCloud:
        """At most so many rows, drawn by the spec's seed, for figures over pairs of rows."""
        n = len(self.cloud)
        if n <= most:
            return self
        if most not in self._samples:
            rows = some_rows(n, most, self.spec.seed)
            self._samples[most] = self.take(rows, f"sample-{most}")
        return self._samples[most]

    @cached_property
    def _samples(self) -> dict[int, CorpusCloud]:
        return {}

    def halves(self) -> tuple[CorpusCloud, CorpusCloud]:
        """One half for a fit, and the other half, which shows the effect on new points."""
        from geometry.evaluate.fit_size import split_halves  # its import takes 0.06 s

        drawn = split_halves(len(self.cloud), self.units, random_state=SEED)
        fitted, shown = map(np.sort, drawn)
        return self.take(fitted, "fitted-half"), self.take(shown, "shown-half")

    def project(self, method: str, n_components: int) -> Projection:
        return _projection(self, method, n_components)

    def project_in_job(self, method: str, n_components: int) -> Projection:
        """As ``project``. Many points are projected by a job with progress and Cancel."""
        n = len(self.cloud)
        what = _("Projecting {n} points").format(n=f"{n:,}")
        of = (self, method, n_components)
        at_once = n <= MANY_POINTS
        return jobs.kept_or_made(_projection, *of, what=what, at_once=at_once, passing=True)


@kept(48)
def _projection(
    points: CorpusCloud, method: str, n_components: int, report: jobs.Progress = jobs.no_report
) -> Projection:
    report(0, len(points.cloud))
    return project(points.vectors, method, n_components, random_state=SEED)


def row_numbers(cloud: Cloud) -> np.ndarray:
    """(n,) the row of each point in its file, from 0; for word pieces the place in the cloud."""
    return cloud.sources if cloud.unit in ("sentences", "vectors") else np.arange(len(cloud))


def row_cells(cloud: Cloud, rows: Iterable[int]) -> list[list[str]]:
    """The number, the text and the label of each row, for a table."""
    numbers = row_numbers(cloud) + 1
    labels = cloud.labels or ("",) * len(cloud)
    return [[str(numbers[row]), cloud.texts[row], labels[row]] for row in rows]


def labels_of(cloud: Cloud) -> tuple[str, ...] | None:
    """The points' labels, "" for a point without one; None unless two labels differ."""
    named = filter(None, cloud.labels or ())
    first = next(named, None)
    return cloud.labels if any(label != first for label in named) else None


def encode_corpus(
    corpus: Corpus | VectorSet,
    spec: CloudSpec,
    *,
    like: CorpusCloud | None = None,
    private: bool | None = None,
    encoder: Encoder | None = None,
) -> CorpusCloud:
    """The cloud by an encoder: from memory, disk or a job. ``like`` is it at another layer."""
    if isinstance(corpus, VectorSet):
        return cloud_of_vectors(corpus)
    encoder = encoder or current_encoder()  # not in the job, because a job's thread has no session
    key = of_all_layers = ArrayStore.key(encoder.content_key, corpus.content_key, spec)
    if spec.unit == "sentences":  # one encoding stores every layer
        how = corpus.sha256, spec.pooling, spec.special_tokens
        of_all_layers = ArrayStore.key(encoder.fingerprint, *how)
    private = is_own(corpus) if private is None else private
    cloud = _cloud.find(encoder, corpus, spec, private=private)
    if cloud is None:
        is_long = takes_long(corpus)
        settings = asdict(spec) | {"store": store()}
        same = None if like is None else like.cloud
        what = _("Encoding {n} sentences").format(n=f"{len(corpus):,}")

        def work(report: jobs.Progress) -> tuple[str, Cloud]:
            # a worker takes as long to start as a short corpus to be encoded
            reads_long = encoder.n_layers > 0 and encoder.max_tokens > SHORT_TOKENS
            read = read_cloud_apart if is_long or reads_long else read_cloud
            return key, read(encoder, corpus, **settings, progress=report)

        def read_or_made(name: str) -> tuple[str, Cloud]:
            # splitting stored texts into tokens takes long too
            is_slow = spec.unit != "sentences" and like is None and is_long
            if not is_slow and is_stored(encoder, corpus, **settings):
                return key, read_cloud(encoder, corpus, **settings, like=same)
            return jobs.wait_for(f"cloud-{name}", work, what, lane="encode", is_long=is_long)

        name, made = read_or_made(of_all_layers)
        if name != key:  # the job was that of another layer; it has stored all layers
            name, made = read_or_made(key)
        cloud = _cloud.put(made, encoder, corpus, spec, private=private)
    return CorpusCloud(corpus, spec, encoder, cloud, key, private)


# a page may show every layer of a model under several poolings; another limit is that of bytes
@kept(128)
def _cloud(encoder: Encoder, corpus: Corpus, spec: CloudSpec, *, private: bool) -> Cloud:
    return read_cloud(encoder, corpus, **asdict(spec), store=store())


# not ``kept``, because that would count the bytes of the upload's arrays again
_clouds: WeakKeyDictionary[VectorSet, CorpusCloud] = WeakKeyDictionary()


def cloud_of_vectors(vectors: VectorSet) -> CorpusCloud:
    """A reader's own vectors without rows of zeros. Raises UndefinedMeasure if none is left."""
    if vectors in _clouds:
        return _clouds[vectors]
    X, labels = vectors.vectors, vectors.labels
    numbers = np.arange(1, len(X) + 1) if vectors.numbers is None else vectors.numbers
    # float64: squares of small float32 numbers would be 0
    norms = np.sqrt(np.einsum("nd,nd->n", X, X, dtype=np.float64))
    if not norms.any():
        raise UndefinedMeasure("all_zero")
    texts = vectors.texts or tuple(f"#{number}" for number in numbers.tolist())
    cloud = Cloud("vectors", X, texts, numbers - 1, labels, norms, np.ones(len(X)), len(X))
    if not norms.all():
        cloud = replace(cloud.take(norms > 0), n_available=int(np.count_nonzero(norms)))
    corpus = Corpus(
        vectors.name, texts, labels, label_column=vectors.label_column, columns=vectors.columns
    )
    key = ArrayStore.key(vectors.sha256, labels)
    n_zero = len(X) - cloud.n_available
    found = CorpusCloud(corpus, OF_VECTORS, None, cloud, key, True, None, numbers - 1, n_zero)
    return _clouds.setdefault(vectors, found)


def encoded_texts(points: CorpusCloud, texts: Sequence[str]) -> np.ndarray:
    """Vectors (m, d) of other texts, by the model, layer and pooling of the points, as a job."""
    what = _("Encoding {n} sentences").format(n=f"{len(texts):,}")
    how = {name: getattr(points.spec, name) for name in ("layer", "pooling", "special_tokens")}
    return jobs.kept_or_made(_encoded, points.encoder, tuple(texts), how, what=what, lane="encode")


@kept(50, by_session=True)
def _encoded(
    encoder: Encoder,
    texts: tuple[str, ...],
    how: dict[str, Any],
    report: jobs.Progress = jobs.no_report,
) -> np.ndarray:
    return encoder.encode(texts, progress=report, **how)


def takes_long(corpus: Corpus) -> bool:
    return characters_of(corpus) > SHORT_CHARACTERS


def characters_of(corpus: Corpus) -> int:
    return sum(map(len, corpus.texts))


def warn_of_cache() -> None:
    failure = store().failure
    if failure is not None:
        said = _(
            "The server can't write its cache folder ({reason}). Vectors stay in memory for a "
            "while. A large corpus may have to be encoded again for another layer or pooling."
        )
        reason = failure.strerror or type(failure).__name__
        st.warning(said.format(reason=reason), icon=":material/save:")


@st.cache_resource(show_spinner=False)
def store() -> ArrayStore:
    return ArrayStore()
