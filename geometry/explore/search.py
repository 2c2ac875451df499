"""Rows found by the columns of a file, by their texts or numbers, or near a vector."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
import regex

from ..data.columns import FileColumn

SECONDS = 1.0  # that a regular expression may take
MOST_REPEATS = 1_000  # of its braces, multiplied: it is compiled to so many copies
MOST_CHARACTERS = 1_000  # of it: compiling can't be ended
CALLS = re.compile(r"(?<!\\)\(\?(?:R|[+-]?[0-9]|&|P>)")  # of the whole, or of a group: endless
BRACES = re.compile(r"\{\s*([0-9]*)\s*(?:,\s*([0-9]*)\s*)?\}")


@dataclass(frozen=True)
class Condition:
    """What a row must have in one column."""

    categories: tuple[str, ...] | None = None  #: any of these
    #: a number from ``low`` to ``high``; a row without a number is left out, unless both are None
    low: float | None = None
    high: float | None = None

    def keeps(self, column: FileColumn) -> np.ndarray:
        """(n,) bool, True for the rows that are wanted."""
        if column.categories is not None:
            wanted = [name in (self.categories or ()) for name in column.categories]
            return np.isin(column.values, np.flatnonzero(wanted))
        kept = np.ones(len(column.values), dtype=bool)
        if self.low is not None:
            kept &= column.values >= self.low
        if self.high is not None:
            kept &= column.values <= self.high
        return kept


def rows_kept(
    columns: Sequence[FileColumn], filters: Mapping[int, Condition], *, without: int | None = None
) -> np.ndarray:
    """(n,) bool: the rows that every filter keeps; True for all without a filter.

    Parameters
    ----------
    columns : sequence of FileColumn, at least one
    filters : mapping of int to Condition, by the place of their column
    without : int, optional
        A column whose own filter is passed over: what it could still show beside the others.
    """
    kept = np.ones(len(columns[0].values), dtype=bool)
    for place, wanted in filters.items():
        if place != without:
            kept &= wanted.keeps(columns[place])
    return kept


class SearchError(ValueError):
    """A search that can't be made: ``code`` is "pattern", "large", "repeats", "slow" or "typed"."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def find_texts(
    texts: Sequence[str], query: str, *, numbers: np.ndarray | None = None, seconds: float = SECONDS
) -> np.ndarray:
    """The rows (m,) whose text is meant, in their order; none for an empty query.

    Upper and lower case are equal.

    Parameters
    ----------
    texts : n str
    query : str
        A word or phrase that the text contains; a regular expression between slashes, as
        ``/colou?r/``; or the number of a row from 1, as ``#12``.
    numbers : (n,) array of int, optional
        The number of each row from 0, where they are some rows of a file.
    seconds : float, time that a regular expression may take in all

    Raises
    ------
    SearchError
        For a regular expression that is none ("pattern"), has more than MOST_CHARACTERS, too many
        levels or a call of itself ("large"), repeats its parts more than MOST_REPEATS times
        ("repeats"), or takes longer ("slow").
    """
    query = query.strip()
    if not query:
        return np.zeros(0, dtype=np.int64)
    if query[0] == "#" and query[1:].isdecimal():
        there = np.arange(len(texts)) if numbers is None else numbers
        return np.flatnonzero(there == int(query[1:15]) - 1)
    if len(query) > 2 and query[0] == query[-1] == "/":
        return _by_pattern(texts, query[1:-1], seconds)
    needle = query.casefold()
    return np.flatnonzero([needle in text.casefold() for text in texts])


def nearest_rows(X: np.ndarray, query: np.ndarray, k: int) -> np.ndarray:
    """The k rows (at most) of X with the largest cosine to the query, the nearest first.

    Parameters
    ----------
    X : (n, d) array of float
        A row of zeros has no cosine, and comes last.
    query : (d,) array of float
    k : int, >= 1
    """
    lengths = np.linalg.norm(X, axis=1)
    cosines = np.divide(X @ query, lengths, out=np.full(len(X), -np.inf), where=lengths > 0)
    return np.argsort(-cosines, kind="stable")[:k]


def _by_pattern(texts: Sequence[str], pattern: str, seconds: float) -> np.ndarray:
    if len(pattern) > MOST_CHARACTERS or CALLS.search(pattern):
        raise SearchError("large", "the expression is too long or calls itself")
    repeats = math.prod(
        max([1, *(int(each[:9]) for each in pair if each)]) for pair in BRACES.findall(pattern)
    )
    if repeats > MOST_REPEATS:
        raise SearchError("repeats", f"the expression repeats its parts {repeats:,} times")
    try:
        meant = regex.compile(pattern, regex.IGNORECASE)
    except regex.error as error:
        raise SearchError("pattern", f"not a regular expression: {error}") from error
    except RecursionError as error:
        raise SearchError("large", "the expression has too many levels") from error
    end = monotonic() + seconds
    found = []
    for row, text in enumerate(texts):
        left = end - monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            if meant.search(text, timeout=left):
                found.append(row)
        except TimeoutError as error:
            reason = f"the expression took longer than {seconds:g} s; {row:,} texts were read"
            raise SearchError("slow", reason) from error
    return np.array(found, dtype=np.int64)
