"""Word-similarity sets: pairs of words with human scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.decode import Source, TextFile, lines_of, read_text_file
from ..data.embeddings import VectorTable
from ..data.limits import (
    LIMITS,
    CorpusError,
    Limits,
    refuse_empty,
    refuse_too_few,
    refuse_too_many,
)
from ..data.pairs import Pairs, check_pair
from ..data.recognise import is_number
from ..errors import own_errors
from .sif import refuse_unfinite_words

_DELIMITERS = ("\t", ";", ",", None)  # None is any run of spaces
_LEFT = ("word1", "word 1", "word_1", "w1", "left")
_RIGHT = ("word2", "word 2", "word_2", "w2", "right")
_SCORES = (
    *("simlex999", "simverb", "human (mean)", "human", "mean", "score", "similarity", "rating"),
    *("gold", "average", "relatedness"),
)


def read_word_pairs(
    source: Source,
    *,
    name: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    limits: Limits = LIMITS,
) -> Pairs:
    """Pairs of words from lines of word, word, score, with tabs, commas, semicolons or spaces.

    A header names the columns, as in SimLex-999's own file (word1, word2, POS, SimLex999, …) and
    WordSim-353's. Without a header the words are in the first two columns, and the score is in the
    first column of numbers after them. Lines that begin with # are left out.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        Title of the pairs. By default the name of the file.
    encoding : str, optional
        None finds it from the content.
    max_bytes : int, optional
        In place of ``limits.file_bytes``.
    limits : Limits
        How large the file may be.

    Raises
    ------
    CorpusError
        As ``read_pairs`` does.
    """
    limits = limits.but(file_bytes=max_bytes)
    file = read_text_file(source, name=name, encoding=encoding, limits=limits)
    with own_errors(CorpusError):
        return _word_pairs_of(file, limits)


def _word_pairs_of(file: TextFile, limits: Limits) -> Pairs:
    rows = _rows(file, limits)
    refuse_empty(len(rows))
    header = None if any(map(is_number, rows[0][1])) else [cell.lower() for cell in rows[0][1]]
    body = rows if header is None else rows[1:]
    refuse_too_few(len(body))
    refuse_too_many(len(body), limits.rows)
    left_at, right_at, score_at = _places(header, body[0])
    found = []
    for number, cells in body:
        if len(cells) <= max(left_at, right_at, score_at):
            raise CorpusError(
                "uneven_row",
                because="uneven_word_row",
                line=number,
                n=len(cells),
                expected=len(rows[0][1]),
            )
        left, right, score = cells[left_at], cells[right_at], cells[score_at]
        check_pair(number, left, right, float(score) if is_number(score) else None, score)
        found.append((left, right, float(score)))
    lefts, rights, scores = zip(*found, strict=True)
    return Pairs(file.title, lefts, rights, np.array(scores))


def _rows(file: TextFile, limits: Limits) -> list[tuple[int, list[str]]]:
    """(number, cells) of each line that is neither blank nor a comment.

    One more than the limit and a header, so that too many are refused.
    """
    rows: list[tuple[int, list[str]]] = []
    delimiter = None
    for number, line in lines_of(file.text, limits, newline="\n", most=limits.line_characters):
        if not line.strip() or line.startswith("#"):
            continue
        line = line.rstrip("\r\n")
        delimiter = delimiter if rows else _delimiter(line)
        cells = line.split(delimiter, limits.columns)[: limits.columns]
        rows.append((number, [cell.strip(' "\t') for cell in cells]))
        if len(rows) > limits.rows + 1:
            break
    return rows


@dataclass(frozen=True, eq=False)
class WordPairVectors:
    """The vectors of the pairs of which a table has both words.

    Attributes
    ----------
    left, right : (m, d) arrays
    gold_scores : (m,) array
    has_both : (n,) array of bool
        Which of all pairs they are.
    missing : tuple of str
        The words that the table lacks, each once.
    """

    left: np.ndarray
    right: np.ndarray
    gold_scores: np.ndarray
    has_both: np.ndarray
    missing: tuple[str, ...]

    @property
    def coverage(self) -> float:
        """Share in [0, 1] of the pairs that have both words."""
        return float(self.has_both.mean()) if len(self.has_both) else 0.0


def word_pair_vectors(pairs: Pairs, table: VectorTable, *, at_least: int = 1) -> WordPairVectors:
    """Look up both words of each pair, as ``sentence_vectors`` does.

    A table that lacks the rare words has a higher score over these pairs alone, so report the
    coverage beside it.

    Parameters
    ----------
    pairs : Pairs
        Pairs of words.
    table : VectorTable
    at_least : int
        Pairs that must have both words in the table.

    Raises
    ------
    CorpusError
        "too_few_known_word_pairs" if fewer pairs have.
    """
    refuse_unfinite_words(table)
    left = [table.row_of(word) for word in pairs.left]
    right = [table.row_of(word) for word in pairs.right]
    both = [
        (i, a, b)
        for i, (a, b) in enumerate(zip(left, right, strict=True))
        if a is not None and b is not None
    ]
    if len(both) < at_least:
        raise CorpusError("too_few_known_word_pairs", n=len(both), total=len(pairs), limit=at_least)
    numbers, lefts, rights = (list(each) for each in zip(*both, strict=True))
    has_both = np.zeros(len(pairs), dtype=bool)
    has_both[numbers] = True
    sides = zip((*pairs.left, *pairs.right), (*left, *right), strict=True)
    return WordPairVectors(
        left=table.vectors[lefts],
        right=table.vectors[rights],
        gold_scores=pairs.gold_scores[has_both],
        has_both=has_both,
        missing=tuple(dict.fromkeys(word for word, row in sides if row is None)),
    )


def _delimiter(line: str) -> str | None:
    return next((each for each in _DELIMITERS if each is None or len(line.split(each)) >= 3), None)


def _places(header: Sequence[str] | None, first: tuple[int, Sequence[str]]) -> tuple[int, int, int]:
    number, cells = first
    score = next((i for i, cell in enumerate(cells) if i > 1 and is_number(cell)), None)
    if header is not None:
        named = [
            next((header.index(name) for name in names if name in header), None)
            for names in (_LEFT, _RIGHT, _SCORES)
        ]
        left, right, by_name = named
        if left is not None and right is not None and by_name is not None:
            return left, right, by_name
    if score is None:
        raise CorpusError(
            "no_pair_columns",
            because="no_word_columns",
            line=number,
            columns=tuple(header or cells),
        )
    return 0, 1, score
