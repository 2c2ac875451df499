"""One corpus as one cloud of vectors: sentences, contextual tokens or types.

The literature speaks of all three: sentence vectors are pooled, contextual tokens change with
the sentence they stand in, types are rows of the input embedding matrix and never change.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from ..data.corpus import Corpus
from .encoder import Encoder, Layer, Progress
from .precision import refuse_too_narrow
from .store import ArrayStore, key_of, pooled_name, recall, recalled_vectors

UNITS = ("sentences", "tokens", "types")
TEXTS_AT_ONCE = 256  # of which all token vectors are held: 400 MB at 512 tokens and d = 768
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’-][^\W\u3400-\u9fff]+)*")


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

    def take(self, rows: np.ndarray) -> Cloud:
        """The cloud of those rows only, in that order: indices (m,), or a mask (n,) of bools."""
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
    pooling: str = "mean",
    special_tokens: bool = True,
    max_points: int = 3000,
    seed: int = 0,
    store: ArrayStore | None = None,
    progress: Progress | None = None,
) -> Cloud:
    """The cloud of a corpus, from the store where it is there, encoded (and kept) where not.

    layer : 0 to n_layers or negative; for sentences several, or a name, as ``Encoder.encode``
    takes; a type has none.   pooling, special_tokens : for sentences only, as there.
    max_points : a larger cloud is sampled without replacement, ``seed`` says how.
    Raises ValueError for vectors in bfloat16 that lie too close for it (``refuse_too_narrow``).
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}")
    layers = encoder.layer_indices(layer)
    if unit != "sentences" and len(layers) != 1:
        raise ValueError(f"layer must be one layer for {unit}; got {layer!r}")
    asked = (encoder, corpus, unit, layers, pooling, special_tokens, max_points, seed)
    wanted = _Wanted(*asked, store, progress)
    cloud = {"sentences": _sentences, "tokens": _tokens, "types": _types}[unit](wanted)
    if encoder.is_approximate:
        refuse_too_narrow(cloud.vectors)
    return cloud


def is_stored(
    encoder: Encoder,
    corpus: Corpus,
    *,
    unit: str,
    layer: Layer,
    pooling: str,
    special_tokens: bool = True,
    max_points: int,
    seed: int,
    store: ArrayStore,
) -> bool:
    """True where ``read_cloud`` would find its vectors on disk and encode nothing."""
    layers = encoder.layer_indices(layer)
    asked = (encoder, corpus, unit, layers, pooling, special_tokens, max_points, seed)
    return all(store.has(key) for key in _Wanted(*asked, store, None).keys)


@dataclass(frozen=True)
class _Wanted:
    """What was asked of ``read_cloud``."""

    encoder: Encoder
    corpus: Corpus
    unit: str
    layers: tuple[int, ...]
    pooling: str
    special_tokens: bool
    max_points: int
    seed: int
    store: ArrayStore | None
    progress: Progress | None

    @property
    def keys(self) -> tuple[str, ...]:
        """Where its vectors are stored, one a layer. Except for sentences, with the sample."""
        if self.unit == "sentences":
            detail = pooled_name(self.pooling, self.special_tokens)
        else:
            detail = f"{self.max_points}/{self.seed}"
        layers = (0,) if self.unit == "types" else self.layers
        return tuple(
            key_of(self.encoder, self.corpus, self.unit, layer, detail) for layer in layers
        )

    def sample(self, n: int) -> np.ndarray:
        """Rows of n that are kept, in order."""
        if n <= self.max_points:
            return np.arange(n)
        drawn = np.random.default_rng(self.seed).choice(n, self.max_points, replace=False)
        return np.sort(drawn)


def _sentences(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    vectors = recalled_vectors(
        encoder,
        corpus,
        layer=wanted.layers,
        pooling=wanted.pooling,
        special_tokens=wanted.special_tokens,
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
    key = key_of(wanted.encoder, wanted.corpus, "sentences", 0, "counts")

    def compute() -> dict[str, np.ndarray]:
        pieces = wanted.encoder.tokenize(wanted.corpus.texts)
        seen = Counter(piece for sentence in pieces for piece in sentence)
        means = [np.mean([np.log10(seen[p]) for p in sentence] or [0.0]) for sentence in pieces]
        return {key: np.array(means)}

    return recall(wanted.store, (key,), compute)[0]


def _tokens(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    pieces = encoder.tokenize(corpus.texts)
    flat = [piece for sentence in pieces for piece in sentence]
    source = np.repeat(np.arange(len(pieces)), [len(sentence) for sentence in pieces])
    rows = wanted.sample(len(flat))

    def compute() -> dict[str, np.ndarray]:
        return {wanted.keys[0]: _token_vectors(wanted, rows, [len(each) for each in pieces])}

    seen = Counter(flat)
    texts = _pick(flat, rows)
    return Cloud(
        unit="tokens",
        vectors=recall(wanted.store, wanted.keys, compute)[0],
        texts=texts,
        sources=source[rows],
        labels=_pick(corpus.labels, source[rows]) if corpus.labels else None,
        lengths=np.array([len(_bare(piece)) for piece in texts]),
        counts=np.array([seen[piece] for piece in texts], dtype=float),
        n_available=len(flat),
    )


def _token_vectors(wanted: _Wanted, rows: np.ndarray, lengths: list[int]) -> np.ndarray:
    """Those rows (sorted) of all tokens, encoded some texts at a time: no more is ever held.

    lengths : tokens of each text.
    """
    (layer,) = wanted.layers
    texts = wanted.corpus.texts
    starts = np.cumsum([0, *lengths])
    vectors = np.empty((len(rows), wanted.encoder.dimension), dtype=np.float32)
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        last = min(first + TEXTS_AT_ONCE, len(texts))
        kept = slice(*np.searchsorted(rows, [starts[first], starts[last]]))

        def report(done: int, _of_these: int, first: int = first) -> None:
            if wanted.progress is not None:
                wanted.progress(first + done, len(texts))

        if kept.start < kept.stop:
            some = wanted.encoder.encode_tokens(texts[first:last], layer=layer, progress=report)
            vectors[kept] = some.vectors[rows[kept] - starts[first]]
    return vectors


def _types(wanted: _Wanted) -> Cloud:
    encoder, corpus = wanted.encoder, wanted.corpus
    seen = Counter(piece for sentence in encoder.tokenize(corpus.texts) for piece in sentence)
    names = sorted(seen)
    rows = wanted.sample(len(names))

    def compute() -> dict[str, np.ndarray]:
        table = encoder.type_embeddings()
        row_of = {word: row for row, word in enumerate(table.words)}
        return {wanted.keys[0]: table.vectors[[row_of[names[i]] for i in rows]]}

    texts = _pick(names, rows)
    return Cloud(
        unit="types",
        vectors=recall(wanted.store, wanted.keys, compute)[0],
        texts=texts,
        sources=np.full(len(rows), -1),
        labels=None,
        lengths=np.array([len(_bare(piece)) for piece in texts]),
        counts=np.array([seen[piece] for piece in texts], dtype=float),
        n_available=len(names),
    )


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
