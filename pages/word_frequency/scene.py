"""The words of the page: their vectors and frequencies, and everything measured on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from geometry import Corpus, Encoder, Projection, UndefinedMeasure, VectorTable, project
from geometry.encode import ArrayStore
from geometry.encode.pool import DEFAULT_POOLING
from geometry.evaluate.ranks import spearman
from geometry.measure import (
    FrequencyBin,
    FrequencyDirection,
    frequency_bins,
    frequency_direction,
    neighbour_means,
)
from geometry.measure.frequency import NEIGHBOURS, by_rank
from geometry.vectors import rank_counts, read_counts, read_vectors, words_of
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.corpus_cloud import SEED, CloudSpec, encode_corpus
from pages.common.reading import read_upload
from pages.common.uploads import is_own
from pages.common.words import Translate

from .choices import Choice

MAX_WORDS = 30_000  # the most frequent ones; neighbours take time in the square of it
MAX_TOKENS = 6000  # of whole sentences
DRAWN = 5000  # points of a cloud
FEWEST = max(NEIGHBOURS) + 2
MARKS = ("", "Ġ", "▁")  # of a word piece that begins a word
# Spearman of a vocabulary's order and a corpus' counts from which the order is one of frequency.
# Sampling keeps it far below 1: most types of a small corpus occur once. A random order has 0.
ORDERED = 0.4

_TABLES: Cache[VectorTable] = Cache("type tables", max_entries=2)
_MEASURED: Cache[Measured] = Cache("words by frequency", max_entries=32)
_PICTURES: Cache[tuple[Projection, ...]] = Cache("word pictures", max_entries=16)


@dataclass(frozen=True)
class Words:
    """Vectors of n words and how often each occurs, the most frequent first.

    Attributes
    ----------
    vectors : (n, d) array
    texts : tuple of n str
    counts : (n,) array of float
    n_available : int
        Words that have a vector and a frequency.
    agreement : float or None
        Spearman of the vocabulary's own order and the corpus' counts, where the order is taken for
        the frequency.
    key : str
        Names the vectors and the counts.
    private : bool
        True if they come from a reader's own texts or files.
    """

    vectors: np.ndarray
    texts: tuple[str, ...]
    counts: np.ndarray
    n_available: int
    key: str
    private: bool
    agreement: float | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def is_ordered(self) -> bool:
        """False if the frequency is the vocabulary's order, and that is not one of frequency."""
        return self.agreement is None or self.agreement >= ORDERED


@dataclass(frozen=True)
class Measured:
    """What is measured of the words by frequency."""

    direction: FrequencyDirection
    bins: tuple[FrequencyBin, ...]


def read_words(corpus: Corpus, encoder: Encoder, choice: Choice, _: Translate) -> Words:
    """The words with a vector and a frequency. Raises what the readers raise."""
    private = choice.words == "upload" or choice.counts == "list" or is_own(corpus)
    given = read_upload(read_counts, choice.counts_file) if choice.counts == "list" else None
    key: list[object] = [encoder.fingerprint, choice.words, choice.counts]
    if given is not None:
        key.append(choice.counts_file.file_id)
    if choice.words == "upload":
        table: VectorTable = read_upload(read_vectors, choice.vectors_file)
        key += [choice.vectors_file.file_id]
        if choice.counts == "order":
            counts: Mapping[str, float] = rank_counts(table)
        elif given is None:
            key.append(corpus.sha256)
            counts = Counter(word for text in corpus.texts for word in words_of(text))
        else:
            counts = given
        found = _matched(table.vectors, table.words, counts)
    elif choice.words == "types" and given is not None:
        table = _type_table(encoder)
        found = _matched(table.vectors, table.words, given)
    else:
        found = _of_corpus(corpus, choice, given, _)
        key += [corpus.sha256, choice.layer if choice.words == "tokens" else 0]
    if choice.words == "upload" or choice.counts != "order":
        return _ordered(*found, key=ArrayStore.key(*key), private=private)
    vectors, names, of_corpus = found
    by_order, agreement = _by_vocabulary(names, of_corpus, _type_table(encoder).words)
    words = _ordered(vectors, names, by_order, key=ArrayStore.key(*key), private=private)
    return replace(words, agreement=agreement)


def _type_table(encoder: Encoder) -> VectorTable:
    return _TABLES.get_or_make(encoder.fingerprint, encoder.type_embeddings)


