"""The page's computations without Streamlit, so that another process can run them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from geometry import VectorTable, project, read_vectors
from geometry.data.limits import Limits
from geometry.measure import (
    FrequencyBin,
    FrequencyDirection,
    Measured,
    frequency_bins,
    frequency_direction,
    neighbour_means,
    zipfian_table,
)
from geometry.measure.frequency import by_rank, shuffled_difference
from geometry.projection import Projection
from geometry.projection.twin import ConeEdge, cone_edges
from geometry.transform import fit_treatment
from geometry.transform.treatments import Knobs
from geometry.vectors import rank_counts, read_counts
from geometry.vectors.word_averages import split_words
from pages.common.seed import SEED

MAX_WORDS = 100_000  # words that are drawn at most, the most frequent ones
MAX_NUMBERS = 24_000_000  # numbers of all vectors: 200 MB in float64, and some copies are made
LONGEST_WORD = 100  # characters; the rest of a word is cut off
MARKS = ("Ġ", "▁")  # tokenizers put one before a piece that begins a word

# vectors, words, counts, and the number of words before the least frequent ones were left out
WordRows = tuple[np.ndarray, tuple[str, ...], np.ndarray, int]
WordPicture = tuple[Projection, tuple[ConeEdge, ...]]
Symmetry = dict[str, dict[str, tuple[Measured, ...]]]  # by treatment, then by weight


@dataclass(frozen=True)
class FrequencyMeasures:
    direction: FrequencyDirection
    bins: tuple[FrequencyBin, ...]
    shuffled: tuple[FrequencyBin, ...]  # of the same words with their ranks shuffled: the control
    farther: tuple[float, float]  # by how much the rarest words are then farther from the nearest


def words_of_file(
    content: bytes,
    *,
    name: str,
    limits: Limits,
    texts: Sequence[str] | None = None,  # to count the words in
    counts: bytes | None = None,  # a file; without it and texts the words are in order
    counts_name: str = "",
    tokenizer: str | None = None,  # how texts become words; None finds it
) -> WordRows:
    table = read_vectors(content, name=name, limits=limits)
    given = None if counts is None else read_counts(counts, name=counts_name, limits=limits)
    return words_of_table(table, given, texts, tokenizer)


def words_of_table(
    table: VectorTable,
    given: Mapping[str, float] | None,
    texts: Sequence[str] | None,
    tokenizer: str | None = None,
) -> WordRows:
    """The most frequent words by given counts, else those of texts, else by the table's order."""
    if given is None:
        given = rank_counts(table) if texts is None else _counted(texts, table, tokenizer)
    return ranked(*matched(table.vectors, table.words, given))


def _counted(texts: Sequence[str], table: VectorTable, tokenizer: str | None) -> Counter[str]:
    """How often the texts have each word of the table, which may begin with a mark."""
    split, _name = split_words(texts, table, tokenizer)
    counts: Counter[str] = Counter()
    for word, n in Counter(chain.from_iterable(split)).items():
        rows = (table.row_of(mark + word) for mark in ("", *MARKS))
        row = next((row for row in rows if row is not None), None)
        counts[word if row is None else table.words[row]] += n
    return counts


def matched(
    vectors: np.ndarray, words: Sequence[str], counts: Mapping[str, float]
) -> tuple[np.ndarray, Sequence[str], np.ndarray]:
    """The rows whose word has a count. A word without one is looked up without its first mark."""
    rows, found = [], []
    taken: set[str] = set()
    for row, word in enumerate(words):
        bare = next((word[len(m) :] for m in MARKS if word.startswith(m)), word)
        count = counts.get(word, counts.get(bare, 0.0))
        if count > 0 and bare not in taken:
            taken.add(bare)
            rows.append(row)
            found.append(count)
    picked = np.array(rows, dtype=np.int64)
    return vectors[picked], [words[row] for row in rows], np.array(found, dtype=np.float64)


def ranked(vectors: np.ndarray, words: Sequence[str], counts: np.ndarray) -> WordRows:
    most = min(MAX_WORDS, MAX_NUMBERS // vectors.shape[1])
    order = by_rank(counts)[:most]
    texts = tuple(words[row][:LONGEST_WORD] for row in order)
    return vectors[order], texts, counts[order], len(words)


def measured(
    X: np.ndarray, counts: np.ndarray, progress: Callable[[int, int], None]
) -> FrequencyMeasures:
    """Direction and bins. Raises UndefinedMeasure for words of one length or of one frequency."""
    direction = frequency_direction(X, counts, seed=SEED)
    near = neighbour_means(X, progress=progress)
    shuffled = np.random.default_rng(SEED).permutation(len(X))
    bins = frequency_bins(X, counts, near, seed=SEED)
    beside = frequency_bins(X, shuffled, near, seed=SEED)
    farther = shuffled_difference(near[0][:, 0], bins[0].n, bins[-1].n, seed=SEED)
    return FrequencyMeasures(direction, bins, beside, farther)


def pictures(X: np.ndarray) -> tuple[WordPicture, ...]:
    found = [project(X, method, 2, random_state=SEED) for method in ("svd", "pca")]
    return tuple((each, cone_edges(X, each)) for each in found)


def symmetry(X: np.ndarray, counts: np.ndarray) -> Symmetry:
    clouds = {"raw": X}
    for name in ("zca", "zipf"):
        fitted = fit_treatment(name, X, sample_weight=counts, random_state=SEED)
        clouds[name] = fitted.turn(Knobs()).apply(X).vectors
    weights = {"uniform": np.ones(len(X)), "zipf": counts}
    return {
        name: {weight: zipfian_table(cloud, each, seed=SEED) for weight, each in weights.items()}
        for name, cloud in clouds.items()
    }
