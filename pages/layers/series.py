"""The clouds whose measures are the curves: tokens and poolings, each at every layer."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from geometry import Corpus, Encoder
from geometry.encode import ArrayStore
from geometry.encode.disk_cache import BYTES_AT_ONCE
from geometry.encode.pool import DEFAULT_POOLING
from geometry.encode.precision import PrecisionError
from pages.common.controls import pooling_names
from pages.common.corpus_cloud import MOST_DRAWN, CloudSpec, CorpusCloud, encode_corpus
from pages.common.seed import SEED
from pages.common.uploads import is_own
from pages.common.words import _

SAMPLE_ROWS = 3000  # texts or tokens of curves, tables and rogue dimensions; the page says so
TOKENS = "tokens"
COMPARED = ("cls", "mean", "max")  # poolings whose curves are shown together


@dataclass(frozen=True)
class Series:
    """A cloud at every layer, of all texts or of a sample; its measures are curves.

    Attributes
    ----------
    name : str
        "tokens", or the code of a pooling of sentences.
    layers : tuple of CorpusCloud
        The same rows at each layer, from the input to the last layer.
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


def most_at_once(encoder: Encoder) -> int:
    """How many points fit into memory with their vectors of every layer."""
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
    """The texts of the curves: all, or SAMPLE_ROWS of many. Other texts are not encoded."""
    n, most = len(corpus), min(SAMPLE_ROWS, most_at_once(encoder))
    if n <= most:
        return corpus
    rows = np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))
    return corpus.take(rows)


def read_series(corpus: Corpus, encoder: Encoder, name: str, special_tokens: bool) -> Series:
    """The cloud of that name at every layer, encoded in one pass. Of a large corpus, a sample.

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
    first = encode_corpus(texts, spec, private=private)
    above = (replace(spec, layer=layer) for layer in range(1, encoder.n_layers + 1))
    rest = (encode_corpus(texts, each, like=first, private=private) for each in above)
    return Series(name, tuple(map(unlabelled, (first, *rest))), len(corpus))


def compared_names(shown: str) -> tuple[str, ...]:
    """The names of the curves in their order; ``shown`` is the name of the drawn cloud."""
    poolings = COMPARED if shown in (*COMPARED, TOKENS) else (*COMPARED[:2], shown)
    return (*poolings, TOKENS)


def read_all_series(
    shown: str, corpus: Corpus, encoder: Encoder, special_tokens: bool
) -> dict[str, Series]:
    """The clouds of the curves by name, without those that bfloat16 can't resolve.

    Parameters
    ----------
    shown : str
        The name of the cloud that is drawn. PrecisionError is raised if it can't be resolved.
    corpus : Corpus
    encoder : Encoder
    special_tokens : bool
        As in ``read_series``.
    """
    found = {}
    for name in compared_names(shown):
        try:
            found[name] = read_series(corpus, encoder, name, special_tokens)
        except PrecisionError:
            if name == shown:
                raise
    return found


def series_name(name: str) -> str:
    """A series in words, for a legend."""
    if name == TOKENS:
        return _("contextual tokens")
    return _("sentences, {pooling}").format(pooling=pooling_names()[name])


def unlabelled(points: CorpusCloud) -> CorpusCloud:
    """The points with a key that does not name their labels, which differ between languages."""
    corpus = points.corpus  # intervals depend on its sources
    key = ArrayStore.key(points.encoder.fingerprint, corpus.sha256, corpus.sources, points.spec)
    return replace(points, key=key)
