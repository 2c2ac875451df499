"""What judges the vectors of FILE: pairs by ids, or queries with relevant rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..data.recognise import Holds, Reading
from .own_data import OwnData, OwnOptions, read_own

if TYPE_CHECKING:
    from ..data.embeddings import VectorSet
    from ..data.relevance import JudgedQueries

NO_ANSWER = "--relevance has no query with an answer among the rows searched"
OF_FILE = ("metadata", "vector_column", "text_column", "label_column", "id_column", "sample")
_FILE = click.Path(path_type=Path, dir_okay=False)
_QUERIES_HELP = "Vectors of queries, or texts where FILE has texts."
_RELEVANCE_HELP = "Queries and what is relevant to each: BEIR's or TREC's qrels, or a table."
EVIDENCE = (
    click.option("--queries", type=_FILE, help=_QUERIES_HELP),
    click.option("--relevance", type=_FILE, help=_RELEVANCE_HELP),
    click.option("--ids", "id_column", help="Column with the ids of the rows of FILE; else found."),
)


def read_beside(file: Path, how: OwnOptions, *, of_texts: bool) -> OwnData:
    """Another file of vectors, or with ``of_texts`` of texts for the same model, with its ids."""
    from ..data.limits import OWN_FILES
    from ..vectors import recognise

    holds: Holds = "vectors"
    if of_texts:
        found = recognise(file, limits=OWN_FILES)
        holds = "vectors" if found.holds == "vectors" and found.is_certain else "texts"
    of_file: dict[str, Any] = dict.fromkeys(OF_FILE)
    alone = replace(how, reading=Reading(holds=holds), by_sentence=False, **of_file)
    # only a diagnosis needs to know how much of the texts the model knows
    return read_own(file, alone, compared=how.pooling if of_texts else None, has_ids=True)


def judged_queries(relevance: Path, searched: VectorSet, queries: OwnData | None) -> JudgedQueries:
    """The queries of the relevance file with the rows that answer them."""
    from ..data.limits import OWN_FILES
    from ..data.relevance import judge_vectors, read_relevance

    read = read_relevance(relevance, limits=OWN_FILES)
    judged = judge_vectors(read, searched, None if queries is None else queries.named)
    if not len(judged):
        raise ValueError(NO_ANSWER)
    return judged
