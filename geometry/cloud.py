"""One corpus as one cloud of vectors: sentences, contextual tokens or types.

The three are different objects and the literature speaks of different ones: sentence vectors
are pooled, contextual tokens change with the sentence they stand in, types are the rows of
the input embedding matrix and never change.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .blocks import encode_to_files
from .corpus import Corpus
from .encode import Encoder, Progress
from .pool import POOLINGS, check_pooling
from .store import ArrayStore

UNITS = ("sentences", "tokens", "types")
BYTES_AT_ONCE = 300 * 10**6  # vectors of all layers and poolings that one encoding may hold
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’-][^\W\u3400-\u9fff]+)*")
CODE_VERSION = 1  # raise it whenever the same texts would encode to other numbers


@dataclass(frozen=True)
class Cloud:
    """n vectors and what is known of each.

    vectors (n, d) float32.   texts: what to show for a row: the sentence, or the word piece.
    sources: index (n,) of the sentence a row came from, -1 for a type.
    labels: n labels (of the sentence), or None.   lengths (n,): words of the sentence, or
    characters of the piece.   counts (n,) float: occurrences in this corpus of the piece;
    for a sentence the mean over its pieces of log10 of that.
    n_available: rows before a sample was drawn.
    """

    unit: str
    vectors: np.ndarray
    texts: tuple[str, ...]
    sources: np.ndarray
    labels: tuple[str, ...] | None
    lengths: np.ndarray
    counts: np.ndarray
    n_available: int

    def __len__(self) -> int:
        return len(self.texts)


def read_cloud(
    encoder: Encoder,
    corpus: Corpus,
    *,
    unit: str = "sentences",
    layer: int = -1,
    pooling: str = "mean",
    max_points: int = 3000,
    seed: int = 0,
    store: ArrayStore | None = None,
    progress: Progress | None = None,
) -> Cloud:
    """The cloud of a corpus, from the store where it is there, encoded (and kept) where not.

    layer : 0 to n_layers or negative; a type has none.   pooling : for sentences only.
    max_points : a larger cloud is sampled without replacement, ``seed`` says how.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}")
    layer = encoder.layer_index(layer)
    wanted = _Wanted(encoder, corpus, unit, layer, pooling, max_points, seed, store, progress)
    return {"sentences": _sentences, "tokens": _tokens, "types": _types}[unit](wanted)


def is_stored(
    encoder: Encoder,
    corpus: Corpus,
    *,
    unit: str,
    layer: int,
    pooling: str,
    max_points: int,
    seed: int,
    store: ArrayStore,
) -> bool:
    """True where ``read_cloud`` would find its vectors on disk and encode nothing."""
    layer = encoder.layer_index(layer)
    wanted = _Wanted(encoder, corpus, unit, layer, pooling, max_points, seed, store, None)
    return store.has(wanted.key)


@dataclass(frozen=True)
class _Wanted:
    """What was asked of ``read_cloud``."""

    encoder: Encoder
    corpus: Corpus
    unit: str
    layer: int
    pooling: str
    max_points: int
    seed: int
    store: ArrayStore | None
    progress: Progress | None

    @property
    def key(self) -> str:
        """Where its vectors are stored. A sample is part of it, except for sentences."""
        if self.unit == "sentences":
            return _key(self.encoder, self.corpus, self.unit, self.layer, self.pooling)
        layer = 0 if self.unit == "types" else self.layer
        sample = f"{self.max_points}/{self.seed}"
        return _key(self.encoder, self.corpus, self.unit, layer, sample)

    def sample(self, n: int) -> np.ndarray:
        """Rows of n that are kept, in order."""
        if n <= self.max_points:
            return np.arange(n)
        drawn = np.random.default_rng(self.seed).choice(n, self.max_points, replace=False)
        return np.sort(drawn)


