"""One corpus as one cloud of vectors: of sentences, contextual tokens or types.

Types are rows of the input embedding matrix and do not depend on any sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..data.corpus import Corpus
from ..linalg.rows import some_rows
from ..process import Progress, no_report
from .disk_cache import (
    BYTES_AT_ONCE,
    CODE_VERSION,
    ArrayStore,
    key_of,
    pooled_name,
    recall,
    recall_one,
    recalled_vectors,
    stored,
)
from .encoder import Encoder, Layer
from .errors import TextError
from .pool import DEFAULT_POOLING
from .precision import refuse_too_narrow

UNITS = ("sentences", "tokens", "types")
LARGE_CHARACTERS = 200_000  # characters of a corpus from which its word counts are stored
# Most bytes of token vectors in memory at once; a sample of them is returned
VECTOR_BYTES = 200 * 10**6
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’-][^\W\u3400-\u9fff]+)*")


@dataclass(frozen=True)
class Cloud:
    """n vectors and their texts, labels and counts."""

    unit: str  #: "sentences", "tokens" or "types"
    vectors: np.ndarray  #: (n, d) float32
    texts: tuple[str, ...]  #: the sentence or the word piece of each row
    sources: np.ndarray  #: (n,) index of the row's sentence in the corpus; -1 for a type
    labels: tuple[str, ...] | None  #: of the row's sentence
    lengths: np.ndarray  #: (n,) words of a sentence, or characters of a word piece
    #: (n,) occurrences of a word piece in the corpus; of a sentence the mean of log10 of that over
    #: its pieces
    counts: np.ndarray
    n_available: int  #: rows before a sample was drawn

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def n_labels(self) -> int:
        """Different labels."""
        return len(set(self.labels or ()))

    def take(self, rows: np.ndarray) -> Cloud:
        """A cloud of some rows, in that order: (m,) indices, or an (n,) mask of bools."""
        rows = np.arange(len(self))[rows]
        return replace(
            self,
            vectors=self.vectors[rows],
            texts=_pick(self.texts, rows),
            sources=self.sources[rows],
            labels=None if self.labels is None else _pick(self.labels, rows),
            lengths=self.lengths[rows],
            counts=self.counts[rows],
        )


def read_cloud(
    encoder: Encoder,
    corpus: Corpus,
    *,
    unit: str = "sentences",
    layer: Layer = -1,
    pooling: str = DEFAULT_POOLING,
    special_tokens: bool = True,
    max_points: int = 3000,
    seed: int = 0,
    whole_sentences: bool = False,
    like: Cloud | None = None,
    store: ArrayStore | None = None,
    progress: Progress | None = None,
) -> Cloud:
    """The cloud of a corpus, from the store if it has it; otherwise encoded and stored.

    PrecisionError if bfloat16 can't resolve the cloud.

    Parameters
    ----------
    encoder : Encoder
    corpus : Corpus
    unit : str
        "sentences", "tokens" or "types".
    layer : int, tuple of int or str
        As in ``Encoder.encode``; one layer for tokens. Types have none.
    pooling : str
    special_tokens : bool
        Both as in ``Encoder.encode``; for sentences only.
    max_points : int
        A larger cloud is sampled without replacement.
    seed : int
        Seed of the sample.
    whole_sentences : bool
        For tokens only: the sample has all tokens of some sentences, and not some tokens of all.
        Measures that compare a token with its sentence need that.
    like : Cloud, optional
        The same cloud of tokens at another layer. If the vectors are stored, all else is taken from
        it, and the texts are not split into tokens again.
    store : ArrayStore, optional
    progress : callable (int, int), optional
        Called with (texts done, texts in all).
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}")
    layers = encoder.layer_indices(layer)
    if unit != "sentences" and len(layers) != 1:
        raise ValueError(f"layer must be one layer for {unit}; got {layer!r}")
    settings = unit, pooling, max_points, seed, special_tokens, whole_sentences
    request = _Request(encoder, corpus, layers, *settings, store, progress or no_report)
    found = stored(store, request.keys) if like and store and unit == "tokens" else None
    if like and found:
        cloud = replace(like, vectors=found[0])
    else:
        cloud = {"sentences": _sentences, "tokens": _tokens, "types": _types}[unit](request)
    if encoder.is_approximate:
        refuse_too_narrow(cloud.vectors)
    return cloud


