"""The state of the layers page at its settings: one cloud at every layer of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from geometry import Corpus, Encoder, Projection, read_cloud
from geometry.encode import ArrayStore
from geometry.encode.disk_cache import BYTES_AT_ONCE
from geometry.encode.pool import DEFAULT_POOLING
from geometry.encode.precision import PrecisionError
from geometry.measure import Measured, measure_table
from geometry.projection import project_layer
from geometry.projection.twin import ConeEdge, cone_edges
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.cloud_choices import Look
from pages.common.controls import pooling_names
from pages.common.corpus_cloud import (
    MANY_POINTS,
    MOST_DRAWN,
    SEED,
    CloudSpec,
    CorpusCloud,
    encode_corpus,
    store,
)
from pages.common.uploads import is_own
from pages.common.words import Translate

SAMPLE_ROWS = 3000  # of curves, tables and rogue dimensions; the page says so
TOKENS = "tokens"
COMPARED = ("cls", "mean", "max")  # poolings whose curves are beside each other
HEADLINES = ("mean_cosine", "opening_angle", "isoscore")

Table = dict[str, Measured]  # by the measure's name

_STILLS: Cache[tuple[Still, ...]] = Cache("layer-stills", max_entries=32)
_HEADLINES: Cache[Table] = Cache("layer-headlines", max_entries=512)


@dataclass(frozen=True)
class Still:
    """What is drawn and printed of one layer.

    Attributes
    ----------
    picture : Projection
    edges : tuple of ConeEdge
    headlines : dict of str to Measured
        HEADLINES, of all points.
    """

    picture: Projection
    edges: tuple[ConeEdge, ...]
    headlines: Table


@dataclass(frozen=True)
class Film:
    """The cloud that is drawn: a picture of the same points at every layer.

    The vectors of one layer are in memory at a time: those of 100,000 points at seven layers take
    1 GB.

    Attributes
    ----------
    name : str
        "tokens", or the code of a pooling of sentences.
    first : CorpusCloud
        The cloud at the input, layer 0: its texts, labels and sources are those of every layer.
    stills : tuple of Still
        From the input to the last layer.
    """

    name: str
    first: CorpusCloud
    stills: tuple[Still, ...]

    @property
    def last(self) -> int:
        """The number of the last layer."""
        return len(self.stills) - 1

    @property
    def pictures(self) -> tuple[Projection, ...]:
        """One for each layer."""
        return tuple(still.picture for still in self.stills)

    @property
    def n_components(self) -> int:
        """2 or 3."""
        return self.stills[0].picture.n_components


@dataclass(frozen=True)
class Series:
    """A cloud at every layer whose measures are curves: all points, or a sample of the texts.

    Attributes
    ----------
    name : str
        "tokens", or the code of a pooling of sentences.
    layers : tuple of CorpusCloud
        The same rows at each layer, from the input to the last.
    n_texts : int
        Texts of the whole corpus.
    """

    name: str
    layers: tuple[CorpusCloud, ...]
    n_texts: int

    @property
    def first(self) -> CorpusCloud:
        """The cloud at the input: its texts, labels and sources are those of every layer."""
        return self.layers[0]

    @property
    def units(self) -> np.ndarray | None:
        """(n,) the sentence of each token, or the text of its sentences, as ``CorpusCloud.units``.

        An interval leaves out whole units.
        """
        return self.first.units


@dataclass(frozen=True)
class Scene:
    """The cloud that is drawn, at every layer, and the layer of the numbers.

    Attributes
    ----------
    film : Film
    look : Look
    layer : int
    chosen : int or None
        The row that is ringed.
    """

    film: Film
    look: Look
    layer: int
    chosen: int | None

    @property
    def first(self) -> CorpusCloud:
        """The cloud at the input."""
        return self.film.first

    @property
    def still(self) -> Still:
        """The layer of the numbers."""
        return self.film.stills[self.layer]


def most_at_once(encoder: Encoder) -> int:
    """How many points fit into memory at every layer together."""
    each = (encoder.n_layers + 1) * encoder.dimension * np.float32().nbytes
    return BYTES_AT_ONCE // each


def drawn_spec(
    encoder: Encoder, name: str, special_tokens: bool, most: int = MOST_DRAWN
) -> CloudSpec:
    """The cloud that is drawn, at the input.

    Sentences are stored on the disk layer by layer. Tokens of all layers are encoded in one pass in
    memory, so fewer of them are taken.

    Parameters
    ----------
    encoder : Encoder
    name : str
        "tokens", or the code of a pooling.
    special_tokens : bool
        Include special tokens in the pooling of sentences. Contextual tokens are without them.
    most : int
        Points at most.
    """
    if name == TOKENS:
        return CloudSpec(
            unit="tokens",
            layer=0,
            pooling=DEFAULT_POOLING,
            max_points=min(most, most_at_once(encoder)),
            whole_sentences=True,
        )
    return CloudSpec(
        unit="sentences", layer=0, pooling=name, special_tokens=special_tokens, max_points=most
    )


def sampled_corpus(corpus: Corpus, encoder: Encoder) -> Corpus:
    """The texts of the curves: all, or a sample of SAMPLE_ROWS, so that only these are encoded."""
    n, most = len(corpus), min(SAMPLE_ROWS, most_at_once(encoder))
    if n <= most:
        return corpus
    rows = np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))
    return corpus.take(rows)


def read_series(
    corpus: Corpus, encoder: Encoder, name: str, special_tokens: bool, _: Translate
) -> Series:
    """The cloud of that name at every layer, encoded in one pass; of a large corpus a sample.

    Parameters
    ----------
    corpus : Corpus
    encoder : Encoder
    name : str
        "tokens", or the code of a pooling.
    special_tokens : bool
        As in ``drawn_spec``.
    """
    texts, private = sampled_corpus(corpus, encoder), is_own(corpus)
    most = SAMPLE_ROWS if name == TOKENS else MOST_DRAWN
    spec = drawn_spec(encoder, name, special_tokens, most)
    first = encode_corpus(texts, spec, _, private=private)
    above = (replace(spec, layer=layer) for layer in range(1, encoder.n_layers + 1))
    rest = (encode_corpus(texts, each, _, like=first, private=private) for each in above)
    return Series(name, (first, *rest), len(corpus))


def all_series(
    shown: str, corpus: Corpus, encoder: Encoder, special_tokens: bool, _: Translate
) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    """(the series of the curves in their order, the names of those that bfloat16 can't resolve).

    Parameters
    ----------
    shown : str
        The name of the one that is drawn.
    corpus : Corpus
    encoder : Encoder
    special_tokens : bool
        As in ``read_series``.
    """
    poolings = COMPARED if shown in (*COMPARED, TOKENS) else (*COMPARED[:2], shown)
    found: list[Series] = []
    unresolved: list[str] = []
    for name in (*poolings, TOKENS):
        try:
            found.append(read_series(corpus, encoder, name, special_tokens, _))
        except PrecisionError:
            if name == shown:
                raise
            unresolved.append(name)
    return tuple(found), tuple(unresolved)


def series_name(name: str, _: Translate) -> str:
    """A series in words, for a legend."""
    if name == TOKENS:
        return _("contextual tokens")
    return _("sentences, {pooling}").format(pooling=pooling_names(_)[name])


def build_film(name: str, first: CorpusCloud, look: Look, _: Translate) -> Film:
    """Project and measure every layer, once for all readers; many points in a job.

    Parameters
    ----------
    name : str
        "tokens", or the code of a pooling.
    first : CorpusCloud
        The cloud at the input.
    look : Look
    """
    n_layers, private = first.encoder.n_layers + 1, first.private
    specs = [replace(first.spec, layer=layer) for layer in range(n_layers)]
    keys = [vectors_key(replace(first, spec=spec)) for spec in specs]
    measured = [_HEADLINES.get(key, private=private) for key in keys]

    def layers(report: jobs.Progress) -> Iterator[np.ndarray]:
        def reported(*_done: int) -> None:
            report(layer, n_layers)

        yield first.vectors
        for layer in range(1, n_layers):
            reported()
            cloud = read_cloud(
                first.encoder,
                first.corpus,
                **asdict(specs[layer]),
                like=first.cloud,
                store=store(),
                progress=reported,
            )
            yield cloud.vectors

    def work(report: jobs.Progress) -> tuple[Still, ...]:
        report(0, n_layers)
        stills: list[Still] = []
        former: Projection | None = None
        for X, known in zip(layers(report), measured, strict=True):
            picture = project_layer(
                X, look.view, look.n_components, former=former, random_state=SEED
            )
            stills.append(Still(picture, cone_edges(X, picture), known or _headlines(X)))
            former = picture
        return tuple(stills)

    key = ArrayStore.key(*keys, look.view, look.n_components)
    stills = _STILLS.get(key, private=private)
    if stills is None:
        made: tuple[Still, ...]
        if len(first.cloud) * n_layers <= MANY_POINTS:
            made = work(lambda *_: None)
        else:
            what = _("Projecting {n} points at each layer").format(n=f"{len(first.cloud):,}")
            made = jobs.wait_for(f"film-{key}", work, _, what, lane="measure", passing=True)
        stills = _STILLS.put(key, made, private=private)
        for each, still in zip(keys, stills, strict=True):
            _HEADLINES.put(each, still.headlines, private=private)
    return Film(name, first, stills)


def _headlines(X: np.ndarray) -> Table:
    """HEADLINES of one layer: no intervals and nothing simulated, so that it is fast."""
    table = measure_table(X, names=HEADLINES, seed=SEED, intervals=False, simulate=False)
    return {row.name: row for row in table}


def film_key(film: Film, *more: object) -> str:
    """The cache key of what is computed from the pictures of every layer."""
    first, picture = film.first, film.stills[0].picture
    return ArrayStore.key(
        vectors_key(first), film.last, picture.method, picture.n_components, *more
    )


def vectors_key(points: CorpusCloud) -> str:
    """Names the vectors alone: the labels of a bundled corpus differ between languages."""
    corpus = points.corpus  # intervals depend on its sources
    return ArrayStore.key(points.encoder.fingerprint, corpus.sha256, corpus.sources, points.spec)
