"""Pairs or queries for a reader's own vectors, which say whether a cure helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from geometry import Pairs
from geometry.data import (
    JudgedQueries,
    RowPairs,
    VectorSet,
    judge_vectors,
    read_relevance,
    read_row_pairs,
    row_pairs,
)
from geometry.diagnosis.evidence_notes import evidence_note
from geometry.encode import ArrayStore
from geometry.errors import GeometryError
from geometry.vectors import preview_vector_set, read_vector_set
from pages.common.limit_notes import megabytes, upload_limits
from pages.common.reading import read_upload
from pages.common.table_form import empty_box, reading_of, show_refusal, upload, upload_table
from pages.common.uploads import remember
from pages.common.words import _, labelled, markdown, prose

from . import PAGE

EVIDENCE = "evidence"  # in the session, by its code
MOST = 4  # sets of pairs or queries of a session
PAIRS, QUERIES = "pairs", "queries"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Pairs or queries, matched with vectors of that digest."""

    name: str
    sha256: str
    found: RowPairs | JudgedQueries
    content_key: str
    sides: np.ndarray | None = None  # vectors of the pairs' sides, where they are no rows

    def __len__(self) -> int:
        return len(self.found)

    @property
    def queries(self) -> JudgedQueries | None:
        """The queries; None for pairs."""
        return self.found if isinstance(self.found, JudgedQueries) else None

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The pairs as ``diagnose`` takes them; None for queries."""
        if isinstance(self.found, JudgedQueries):
            return None
        left, right, gold = self.found.left, self.found.right, self.found.gold_scores
        if self.sides is None:
            return left, right, gold
        return self.sides[left], self.sides[right], gold


def evidence_of(own: VectorSet) -> dict[str, Evidence]:
    """This session's pairs and queries for these vectors, by code."""
    found: dict[str, Evidence] = st.session_state.get(EVIDENCE, {})
    return {code: each for code, each in found.items() if each.sha256 == own.sha256}


def evidence_label(given: Pairs | Evidence) -> str:
    """The label of a choice."""
    if isinstance(given, Pairs):
        words = _("pairs: {name}")
    else:
        words = _("pairs of rows: {name}") if given.queries is None else _("queries: {name}")
    return words.format(name=given.name)


def show_evidence_form(own: VectorSet) -> None:
    """Upload pairs of ids, or queries and their answers, with vectors of their own or not."""
    with st.expander(
        _("Pairs or queries that say whether a cure helps"),
        key="evidence-form",
        icon=":material/rule:",
    ):
        st.markdown(prose(PAGE, "evidence"))
        for code, each in evidence_of(own).items():
            with st.container(horizontal=True, vertical_alignment="center"):
                note = evidence_note(each.found, _)
                st.markdown(labelled(markdown(evidence_label(each)), note), width="stretch")
                st.button(
                    _("Delete"),
                    key=f"delete-{code}",
                    icon=":material/delete:",
                    on_click=st.session_state[EVIDENCE].pop,
                    args=(code,),
                )
        names = {PAIRS: _("Scored pairs of rows"), QUERIES: _("Queries with known answers")}
        kind = st.segmented_control(
            _("Read the file as"),
            list(names),
            default=PAIRS,
            key="evidence-kind",
            format_func=names.__getitem__,
            required=True,
        )
        labels = {
            PAIRS: _(
                "Two ids and a score in each row (.csv, .tsv, .jsonl), at most {megabytes} MB"
            ),
            QUERIES: _(
                "A query, an id and a grade in each row (.csv, .tsv, .jsonl, BEIR’s or TREC’s "
                "qrels), at most {megabytes} MB"
            ),
        }
        table = upload_table(labels[str(kind)], f"evidence-{kind}")
        most = upload_limits().vector_file_bytes
        of_vectors = {
            PAIRS: _("Vectors of the pairs, if they are no rows of yours, at most {megabytes} MB"),
            QUERIES: _(
                "Vectors of the queries, if they are no rows of yours, at most {megabytes} MB"
            ),
        }
        label = of_vectors[str(kind)].format(megabytes=megabytes(most))
        beside = upload(label, f"evidence-vectors-{kind}", most)
        if table is not None:
            _show_ready(own, str(kind), table, beside)


def _show_ready(own: VectorSet, kind: str, table: Any, beside: Any) -> None:
    file = beside
    try:
        vectors = None if beside is None else _read_vectors(beside)
        file = table
        key = ArrayStore.key(own.sha256, kind, table.file_id, getattr(beside, "file_id", None))
        evidence = _matched(own, kind, table, vectors, key)
    except GeometryError as error:
        show_refusal(error, file)
        return
    st.caption(evidence_note(evidence.found, _))
    st.button(
        _("Use this file"),
        key="use_evidence",
        type="primary",
        on_click=_adopt,
        args=(evidence, table, beside),
    )


def _read_vectors(file: Any) -> VectorSet:
    reading = reading_of(file)
    head = read_upload(preview_vector_set, file, reading=reading)
    found: VectorSet = read_upload(
        read_vector_set, file, id_column=head.suggested_id_column, reading=reading
    )
    return found


def _matched(
    own: VectorSet, kind: str, table: Any, vectors: VectorSet | None, key: str
) -> Evidence:
    read = read_relevance if kind == QUERIES else read_row_pairs
    given = read_upload(read, table, reading=reading_of(table))
    if kind == QUERIES:
        return Evidence(table.name, own.sha256, judge_vectors(given, own, vectors), key)
    found = row_pairs(given, own if vectors is None else vectors)
    return Evidence(
        table.name, own.sha256, found, key, None if vectors is None else vectors.vectors
    )


def _adopt(evidence: Evidence, *files: Any) -> None:
    code = f"evidence-{evidence.content_key[:12]}"
    remember(EVIDENCE, code, evidence, MOST)
    st.session_state["judge"] = code
    for file in files:
        if file is not None:
            empty_box(file)
