"""Word-similarity sets: pairs of words with human scores."""

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from ..data.decode import Source, TextFile, lines_of, read_text_file
from ..data.embeddings import VectorTable
from ..data.errors import CorpusError
from ..data.limits import LIMITS, Limits, refuse_row_count, refuse_too_few, refuse_too_many
from ..data.pairs import Pairs, check_pair
from ..data.recognise import AS_FOUND, SPACES, Reading, is_id, is_running
from ..data.tables import Table, read_table
from ..errors import own_errors
from .word_averages import refuse_unfinite_words

_DELIMITERS = ("\t", ";", ",", "|")
_LEFT = ("word1", "word 1", "word_1", "w1", "left", "詞1", "词1")
_RIGHT = ("word2", "word 2", "word_2", "w2", "right", "詞2", "词2")
_SCORES = (
    *("simlex999", "simverb", "human (mean)", "human", "mean", "score", "similarity", "rating"),
    *("gold", "average", "avg", "relatedness", "分數", "分数"),
)
# Parts of speech beside a word, as in SimVerb and SCWS
_TAGS = {"n", "v", "a", "r", "s", "adj", "adv", "noun", "verb", "adjective", "adverb"}


def read_word_pairs(
    source: Source, *, name: str | None = None, reading: Reading = AS_FOUND, limits: Limits = LIMITS
) -> Pairs:
    """Pairs of words from lines of word, word, score, with tabs, commas, semicolons or spaces.

    A header names the columns, as in SimLex-999's own file (word1, word2, POS, SimLex999, …) and
    WordSim-353's. Without one the words are the first two columns of texts; row numbers, unique
    codes and parts of speech are none. The score is the first column of numbers after them, else
    one before. Lines that begin with # are left out.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Title of the pairs. By default the name of the file.
    reading : Reading
    limits : Limits
    """
    file = read_text_file(source, name=name, encoding=reading.encoding, limits=limits)
    with own_errors(CorpusError):
        return _word_pairs_of(file, reading, limits)


def _word_pairs_of(file: TextFile, reading: Reading, limits: Limits) -> Pairs:
    every = lines_of(file.text, limits, newline="\n", most=limits.line_characters)
    # blank lines in place of comments, so that each row has its number
    lines = ["\n" if line.startswith("#") else line for line in every]
    first = list(islice(filter(str.strip, lines), 2))  # the first may be "sep=;"
    if first and reading.delimiter is None:
        likely = (each for each in _DELIMITERS if first[-1].count(each) >= 2)
        reading = reading.but(delimiter=next(likely, SPACES))
    try:
        table = read_table(replace(file, text="".join(lines)), reading=reading, limits=limits)
    except CorpusError as error:
        if error.code == "uneven_row":
            raise CorpusError("uneven_word_row", **error.details) from error
        raise
    refuse_row_count(table.n_rows, table.n_rows)
    has_score = any(table.number(cell) is not None for cell in table.rows[0])
    if reading.header is None and not table.has_header and not has_score:
        return _word_pairs_of(file, reading.but(header=True), limits)
    refuse_too_few(table.n_rows)
    refuse_too_many(table.n_rows, limits.rows)
    lefts, rights, cells = (table.cells(place) for place in _places(table))
    scores = [table.number(cell) for cell in cells]
    for row in zip(table.lines, lefts, rights, scores, cells, strict=True):
        check_pair(*row)
    return Pairs(file.title, tuple(lefts), tuple(rights), np.array(scores, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class WordPairVectors:
    """The vectors of the pairs of which a table has both words."""

    left: np.ndarray  #: (m, d)
    right: np.ndarray
    gold_scores: np.ndarray  #: (m,)
    has_both: np.ndarray  #: (n,) bool, which of all pairs they are
    missing: tuple[str, ...]  #: the words that the table lacks, each once

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of the pairs that have both words."""
        return float(self.has_both.mean()) if len(self.has_both) else 0.0


def word_pair_vectors(pairs: Pairs, table: VectorTable, *, at_least: int = 1) -> WordPairVectors:
    """Look up both words of each pair, as ``sentence_vectors`` does.

    A table that lacks the rare words has a higher score over these pairs alone, so report the
    coverage beside it. CorpusError "too_few_known_word_pairs" if fewer than ``at_least`` have both.

    Parameters
    ----------
    pairs : Pairs
    table : VectorTable
    at_least : int
    """
    refuse_unfinite_words(table)
    row_of = {word: table.row_of(word) for word in (*pairs.left, *pairs.right)}
    # (2, n), NaN for a word that the table lacks
    rows = np.array([[row_of[word] for word in side] for side in (pairs.left, pairs.right)], float)
    has_both = ~np.isnan(rows).any(axis=0)
    if (n := int(has_both.sum())) < at_least:
        raise CorpusError("too_few_known_word_pairs", n=n, total=len(pairs), limit=at_least)
    left, right = rows[:, has_both].astype(np.int64)
    return WordPairVectors(
        left=table.vectors[left],
        right=table.vectors[right],
        gold_scores=pairs.gold_scores[has_both],
        has_both=has_both,
        missing=tuple(word for word, row in row_of.items() if row is None),
    )


def _places(table: Table) -> tuple[int, int, int]:
    """The columns of two words and their score: by their names, else by what they contain."""
    left, right, score = (table.named(names) for names in (_LEFT, _RIGHT, _SCORES))
    if left is None or right is None:
        words = [place for place in range(len(table.columns)) if not table.is_numeric(place)]
        are_tags = lambda cells: _TAGS.issuperset(map(str.casefold, cells))  # noqa: E731
        for is_beside in (is_id, are_tags, lambda cells: len(set(cells)) == 1):
            rest = [place for place in words if not is_beside(table.cells(place))]
            words = rest if len(rest) >= 2 else words
        if len(words) < 2 and len(table.columns) < 3:
            raise CorpusError("no_word_columns", line=table.lines[0], columns=table.columns)
        if len(words) < 2:
            raise CorpusError("unclear_words", columns=table.columns)
        left, right = words[:2]
    if score is not None:
        return left, right, score
    for place in (*range(right + 1, len(table.columns)), *range(left)):
        is_score = table.is_numeric(place) or table.number(table.rows[0][place]) is not None
        if is_score and not is_running(table.cells(place)):
            return left, right, place
    raise CorpusError("no_word_columns", line=table.lines[0], columns=table.columns)