def _by_vocabulary(
    names: Sequence[str], counts: np.ndarray, vocabulary: Sequence[str]
) -> tuple[np.ndarray, float]:
    """(1/rank of each name by the vocabulary's order (n,), Spearman of that order and the counts).

    Only the names have ranks: a vocabulary also begins with tokens that no text contains.

    Parameters
    ----------
    names : sequence of n str
        Of the vocabulary.
    counts : (n,) array
        In the corpus.
    vocabulary : sequence of str
    """
    row_of = {word: row for row, word in enumerate(vocabulary)}
    by_order = 1 / (1 + np.argsort(np.argsort([row_of[name] for name in names])))
    try:
        return by_order, spearman(by_order, counts)
    except UndefinedMeasure:  # all counts are equal
        return by_order, 0.0


def _of_corpus(
    corpus: Corpus, choice: Choice, given: Mapping[str, float] | None, _: Translate
) -> tuple[np.ndarray, Sequence[str], np.ndarray]:
    """Types of the corpus, or its contextual tokens averaged by type."""
    if choice.words == "types":
        spec = CloudSpec(unit="types", layer=0, pooling=DEFAULT_POOLING)
        cloud = encode_corpus(corpus, spec, _).cloud
        return cloud.vectors, cloud.texts, cloud.counts
    cloud = encode_corpus(corpus, tokens_spec(choice.layer), _).cloud
    names, place, repeats = np.unique(cloud.texts, return_inverse=True, return_counts=True)
    sums = np.zeros((len(names), cloud.vectors.shape[1]))
    np.add.at(sums, place, cloud.vectors)
    counts = np.zeros(len(names))
    counts[place] = cloud.counts
    vectors = sums / repeats[:, None]
    if given is None:
        return vectors, names.tolist(), counts
    return _matched(vectors, names.tolist(), given)


def tokens_spec(layer: int) -> CloudSpec:
    """The contextual tokens of whole sentences at a layer."""
    return CloudSpec(
        unit="tokens",
        layer=layer,
        pooling=DEFAULT_POOLING,
        max_points=MAX_TOKENS,
        whole_sentences=True,
    )


def _matched(
    vectors: np.ndarray, words: Sequence[str], counts: Mapping[str, float]
) -> tuple[np.ndarray, Sequence[str], np.ndarray]:
    """The rows whose word is counted: as it is, else without the mark of a beginning word."""
    rows, found = [], []
    taken: set[str] = set()
    for row, word in enumerate(words):
        bare = next((word[len(m) :] for m in MARKS[1:] if word.startswith(m)), word)
        count = counts.get(word, counts.get(bare, 0.0))
        if count > 0 and bare not in taken:
            taken.add(bare)
            rows.append(row)
            found.append(count)
    picked = np.array(rows, dtype=np.int64)
    return vectors[picked], [words[row] for row in rows], np.array(found, dtype=np.float64)


def _ordered(
    vectors: np.ndarray, words: Sequence[str], counts: np.ndarray, *, key: str, private: bool
) -> Words:
    order = by_rank(counts)[:MAX_WORDS]
    texts = tuple(words[row] for row in order)
    return Words(vectors[order], texts, counts[order], len(words), key, private)


def measure_words(words: Words, _: Translate) -> Measured:
    """Direction and bins: from the cache, or by a job with progress and Cancel.

    Raises UndefinedMeasure for words of one length or of one frequency.
    """
    found = _MEASURED.get(words.key, private=words.private)
    if found is None:

        def work(report: jobs.Report) -> Measured | UndefinedMeasure:
            try:
                direction = frequency_direction(words.vectors, words.counts, seed=SEED)
            except UndefinedMeasure as error:
                return error
            near = neighbour_means(words.vectors, progress=report)
            return Measured(direction, frequency_bins(words.vectors, words.counts, near, seed=SEED))

        made = jobs.wait_for(
            f"words-{words.key}",
            work,
            _,
            _("Neighbours of {n} words").format(n=f"{len(words):,}"),
            lane="measure",
            is_long=True,
        )
        if isinstance(made, UndefinedMeasure):
            raise made
        found = _MEASURED.put(words.key, made, private=words.private)
    return found


def drawn_rows(words: Words) -> np.ndarray:
    """The rows that are drawn: all, or a seeded sample that has the hundred most frequent.

    The rarest come first, so that the frequent ones are drawn above them.
    """
    n = len(words)
    if n <= DRAWN:
        return np.arange(n)[::-1]
    rest = np.random.default_rng(SEED).choice(np.arange(100, n), DRAWN - 100, replace=False)
    return np.concatenate([np.arange(100), np.sort(rest)])[::-1]


def pictures_of(words: Words) -> tuple[Projection, Projection]:
    """The drawn words by SVD and by PCA."""

    def make() -> tuple[Projection, ...]:
        X = words.vectors[drawn_rows(words)]
        return tuple(project(X, method, 2, random_state=SEED) for method in ("svd", "pca"))

    svd, pca = _PICTURES.get_or_make(words.key, make, private=words.private)
    return svd, pca
