"""Which pairs and queries of a file are used, and what their ids were taken as."""

from __future__ import annotations

from ..data.pairs import RowPairs
from ..data.relevance import JudgedQueries
from ..data.translations import Translate, paragraph

LEAST_USED = 0.9  # share of pairs, queries or ids; below it, the note says to check the ids
SENTENCES = {
    "ids": "ids",
    "texts": "texts",
    "numbers": "row numbers from 1",
    "pairs": "{n} of {all} pairs are used. Their ids are taken as: {by}.",
    "few": "More than a tenth is not used. Check the ids.",
    "queries": (
        "{n} of {all} queries are used. The ids of queries are taken as: {queries_by}. Those of "
        "answers: {rows_by}. Ids without a vector: {missing}."
    ),
}


def evidence_note(found: RowPairs | JudgedQueries, _: Translate) -> str:
    """How many of the pairs or queries are used, and how their ids were matched."""
    if isinstance(found, RowPairs):
        note = _(SENTENCES["pairs"]).format(
            n=f"{len(found):,}", all=f"{found.n_pairs:,}", by=_(SENTENCES[found.named_by])
        )
        used = [len(found) / found.n_pairs]
    else:
        note = _(SENTENCES["queries"]).format(
            n=f"{len(found):,}",
            all=f"{found.n_queries:,}",
            queries_by=_(SENTENCES[found.queries_by]),
            rows_by=_(SENTENCES[found.rows_by]),
            missing=f"{found.n_missing:,}",
        )
        n_answers = sum(map(len, found.relevant))
        used = [len(found) / found.n_queries, n_answers / (n_answers + found.n_missing)]
    return note if min(used) >= LEAST_USED else paragraph([note, _(SENTENCES["few"])])
