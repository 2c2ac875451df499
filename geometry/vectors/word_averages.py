"""Sentence vectors from word vectors, also by SIF, and the counts of words that these need."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..data.decode import Source, lines_of, read_text_file
from ..data.embeddings import VectorTable, known_parts
from ..data.errors import CorpusError
from ..data.limits import LARGEST_COUNT, LIMITS, Limits, refuse_row_count
from ..data.recognise import is_number, is_running
from ..data.words import Tokenizer, stop_list, tokenizer_for, words_in
from ..data.words import words_of as words_of
from ..errors import own_errors
from ..transform.whitening_map import WhiteningMap
from .errors import MOST_NAMED, VectorFileError

Weighting = Literal["mean", "sif", "zipf"]
WEIGHTINGS = ("mean", "sif", "zipf")
_LISTED = 20  # unknown words that the result lists


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """Averages of word vectors, and how many words they average."""

    vectors: np.ndarray  #: (n, d)
    n_words: np.ndarray  #: (n,) of each sentence, without stop words
    n_known: np.ndarray  #: (n,) those of them that the table has
    unknown: tuple[tuple[str, int], ...]  #: the commonest words that the table lacks, with counts
    weighting: str  #: as in ``sentence_vectors``
    tokenizer: str  #: the name of a function, or "given" for sequences of words
    stop_words: tuple[str, int] | None = None  #: name of the list, and how many words it has
    n_stopped: np.ndarray | None = None  #: (n,) stop words that the sentence and the table have

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of all words, as often as they occur, that the table has."""
        total = int(self.n_words.sum())
        return int(self.n_known.sum()) / total if total else 0.0

    @property
    def has_words(self) -> np.ndarray:
        """(n,) bool, False for the sentences without a known word, whose vector is zero."""
        return self.n_known > 0

    @property
    def missing(self) -> np.ndarray:
        """Numbers of the sentences without a known word."""
        return np.flatnonzero(self.n_known == 0)

    @property
    def has_stop_words_only(self) -> np.ndarray:
        """(n,) bool, True for the sentences whose only known words were left out."""
        if self.n_stopped is None:
            return np.zeros(len(self.n_known), dtype=bool)
        return ~self.has_words & (self.n_stopped > 0)


def sentence_vectors(
    sentences: Sequence[str] | Sequence[Sequence[str]],
    table: VectorTable,
    *,
    weighting: Weighting = "mean",
    counts: Mapping[str, float] | None = None,
    a: float = 1e-3,
    tokenizer: Tokenizer | None = None,
    stop_words: str = "none",
    empty: Literal["error", "zero"] = "error",
) -> SentenceVectors:
    """The mean over each sentence's known words of their vectors, in the table's precision.

    A word's vector is its exact entry in the table, else the first entry that is equal in any case.
    Words without a vector are left out, also of the mean. A word that the table lacks is cut at an
    apostrophe where the table has a part with it: l' and eau, cat and 's.

    Parameters
    ----------
    sentences : n texts, or n sequences of words
    table : VectorTable
    weighting : str
        "mean"; "sif", each word by a/(a + p(w)) (Arora et al. 2017; its second half, the common
        direction, is ``CommonComponentRemoval(1, centred=False)``, fitted on a named set); "zipf",
        the words' vectors whitened under p(w) first, then the mean (Yokoi et al. 2024).
    counts : {word: count}, optional
        Needed for "sif" and "zipf"; p(w) is the share of all counts of the words that have w's
        row. See ``read_counts`` and ``rank_counts``.
    a : float, > 0
        For "sif".
    tokenizer : str or callable, optional
        One of ``geometry.data.words.TOKENIZERS``, or a function from a text to its words. None
        takes "characters" where Chinese or Japanese has no spaces, else "unicode".
    stop_words : str
        "none" averages all words; "sklearn" leaves out scikit-learn's English stop words, in any
        case. A sentence without any other known word has no average.
    empty : str
        For a sentence without a known word, "error" raises a VectorFileError that names it. "zero"
        gives a row of zeros, which ``has_words`` marks and which any score leaves out.
    """
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {', '.join(WEIGHTINGS)}; got {weighting!r}")
    if empty not in ("error", "zero"):
        raise ValueError(f'empty must be "error" or "zero"; got {empty!r}')
    _refuse_a(a)
    if weighting != "mean" and counts is None:
        raise ValueError(
            f"weighting {weighting!r} needs counts of the words: read_counts of a file, or "
            "rank_counts(table) where the most frequent words come first"
        )
    refuse_unfinite_words(table)
    stops = stop_list(stop_words)
    split, used = split_words(sentences, table, tokenizer)
    known: list[list[int]] = []
    n_words = []
    n_stopped = []
    lacking: Counter[str] = Counter()
    for words in split:
        kept = [word for word in words if word.lower() not in stops]
        rows = {word: table.row_of(word) for word in words}
        known.append([row for word in kept if (row := rows[word]) is not None])
        lacking.update(word.lower() for word in kept if rows[word] is None)
        n_words.append(len(kept))
        n_stopped.append(sum(rows[each] is not None for each in words) - len(known[-1]))
    n_known = np.array([*map(len, known)], dtype=np.int64)
    if empty == "error":
        _refuse_unknown_sentences(n_known, without=len(stops))
    vectors = table.vectors
    weights = np.ones(len(table.words))
    if weighting != "mean" and counts is not None:
        p = row_probabilities(table, counts)
        if not p.any():
            raise VectorFileError("no_counted_words")
        if weighting == "sif":
            weights = a / (a + p)
        else:
            vectors = WhiteningMap.of(vectors, p).apply(vectors)
    return SentenceVectors(
        vectors=_weighted_means(known, vectors, weights),
        n_words=np.array(n_words, dtype=np.int64),
        n_known=n_known,
        unknown=tuple(lacking.most_common(_LISTED)),
        weighting=weighting,
        tokenizer=used,
        stop_words=(stop_words, len(stops)) if stops else None,
        n_stopped=np.array(n_stopped) if stops else None,
    )