def sentence_vectors(
    encoder: Encoder,
    corpus: Corpus,
    *,
    layer: int,
    pooling: str,
    store: ArrayStore | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """(n, d) float32 for one layer and pooling; a miss encodes and keeps *all* of them.

    All layers and poolings come out of the same forward pass, so the next choice is a hit.
    Of a corpus for which that would exceed BYTES_AT_ONCE, all layers of this pooling only, by
    blocks on disk (in the store's folder, where a killed run is taken over).
    """
    layer = encoder.layer_index(layer)
    check_pooling(pooling)
    layers = encoder.n_layers + 1
    size = len(corpus) * encoder.dimension * np.float32().nbytes * layers * len(POOLINGS)
    key = _key(encoder, corpus, "sentences", layer, pooling)
    if size > BYTES_AT_ONCE and store is not None:
        return _recall_by_blocks(encoder, corpus, layer, pooling, store, progress)

    def compute() -> dict[str, np.ndarray]:
        every = encoder.encode_layers(corpus.texts, poolings=tuple(POOLINGS), progress=progress)
        return {
            _key(encoder, corpus, "sentences", index, name): every[name][index]
            for name in POOLINGS
            for index in range(layers)
        }

    return _recall(store, key, compute)


def _recall_by_blocks(
    encoder: Encoder,
    corpus: Corpus,
    layer: int,
    pooling: str,
    store: ArrayStore,
    progress: Progress | None,
) -> np.ndarray:
    """All layers of one pooling, kept one by one; memory holds a block or a layer at a time."""
    key = _key(encoder, corpus, "sentences", layer, pooling)
    if (kept := store.read(key)) is not None:
        return kept
    folder = store.folder / f"blocks-{_key(encoder, corpus, 'blocks', 0, pooling)}"
    files = encode_to_files(encoder, corpus.texts, folder, poolings=(pooling,), progress=progress)[
        pooling
    ]
    for index, vectors in enumerate(files):
        store.write(_key(encoder, corpus, "sentences", index, pooling), vectors)
    vectors = np.array(files[layer])
    del files
    shutil.rmtree(folder, ignore_errors=True)
    return vectors


def _sentences(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    vectors = sentence_vectors(
        encoder,
        corpus,
        layer=wanted.layer,
        pooling=wanted.pooling,
        store=wanted.store,
        progress=wanted.progress,
    )
    rows = wanted.sample(len(corpus))
    return Cloud(
        unit="sentences",
        vectors=_rows_of(vectors, rows),
        texts=_pick(corpus.texts, rows),
        sources=rows,
        labels=_pick(corpus.labels, rows) if corpus.labels else None,
        lengths=np.array([word_count(corpus.texts[i]) for i in rows]),
        counts=_rows_of(_piece_frequencies(wanted), rows),
        n_available=len(corpus),
    )


def _piece_frequencies(wanted: _Wanted) -> np.ndarray:
    """Of each sentence (n,), the mean over its pieces of log10 of their count in the corpus."""
    key = _key(wanted.encoder, wanted.corpus, "sentences", 0, "counts")

    def compute() -> dict[str, np.ndarray]:
        pieces = wanted.encoder.tokenize(wanted.corpus.texts)
        seen = Counter(piece for sentence in pieces for piece in sentence)
        means = [np.mean([np.log10(seen[p]) for p in sentence] or [0.0]) for sentence in pieces]
        return {key: np.array(means)}

    return _recall(wanted.store, key, compute)


def _tokens(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    pieces = encoder.tokenize(corpus.texts)
    flat = [piece for sentence in pieces for piece in sentence]
    source = np.repeat(np.arange(len(pieces)), [len(sentence) for sentence in pieces])
    rows = wanted.sample(len(flat))

    def compute() -> dict[str, np.ndarray]:
        tokens = encoder.encode_tokens(corpus.texts, layer=wanted.layer, progress=wanted.progress)
        return {wanted.key: tokens.vectors[rows]}

    seen = Counter(flat)
    texts = _pick(flat, rows)
    return Cloud(
        unit="tokens",
        vectors=_recall(wanted.store, wanted.key, compute),
        texts=texts,
        sources=source[rows],
        labels=_pick(corpus.labels, source[rows]) if corpus.labels else None,
        lengths=np.array([len(_bare(piece)) for piece in texts]),
        counts=np.array([seen[piece] for piece in texts], dtype=float),
        n_available=len(flat),
    )


def _types(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    seen = Counter(piece for sentence in encoder.tokenize(corpus.texts) for piece in sentence)
    names = sorted(seen)
    rows = wanted.sample(len(names))

    def compute() -> dict[str, np.ndarray]:
        table = encoder.type_embeddings()
        row_of = {word: row for row, word in enumerate(table.words)}
        return {wanted.key: table.vectors[[row_of[names[i]] for i in rows]]}

    texts = _pick(names, rows)
    return Cloud(
        unit="types",
        vectors=_recall(wanted.store, wanted.key, compute),
        texts=texts,
        sources=np.full(len(rows), -1),
        labels=None,
        lengths=np.array([len(_bare(piece)) for piece in texts]),
        counts=np.array([seen[piece] for piece in texts], dtype=float),
        n_available=len(names),
    )


def _recall(
    store: ArrayStore | None, key: str, compute: Callable[[], dict[str, np.ndarray]]
) -> np.ndarray:
    if store is not None and (kept := store.read(key)) is not None:
        return kept
    computed = compute()
    if store is not None:
        for name, array in computed.items():
            store.write(name, array)
    return computed[key]


def _key(encoder: Encoder, corpus: Corpus, unit: str, layer: int, detail: str) -> str:
    return ArrayStore.key(CODE_VERSION, encoder.fingerprint, corpus.sha256, unit, layer, detail)


def _rows_of(vectors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return vectors if len(rows) == len(vectors) else vectors[rows]


def _pick(values: tuple[str, ...] | list[str], rows: np.ndarray) -> tuple[str, ...]:
    return tuple(values[i] for i in rows)


def word_count(text: str) -> int:
    """Words of a text; a Chinese character counts as one."""
    return len(_WORD.findall(text))


def _bare(piece: str) -> str:
    """A word piece without its continuation or space mark (##, Ġ, ▁)."""
    return piece.removeprefix("##").lstrip("Ġ▁")
