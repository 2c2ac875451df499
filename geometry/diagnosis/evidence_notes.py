"""Which pairs and queries of a file are used, and what their ids were taken as."""

from __future__ import annotations

from ..data.catalogues import Translate
from ..data.pairs import RowPairs
from ..data.relevance import JudgedQueries

SENTENCES = {
    "ids": "ids",
    "texts": "texts",
    "numbers": "row numbers from 1",
    "pairs": "{n} of {all} pairs are used. Their ids are taken as: {by}.",
    "queries": (
        "{n} of {all} queries are used. The ids of queries are taken as: {queries_by}. Those of "
        "answers: {rows_by}. Ids without a vector: {missing}."
    ),
}


def evidence_note(found: RowPairs | JudgedQueries, _: Translate) -> str:
    """How many of the pairs or queries are used, and how their ids were matched."""
    if isinstance(found, RowPairs):
        return _(SENTENCES["pairs"]).format(
            n=f"{len(found):,}", all=f"{found.n_pairs:,}", by=_(SENTENCES[found.named_by])
        )
    return _(SENTENCES["queries"]).format(
        n=f"{len(found):,}",
        all=f"{found.n_queries:,}",
        queries_by=_(SENTENCES[found.queries_by]),
        rows_by=_(SENTENCES[found.rows_by]),
        missing=f"{found.n_missing:,}",
    )