def split_words(
    sentences: Sequence[str] | Sequence[Sequence[str]],
    table: VectorTable,
    tokenizer: Tokenizer | None = None,
) -> tuple[list[Sequence[str]], str]:
    """(words of each sentence, the name of what split them); parameters of ``sentence_vectors``."""
    texts = [each for each in sentences if isinstance(each, str)]
    chosen = tokenizer or (tokenizer_for(texts) if texts else "given")

    def split(text: str) -> Sequence[str]:
        if callable(chosen):
            return chosen(text)
        words = words_in(text, chosen)
        if chosen == "ascii":
            return words
        return [part for word in words for part in known_parts(word, table)]

    name = getattr(chosen, "__name__", "own") if callable(chosen) else chosen
    return [split(each) if isinstance(each, str) else each for each in sentences], name


def row_probabilities(table: VectorTable, counts: Mapping[str, float]) -> np.ndarray:
    """p (V,) of the table's rows: each counted word's share goes to the row that it would take."""
    total = _total_count(counts)
    p = np.zeros(len(table.words))
    for word, count in counts.items():
        if (row := table.row_of(word)) is not None:
            p[row] += count / total
    return p


def sif_average(
    sentences: Sequence[Sequence[str]],
    table: VectorTable,
    counts: Mapping[str, float],
    *,
    a: float = 1e-3,
) -> np.ndarray:
    """Averages of Arora, Liang, Ma 2017: mean over a sentence's known words of a/(a + p(w)) v_w.

    This is the first half of their algorithm 1. The second removes the first *uncentred* singular
    direction, fitted on a set that the caller names: ``CommonComponentRemoval(1, centred=False)``.
    The result is in the table's precision. A word counts as often as it occurs; words that the
    table lacks count for nothing, not even in the mean. A sentence without any known word is a
    VectorFileError.

    Parameters
    ----------
    sentences : n sequences of str
        Words, tokenised as the table's words are.
    table : VectorTable
    counts : {word: count}
        In some corpus; p(w) = count / sum of all. A word without a count has p = 0 and weight 1.
    a : float, > 0
    """
    _refuse_a(a)
    if isinstance(sentences, str) or any(isinstance(words, str) for words in sentences):
        raise ValueError("a sentence is a sequence of words, not a text; split the texts first")
    row_of: dict[str, int] = {}
    for row, word in enumerate(table.words):
        row_of.setdefault(word, row)
    known = [[row_of[word] for word in words if word in row_of] for words in sentences]
    _refuse_unknown_sentences([len(ids) for ids in known])
    refuse_unfinite_words(table)
    p = np.array([counts.get(word, 0.0) for word in table.words]) / _total_count(counts)
    return _weighted_means(known, table.vectors, a / (a + p))


