"""Queries with known answers: which rows of a corpus are relevant to which query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import own_errors
from .column_names import GRADE_NAMES, QUERY_NAMES, RELEVANT_NAMES
from .decode import Source
from .embeddings import ROWS, NamedBy, NamedRows, VectorSet, named_rows
from .errors import CorpusError
from .limits import LIMITS, Limits, refuse_row_count
from .recognise import AS_FOUND, Reading, is_number, number_of
from .table_files import read_table_file
from .tables import LineForm, Table

_TREC = LineForm(
    ("query", "iteration", "relevant", "grade"),
    None,
    lambda cells: len(cells) == 4 and is_number(cells[1]) and is_number(cells[3]),
)


@dataclass(frozen=True)
class Relevance:
    """Queries and what is relevant to each, as a file names them."""

    name: str
    answers: Mapping[str, Mapping[str, float]]  #: in the file's order; grades of texts or rows

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True)
class Judged:
    """The queries whose relevant rows are among the rows that are searched."""

    queries: tuple[str, ...]
    rows: tuple[int | None, ...]  #: whose text is the query, which is no answer to itself; or None
    relevant: tuple[Mapping[int, float], ...]  #: grades by row, at least one for each query
    #: for each query its own row, and other rows of the same text that are no answers
    left_out: tuple[frozenset[int], ...]
    n_queries: int  #: of the file; those without a relevant row are left out
    n_missing: int  #: relevant texts and rows that are not among the rows

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True, eq=False)
class JudgedQueries:
    """Vectors of queries, and which rows of the searched vectors answer each."""

    vectors: np.ndarray  #: (q, d)
    relevant: tuple[Mapping[int, float], ...]  #: grades above 0 by row, at least one for each query
    #: rows that are no answer to a query: its own row and copies of it; empty where the queries
    #: have vectors of their own
    left_out: tuple[frozenset[int], ...]
    n_queries: int  #: of the file; those without a relevant row are left out
    n_missing: int  #: ids that name no query or no searched row
    queries_by: NamedBy = "numbers"  #: what the ids of queries are
    rows_by: NamedBy = "numbers"  #: what the ids of rows are

    def __post_init__(self) -> None:
        if not len(self.vectors) == len(self.relevant) == len(self.left_out):
            raise ValueError(
                f"{len(self.vectors)} vectors of queries, {len(self.relevant)} mappings of "
                f"relevant rows and {len(self.left_out)} sets left out; every query needs one each"
            )

    def __len__(self) -> int:
        return len(self.relevant)

    def renumbered(self, place: np.ndarray) -> JudgedQueries:
        """The queries with row i as row ``place[i]``, -1 for a row that is left out.

        Queries without a relevant row, or of zeros, are left out.
        """
        relevant = [
            {int(place[row]): grade for row, grade in each.items() if place[row] >= 0}
            for each in self.relevant
        ]
        sound = [query for query, each in enumerate(relevant) if each and self.vectors[query].any()]
        return replace(
            self,
            vectors=self.vectors[sound],
            relevant=tuple(relevant[query] for query in sound),
            left_out=tuple(
                frozenset(int(place[row]) for row in self.left_out[query] if place[row] >= 0)
                for query in sound
            ),
        )


def read_relevance(
    source: Source, *, name: str | None = None, reading: Reading = AS_FOUND, limits: Limits = LIMITS
) -> Relevance:
    """Queries and relevant rows from a table or from JSON lines.

    A row names a query and what is relevant to it: a text of the corpus, an id of the vectors, or
    row numbers from 1, such as "3" or "3; 17". A third column may have a grade above 0. The columns
    are found by their names, such as "query", "relevant" and "grade", or BEIR's "query-id",
    "corpus-id" and "score", or by this order. Lines of four cells with spaces between are TREC's
    qrels: query, iteration, document, relevance. A grade of 0 or below there is no answer.

    Raises CorpusError as ``read_corpus``, and with the codes no_relevance_columns and bad_grade.

    Parameters
    ----------
    source : path, bytes or binary file
    name : str, optional
    reading : Reading
    limits : Limits
    """
    wanted = (*QUERY_NAMES, *RELEVANT_NAMES)
    file, table = read_table_file(source, name, reading, limits, wanted=wanted, own_form=_TREC)
    with own_errors(CorpusError):
        refuse_row_count(table.n_rows, limits.rows)
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
    numbers = range(len(texts)) if rows is None else rows
    searched = NamedRows(texts, (number + 1 for number in numbers))
    queries, own, relevant, left_out, n_missing = [], [], [], [], 0
    for query, answers in relevance.answers.items():
        row = next(iter(searched.found(query)[0]), None)
        if row is None and ROWS.fullmatch(query):
            n_missing += 1  # the row of the query itself is not searched
            continue
        grades, missing = _grades(answers, searched, row)
        n_missing += missing
        if grades:
            queries.append(query if row is None else texts[row])
            own.append(row)
            relevant.append(grades)
            alike = () if row is None else searched.found(texts[row])[0]
            left_out.append(frozenset(alike) - grades.keys())
    return Judged(
        tuple(queries), tuple(own), tuple(relevant), tuple(left_out), len(relevance), n_missing
    )


def judge_vectors(
    relevance: Relevance, searched: VectorSet, queries: VectorSet | None = None
) -> JudgedQueries:
    """Find the queries and their answers by ids, texts or numbers of rows of vectors.

    Queries whose vector is zero have no direction, and are left out. CorpusError no_known_ids,
    row_zero, and other_dimension for queries of another model.

    Parameters
    ----------
    relevance : Relevance
    searched : VectorSet
    queries : VectorSet, optional
        The queries' own vectors. By default the queries are rows of ``searched``.
    """
    asked = searched if queries is None else queries
    if asked.dimension != searched.dimension:
        raise CorpusError("other_dimension", found=asked.dimension, wanted=searched.dimension)
    wanted = {named for answers in relevance.answers.values() for named in answers}
    rows_by, rows_of = named_rows(searched, wanted)
    queries_by, queries_of = named_rows(asked, relevance.answers.keys())
    places, relevant, n_missing = [], [], 0
    for query, answers in relevance.answers.items():
        at, missing = queries_of.found(query)
        n_missing += missing
        if not at:
            continue
        grades, missing = _grades(answers, rows_of, at[0] if queries is None else None)
        n_missing += missing
        if grades and asked.vectors[at[0]].any():
            places.append(at[0])
            relevant.append(grades)
    own = [asked.vectors[place].tobytes() for place in places]
    equal: dict[bytes, list[int]] = {vector: [] for vector in own}
    for row, vector in enumerate(searched.vectors if queries is None else ()):
        if (copies := equal.get(vector.tobytes())) is not None:
            copies.append(row)
    alike = (frozenset(equal[vector]) for vector in own)
    left_out = tuple(rows - grades.keys() for rows, grades in zip(alike, relevant, strict=True))
    vectors = asked.vectors[places]
    return JudgedQueries(
        vectors, tuple(relevant), left_out, len(relevance), n_missing, queries_by, rows_by
    )


def _grades(
    answers: Mapping[str, float], searched: NamedRows, own: int | None
) -> tuple[dict[int, float], int]:
    """(grades by row, without the query's own row; how many answers name no row)"""
    grades: dict[int, float] = {}
    n_missing = 0
    for named, grade in answers.items():
        there, missing = searched.found(named)
        n_missing += missing
        grades |= {place: grade for place in there if place != own}
    return grades, n_missing


def _answers(table: Table) -> dict[str, dict[str, float]]:
    query, relevant = table.named(QUERY_NAMES), table.named(RELEVANT_NAMES)
    grade = table.named(GRADE_NAMES)
    if query is None or relevant is None:
        if table.has_header or len(table.columns) not in (2, 3):
            raise CorpusError("no_relevance_columns", columns=table.columns)
        query, relevant = 0, 1
        grade = 2 if len(table.columns) == 3 else None
    answers: dict[str, dict[str, float]] = {}
    for line, row in zip(table.lines, table.rows, strict=True):
        if not row[query].strip() or not row[relevant].strip():
            continue
        value = 1.0
        if grade is not None:
            found = number_of(row[grade])
            value = math.nan if found is None else found
            value = max(value, 0.0) if table.columns == _TREC.columns else value
            if not 0 <= value < math.inf:
                raise CorpusError("bad_grade", line=line, grade=row[grade])
        listed = answers.setdefault(row[query].strip(), {})
        if value > 0:
            listed[row[relevant].strip()] = value
    return answers
