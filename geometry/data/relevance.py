"""Queries with known answers: which rows of a corpus are relevant to which query."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import own_errors
from .column_names import GRADE_NAMES, QUERY_NAMES, RELEVANT_NAMES
from .decode import Source
from .limits import LIMITS, CorpusError, Limits, refuse_empty, refuse_too_many
from .recognise import AS_FOUND
from .table_files import read_table_file
from .tables import Table, read_table

_ROWS = re.compile(r"\d{1,9}(?:[ ,;]+\d{1,9})*")


@dataclass(frozen=True)
class Relevance:
    """Queries and what is relevant to each, as a file names them.

    Attributes
    ----------
    name : str
    answers : mapping
        From each query, in the file's order, to its relevant texts or rows and their grades.
    """

    name: str
    answers: Mapping[str, Mapping[str, float]]

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True)
class Judged:
    """The queries whose relevant rows are among the rows that are searched.

    Attributes
    ----------
    queries : tuple of str
    rows : tuple of int or None
        The row whose text is the query, which is no answer to itself. None if there is no such row.
    relevant : tuple of mapping
        From relevant rows to their grades, at least one for each query.
    left_out : tuple of set
        For each query its own row, and other rows of the same text that are no answers.
    n_queries : int
        Queries of the file; those without a relevant row are left out.
    n_missing : int
        Relevant texts and rows that are not among the rows.
    """

    queries: tuple[str, ...]
    rows: tuple[int | None, ...]
    relevant: tuple[Mapping[int, float], ...]
    left_out: tuple[frozenset[int], ...]
    n_queries: int
    n_missing: int

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True, eq=False)
class JudgedQueries:
    """Vectors of queries, and which rows of the searched vectors answer each.

    Attributes
    ----------
    vectors : (q, d) array
    relevant : tuple of q mappings
        From relevant rows of the searched vectors, from 0, to their grades above 0; at least one
        for each query.
    left_out : tuple of q sets
        Rows that are no answer to a query: its own row and copies of it. Empty where the queries
        have vectors of their own.
    n_queries : int
        Queries of the file; those without a relevant row are left out.
    n_missing : int
        Ids of the file that name no query or no searched row.
    """

    vectors: np.ndarray
    relevant: tuple[Mapping[int, float], ...]
    left_out: tuple[frozenset[int], ...]
    n_queries: int
    n_missing: int

    def __post_init__(self) -> None:
        if not len(self.vectors) == len(self.relevant) == len(self.left_out):
            raise ValueError(
                f"{len(self.vectors)} vectors of queries, {len(self.relevant)} mappings of "
                f"relevant rows and {len(self.left_out)} sets left out; every query needs one each"
            )

    def __len__(self) -> int:
        return len(self.relevant)


def read_relevance(
    source: Source, *, name: str | None = None, limits: Limits = LIMITS
) -> Relevance:
    """Queries and relevant rows from a table or from JSON lines.

    A row names a query and what is relevant to it: a text of the corpus, or row numbers from 1,
    such as "3" or "3; 17". A third column may have a grade above 0; a grade of 0 is no answer.
    The columns are found by their names, "query", "relevant" and "grade", or by this order.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
        By default the name of the file.
    limits : Limits

    Raises
    ------
    CorpusError
        As ``read_corpus``, and with the codes no_relevance_columns and bad_grade.
    """
    file, table = read_table_file(source, name, AS_FOUND, limits)
    with own_errors(CorpusError):
        wanted = (*QUERY_NAMES, *RELEVANT_NAMES)
        table = table or read_table(file, max_rows=limits.rows, wanted=wanted, limits=limits)
        refuse_empty(table.n_rows)
        refuse_too_many(table.n_rows, limits.rows)
        return Relevance(file.title, _answers(table))


def judge(relevance: Relevance, texts: Sequence[str], rows: Sequence[int] | None = None) -> Judged:
    """Find the queries and their answers among the rows that are searched.

    Parameters
    ----------
    relevance : Relevance
    texts : sequence of n str
        Texts of the rows that are searched. Of equal texts every row is relevant.
    rows : sequence of n int, optional
        The number of each in the whole corpus, from 0. By default 0 to n - 1.
    """
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(" ".join(text.split()), []).append(place)
    numbered = {row: place for place, row in enumerate(range(len(texts)) if rows is None else rows)}

    def found(named: str) -> tuple[list[int], int]:
        """(places of a text or of rows, how many are missing)."""
        exact = places.get(" ".join(named.split()))
        if exact is not None:
            return exact, 0
        if not _ROWS.fullmatch(named):
            return [], 1
        numbers = [int(number) - 1 for number in re.findall(r"\d+", named)]
        there = [numbered[number] for number in numbers if number in numbered]
        return there, len(numbers) - len(there)

    queries, own, relevant, left_out, n_missing = [], [], [], [], 0
    for query, answers in relevance.answers.items():
        at, _ = found(query)
        row = at[0] if len(at) >= 1 else None
        if row is None and _ROWS.fullmatch(query):
            n_missing += 1  # the row of the query itself is not searched
            continue
        grades: dict[int, float] = {}
        for named, grade in answers.items():
            there, missing = found(named)
            n_missing += missing
            grades |= {place: grade for place in there if place != row}
        if grades:
            queries.append(query if row is None else texts[row])
            own.append(row)
            relevant.append(grades)
            alike = () if row is None else places[" ".join(texts[row].split())]
            left_out.append(frozenset(alike) - grades.keys())
    return Judged(
        tuple(queries), tuple(own), tuple(relevant), tuple(left_out), len(relevance), n_missing
    )


def _answers(table: Table) -> dict[str, dict[str, float]]:
    query, relevant = table.named(QUERY_NAMES), table.named(RELEVANT_NAMES)
    grade = table.named(GRADE_NAMES)
    if query is None or relevant is None:
        if table.has_header or len(table.columns) not in (2, 3):
            raise CorpusError("no_relevance_columns", columns=table.columns)
        query, relevant, grade = 0, 1, 2 if len(table.columns) == 3 else None
    answers: dict[str, dict[str, float]] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        if not row[query].strip() or not row[relevant].strip():
            continue
        value = 1.0 if grade is None else _grade(row[grade], line)
        listed = answers.setdefault(row[query].strip(), {})
        if value > 0:
            listed[row[relevant].strip()] = value
    return answers


def _grade(cell: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise CorpusError("bad_grade", line=line, grade=cell)
    return value