def _weighted_means(
    known: Sequence[Sequence[int]], vectors: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Row i is the mean over ``known[i]`` of weight times vector, summed in float64."""
    precision = vectors.dtype if np.issubdtype(vectors.dtype, np.floating) else np.float64
    means = np.zeros((len(known), vectors.shape[1]), dtype=precision)
    for i, ids in enumerate(known):
        if len(ids):
            means[i] = weights[ids] @ vectors[ids].astype(np.float64) / len(ids)
    return means


def _refuse_a(a: float) -> None:
    if not 0 < a < np.inf:
        raise ValueError(f"a must be a finite number above 0; got {a!r}")


def refuse_unfinite_words(table: VectorTable) -> None:
    """Raise VectorFileError that names the first of these words."""
    bad = np.flatnonzero(~np.isfinite(table.vectors).all(axis=1))
    if len(bad):
        words = [table.words[row] for row in bad[:MOST_NAMED]]
        raise VectorFileError("unfinite_words", n=len(bad), words=words)


def _refuse_unknown_sentences(n_known: Sequence[int] | np.ndarray, *, without: int = 0) -> None:
    rows = np.flatnonzero(np.equal(n_known, 0)) + 1
    if not len(rows):
        return
    found = {"n": len(rows), "total": len(n_known), "rows": rows[:MOST_NAMED].tolist()}
    if without:
        raise VectorFileError("only_stop_words", limit=without, **found)
    raise VectorFileError("no_known_words", **found)


def _total_count(counts: Mapping[str, float]) -> float:
    """The sum of the counts, above 0; ValueError for anything but finite numbers >= 0."""
    values = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
    if not np.isfinite(values).all() or (values < 0).any() or values.sum() <= 0:
        raise ValueError("counts must be finite numbers >= 0, at least one of them above 0")
    return float(values.sum())


# ---- how often words occur ----


def read_counts(
    source: Source, *, name: str | None = None, encoding: str | None = None, limits: Limits = LIMITS
) -> dict[str, float]:
    """Words and their counts, one pair a line with spaces, tabs or a comma between.

    A first line that has no number is a header; a word that comes twice has the sum. Numbers of
    rows before the words are left out. CorpusError "bad_count" has the line's number.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Name of the file; its suffix says whether a comma separates the columns.
    encoding : str, optional
    limits : Limits
    """
    # A reader accepts 50 lines for each row of the limit
    limits = limits.but(rows=limits.words // 50)
    file = read_text_file(source, name=name, encoding=encoding, limits=limits)
    rows: list[tuple[int, str, float]] = []
    counts: dict[str, float] = {}
    with own_errors(CorpusError):
        lines = lines_of(file.text, limits, most=limits.line_characters)
        for number, line in enumerate(lines, start=1):
            fields = line.rsplit("," if file.suffix == ".csv" else None, 1) or [""]
            if not line.strip() or (number == 1 and not is_number(fields[-1].strip())):
                continue
            count = float(fields[1]) if len(fields) == 2 and is_number(fields[1]) else -1.0
            if not 0 <= count <= LARGEST_COUNT:
                raise CorpusError("bad_count", line=number)
            rows.append((number, fields[0].strip(), count))
        refuse_row_count(len(rows), len(rows))
        parts = [word.replace(",", "\t", 1).split(None, 1) for _, word, _ in rows]
        first = [each[0] for each in parts if len(each) == 2]
        is_numbered = len(first) == len(parts) and is_running(first)
        for (number, word, count), each in zip(rows, parts, strict=True):
            word = each[1] if is_numbered else word
            if any(map(is_number, word.split("\t")[1:])):  # more columns of numbers
                raise CorpusError("bad_count", line=number)
            counts[word] = counts.get(word, 0.0) + count
    return counts


def rank_counts(table: VectorTable) -> dict[str, float]:
    """1/rank by the table's order: Zipf's law in place of counts, where there are none.

    Right only where the most frequent words come first, as in GloVe's, word2vec's and fastText's
    files; say so wherever it is used.
    """
    counts: dict[str, float] = {}
    for rank, word in enumerate(table.words, start=1):
        counts.setdefault(word, 1 / rank)
    return counts
