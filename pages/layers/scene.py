"""The state of the layers page at its settings: one cloud at every layer of the model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geometry import Corpus, Encoder, Projection
from geometry.encode import ArrayStore
from geometry.encode.pool import DEFAULT_POOLING
from geometry.encode.precision import PrecisionError
from geometry.encode.store import BYTES_AT_ONCE
from geometry.projection import project_layers
from pages.common.cache import Cache
from pages.common.cloud_choices import Look
from pages.common.controls import pooling_names
from pages.common.corpus_cloud import SEED, CloudSpec, CorpusCloud, encode_corpus
from pages.common.words import Translate

MAX_POINTS = 3000  # of a cloud; a larger one is sampled, and the page says so
TOKENS = "tokens"
COMPARED = ("cls", "mean", "max")  # poolings whose curves are beside each other

_PICTURES: Cache[tuple[Projection, ...]] = Cache("layer-pictures", max_entries=32)


@dataclass(frozen=True)
class Series:
    """One cloud at every layer: the same rows in each.

    Attributes
    ----------
    name : str
        "tokens", or the code of a pooling of sentences.
    layers : tuple of CorpusCloud
        From the input, layer 0, to the last.
    """

    name: str
    layers: tuple[CorpusCloud, ...]

    @property
    def first(self) -> CorpusCloud:
        """The cloud at the input: its texts, labels and sources are those of every layer."""
        return self.layers[0]

    @property
    def last(self) -> int:
        """The number of the last layer."""
        return len(self.layers) - 1

    @property
    def units(self) -> np.ndarray | None:
        """(n,) the sentence of each token, because an interval leaves out whole sentences."""
        return self.first.cloud.sources if self.name == TOKENS else None


@dataclass(frozen=True)
class Scene:
    """The cloud that is drawn, at every layer, and the layer of the numbers.

    Attributes
    ----------
    series : Series
    pictures : tuple of Projection
        One for each layer.
    look : Look
    layer : int
    chosen : int or None
        The row that is ringed.
    """

    series: Series
    pictures: tuple[Projection, ...]
    look: Look
    layer: int
    chosen: int | None

    @property
    def points(self) -> CorpusCloud:
        """The cloud at the layer of the numbers."""
        return self.series.layers[self.layer]


def most_points(encoder: Encoder) -> int:
    """How many points are taken: those of every layer fit into memory together."""
    each = (encoder.n_layers + 1) * encoder.dimension * np.float32().nbytes
    return min(MAX_POINTS, BYTES_AT_ONCE // each)


def read_series(
    corpus: Corpus, encoder: Encoder, name: str, special_tokens: bool, _: Translate
) -> Series:
    """The cloud of that name at every layer, encoded in one pass.

    Parameters
    ----------
    corpus : Corpus
    encoder : Encoder
    name : str
        "tokens", or the code of a pooling.
    special_tokens : bool
        Include special tokens in the pooling of sentences. Contextual tokens are without them.
    """
    most = most_points(encoder)
    spec = CloudSpec(
        unit="sentences",
        layer=0,
        pooling=name,
        special_tokens=special_tokens,
        max_points=most,
    )
    if name == TOKENS:
        spec = CloudSpec(
            unit="tokens",
            layer=0,
            pooling=DEFAULT_POOLING,
            max_points=most,
            whole_sentences=True,
        )
    first = encode_corpus(corpus, spec, _)
    above = (replace(spec, layer=layer) for layer in range(1, encoder.n_layers + 1))
    return Series(name, (first, *(encode_corpus(corpus, each, _, like=first) for each in above)))


def other_series(
    shown: Series, corpus: Corpus, encoder: Encoder, special_tokens: bool, _: Translate
) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    """(the series of the curves in their order, the names of those that bfloat16 can't resolve).

    Parameters
    ----------
    shown : Series
        The one that is drawn.
    corpus, encoder, special_tokens
        As in ``read_series``.
    """
    poolings = COMPARED if shown.name in (*COMPARED, TOKENS) else (*COMPARED[:2], shown.name)
    found: list[Series] = []
    unresolved: list[str] = []
    for name in (*poolings, TOKENS):
        if name == shown.name:
            found.append(shown)
            continue
        try:
            found.append(read_series(corpus, encoder, name, special_tokens, _))
        except PrecisionError:
            unresolved.append(name)
    return tuple(found), tuple(unresolved)


def series_name(name: str, _: Translate) -> str:
    """A series in words, for a legend."""
    if name == TOKENS:
        return _("contextual tokens")
    return _("sentences, {pooling}").format(pooling=pooling_names(_)[name])


def build_scene(series: Series, look: Look, layer: int, chosen: int | None) -> Scene:
    """Project every layer; computed once for all readers."""

    def make() -> tuple[Projection, ...]:
        clouds = [points.vectors for points in series.layers]
        return project_layers(clouds, look.view, look.n_components, random_state=SEED)

    key = series_key(series, look.view, look.n_components)
    pictures = _PICTURES.get_or_make(key, make, private=series.first.private)
    return Scene(series, pictures, look, layer, chosen)


def series_key(series: Series, *more: object) -> str:
    """The cache key of what is computed from the vectors of every layer of a series."""
    return ArrayStore.key(*map(vectors_key, series.layers), *more)


def vectors_key(points: CorpusCloud) -> str:
    """Names the vectors alone: the labels of a bundled corpus differ between languages."""
    return ArrayStore.key(points.encoder.fingerprint, points.corpus.sha256, points.spec)