def is_stored(
    encoder: Encoder, corpus: Corpus, *, layer: Layer, store: ArrayStore, **settings: Any
) -> bool:
    """Whether the store has the vectors that ``read_cloud`` with these settings needs."""
    layers = encoder.layer_indices(layer)
    request = _Request(encoder, corpus, layers, store=store, **settings)
    keys = [*request.keys]
    if request.unit == "sentences" and request.is_large:
        # pieces and words, which take seconds to count in a large corpus
        keys += [counts_key(encoder, corpus), word_counts_key(corpus)]
    return all(map(store.has, keys))


@dataclass(frozen=True)
class _Request:
    encoder: Encoder
    corpus: Corpus
    layers: tuple[int, ...]
    unit: str
    pooling: str
    max_points: int
    seed: int
    special_tokens: bool = True
    whole_sentences: bool = False
    store: ArrayStore | None = None
    progress: Progress = no_report

    def report(self, done: int) -> None:
        self.progress(done, len(self.corpus))

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(map(self.key, (0,) if self.unit == "types" else self.layers))

    def key(self, layer: int) -> str:
        """The key of its vectors at a layer. Of tokens and types only the sample is stored."""
        detail = f"{self.max_points}/{self.seed}"
        if self.unit == "sentences":
            detail = pooled_name(self.pooling, self.special_tokens)
        elif self.unit == "tokens" and self.whole_sentences:
            detail += "/whole sentences"
        return key_of(self.encoder, self.corpus, self.unit, layer, detail)

    @property
    def is_large(self) -> bool:
        """True if word counts are stored, because counting 50 MB takes ten seconds."""
        return sum(map(len, self.corpus.texts)) > LARGE_CHARACTERS

    def sample(self, n: int) -> np.ndarray:
        return some_rows(n, self.max_points, self.seed)

    def pieces(self) -> list[list[str]]:
        """The word pieces of each text, before any is encoded."""
        return self.encoder.tokenize(self.corpus.texts, progress=lambda *_: self.report(0))


def _sentences(request: _Request) -> Cloud:
    encoder, corpus, store = request.encoder, request.corpus, request.store
    how: dict[str, Any] = {"layer": request.layers, "pooling": request.pooling, "store": store}
    how |= {"special_tokens": request.special_tokens, "progress": request.progress}
    vectors = recalled_vectors(encoder, corpus, **how)

    def all_done(*_: int) -> None:
        request.report(len(corpus))

    def count_words() -> np.ndarray:
        lengths = []
        for text in corpus.texts:
            lengths.append(word_count(text))
            all_done()
        return np.array(lengths)

    count_pieces = partial(piece_frequencies, encoder, corpus.texts, progress=all_done)
    words = recall_one(store if request.is_large else None, word_counts_key(corpus), count_words)
    counts = recall_one(store, counts_key(encoder, corpus), count_pieces)
    rows = request.sample(len(corpus))
    return Cloud(
        unit="sentences",
        vectors=vectors if len(rows) == len(vectors) else vectors[rows],
        texts=_pick(corpus.texts, rows),
        sources=rows,
        labels=_pick(corpus.labels, rows) if corpus.labels else None,
        lengths=words[rows],
        counts=counts[rows],
        n_available=len(corpus),
    )


def word_counts_key(corpus: Corpus) -> str:
    return ArrayStore.key(CODE_VERSION, corpus.sha256, "words")


def counts_key(encoder: Encoder, corpus: Corpus) -> str:
    return key_of(encoder, corpus, "sentences", 0, "counts")


def piece_frequencies(
    encoder: Encoder, texts: Sequence[str], *, progress: Progress | None = None
) -> np.ndarray:
    """For each text, the mean over its pieces of log10 of their count in all texts, (n,)."""
    pieces = encoder.tokenize(texts, progress=progress)
    counts = Counter(piece for sentence in pieces for piece in sentence)
    logs = {piece: np.log10(count) for piece, count in counts.items()}
    return np.array([np.mean([logs[piece] for piece in sentence] or [0.0]) for sentence in pieces])


def _tokens(request: _Request) -> Cloud:
    pieces = request.pieces()
    flat = [piece for sentence in pieces for piece in sentence]
    lengths = [len(sentence) for sentence in pieces]
    source = np.repeat(np.arange(len(pieces)), lengths)
    rows = request.sample(len(flat))
    if request.whole_sentences:  # one at least, up to ``max_points`` tokens
        order = np.random.default_rng(request.seed).permutation(len(pieces))
        ends = np.cumsum(np.asarray(lengths)[order])
        drawn = order[: max(1, int(np.searchsorted(ends, request.max_points, "right")))]
        rows = np.flatnonzero(np.isin(source, drawn))

    def compute() -> dict[str, np.ndarray]:
        """One pass has every layer, so all are stored if they are not too large."""
        every = tuple(range(request.encoder.n_layers + 1))
        n_bytes = len(every) * len(rows) * request.encoder.dimension * np.float32().nbytes
        is_small = request.store is not None and n_bytes <= BYTES_AT_ONCE
        layers = every if is_small else request.layers
        vectors = _token_vectors(request, layers, rows, lengths)
        return {request.key(layer): X for layer, X in zip(layers, vectors, strict=True)}

    of_texts = request.corpus.labels
    labels = _pick(of_texts, source[rows]) if of_texts else None
    vectors = recall(request.store, request.keys, compute)[0]
    return _of_pieces("tokens", vectors, _pick(flat, rows), flat, source[rows], labels)


def _token_vectors(
    request: _Request, layers: Sequence[int], rows: np.ndarray, lengths: list[int]
) -> np.ndarray:
    """Vectors (layers, m, d) of the tokens at these sorted rows, VECTOR_BYTES at a time."""
    encoder = request.encoder
    sizes = np.asarray(lengths)
    is_drawn = np.zeros(sizes.sum(), dtype=bool)
    is_drawn[rows] = True
    drawn = np.split(is_drawn, np.cumsum(sizes)[:-1])  # the tokens of each text
    needed = np.array([i for i, tokens in enumerate(drawn) if tokens.any()], dtype=int)
    most = VECTOR_BYTES // (4 * encoder.dimension * len(layers))  # tokens
    found = [np.empty((len(layers), 0, encoder.dimension), dtype=np.float32)]
    while len(needed):
        count = max(1, int(np.searchsorted(np.cumsum(sizes[needed]), most, "right")))
        some, needed = needed[:count], needed[count:]

        def report(done: int, _of_these: int, first: int = int(some[0])) -> None:
            request.report(first + done)

        chosen = [request.corpus.texts[i] for i in some]
        parts = encoder.encode_token_layers(chosen, layers=layers, progress=report)
        kept = np.concatenate([drawn[i] for i in some])
        found.append(np.stack([part.vectors[kept] for part in parts]))
    return np.concatenate(found, axis=1)


def _types(request: _Request) -> Cloud:
    pieces = [piece for sentence in request.pieces() for piece in sentence]
    names = sorted(set(pieces))
    rows = request.sample(len(names))
    texts = _pick(names, rows)

    def compute() -> np.ndarray:
        table = request.encoder.type_embeddings()
        return table.vectors[[row for text in texts if (row := table.row_of(text)) is not None]]

    vectors = recall_one(request.store, request.keys[0], compute)
    cloud = _of_pieces("types", vectors, texts, pieces, np.full(len(rows), -1), None)
    return replace(cloud, n_available=len(names))


def _of_pieces(
    unit: str,
    vectors: np.ndarray,
    texts: tuple[str, ...],
    pieces: list[str],
    sources: np.ndarray,
    labels: tuple[str, ...] | None,
) -> Cloud:
    """A cloud of word pieces; ``pieces`` are those of the whole corpus."""
    counts = Counter(pieces)
    return Cloud(
        unit=unit,
        vectors=vectors,
        texts=texts,
        sources=sources,
        labels=labels,
        # without marks of a continuation or a space
        lengths=np.array([len(piece.removeprefix("##").lstrip("Ġ▁")) for piece in texts]),
        counts=np.array([counts[piece] for piece in texts], dtype=float),
        n_available=len(pieces),
    )


def type_averages_key(encoder: Encoder, corpus: Corpus) -> str:
    return key_of(encoder, corpus, "sentences", 0, "type averages")


def type_averages(
    encoder: Encoder, texts: Sequence[str], *, progress: Progress | None = None
) -> np.ndarray:
    """(n, d) float32: the mean of the input embeddings of each text's word pieces.

    The counterpart of averaged GloVe vectors: one *static* vector a type. Layer 0 differs: it adds
    positions and special tokens, and normalises.
    """
    table = encoder.type_embeddings()
    out = np.empty((len(texts), table.vectors.shape[1]), dtype=np.float32)
    for place, pieces in enumerate(encoder.tokenize(texts, progress=progress)):
        rows = [row for piece in pieces if (row := table.row_of(piece)) is not None]
        if not rows:
            raise TextError("no_word_piece", row=place + 1)
        out[place] = table.vectors[rows].mean(axis=0, dtype=np.float64)
    return out


def _pick(values: tuple[str, ...] | list[str], rows: np.ndarray) -> tuple[str, ...]:
    return tuple(values[i] for i in rows)


def word_count(text: str) -> int:
    """Words of a text; a Chinese character counts as one."""
    return len(_WORD.findall(text))
