"""Pairs or queries for a reader's own vectors, which say whether a cure helps."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from geometry import Pairs
from geometry.data import (
    JudgedQueries,
    Relevance,
    RowPairs,
    VectorSet,
    judge_vectors,
    read_relevance,
    read_row_pairs,
    row_pairs,
)
from geometry.data.recognise import Reading
from geometry.diagnosis.sentences import evidence_note
from geometry.encode import ArrayStore
from geometry.errors import GeometryError
from geometry.evaluate.bootstrap import checked_gold
from geometry.vectors import preview_vector_set, read_vector_set
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import act_button
from pages.common.messages import error_text
from pages.common.reading import AT_ONCE, Keyed, read_upload, upload_limits
from pages.common.table_form import empty_box, reading_of, show_refusal, upload, upload_table
from pages.common.uploads import EVIDENCE, Evidence, evidence_label, evidence_of, remember
from pages.common.words import _, labelled, markdown, prose

from . import PAGE

MOST = 4  # sets of pairs or queries of a session
FEW = 50_000  # vectors among which ids are found at once


def show_evidence_form(own: VectorSet) -> None:
    title = _("Pairs or queries that say whether a cure helps")
    with st.expander(title, key="evidence-form", icon=":material/rule:"):
        st.markdown(prose(PAGE, "evidence"))
        for code, each in evidence_of(own).items():
            with st.container(horizontal=True, vertical_alignment="center"):
                note = evidence_note(each.found, _)
                st.markdown(labelled(markdown(evidence_label(each)), note), width="stretch")
                delete = st.session_state[EVIDENCE].pop
                act_button(_("Delete"), f"delete-{code}", "delete", delete, code)
        names = {"pairs": _("Scored pairs of rows"), "queries": _("Queries with known answers")}
        kind = st.segmented_control(
            _("Read the file as"),
            list(names),
            default="pairs",
            key="evidence-kind",
            format_func=names.__getitem__,
            required=True,
        )
        read: Callable[..., Any] = read_row_pairs
        label = _("Two ids and a score in each row (.csv, .tsv, .jsonl), at most {megabytes} MB")
        of_vectors = _("Vectors of the pairs, if they are no rows of yours, at most {megabytes} MB")
        if kind == "queries":
            read = read_relevance
            label = _(
                "A query, an id and a grade in each row (.csv, .tsv, .jsonl, BEIR’s or TREC’s "
                "qrels), at most {megabytes} MB"
            )
            of_vectors = _(
                "Vectors of the queries, if they are no rows of yours, at most {megabytes} MB"
            )
        table = upload_table(label, f"evidence-{kind}")
        given = None if table is None else _read(partial(read_upload, read), table)
        most = upload_limits().vector_file_bytes
        beside = upload(of_vectors, f"evidence-vectors-{kind}", most)
        vectors = None if beside is None else _read(_with_ids, beside)
        if given is not None and (beside is None or vectors is not None):
            _show_ready(own, given, vectors, table, beside)


def _read(read: Callable[..., Any], file: Any) -> Any:
    """What a file has; None after a message."""
    try:
        return read(file, reading=reading_of(file))
    except GeometryError as error:
        show_refusal(error, file)
    return None


def _with_ids(file: Any, *, reading: Reading) -> VectorSet:
    ids = read_upload(preview_vector_set, file, reading=reading).suggested_id_column
    return read_upload(read_vector_set, file, id_column=ids, reading=reading)


@kept(MOST)
def _matched(given: Keyed) -> RowPairs | JudgedQueries:
    """The pairs or queries by rows. GeometryError if no id names a row."""
    own, table, vectors = given.value
    if isinstance(table, Relevance):
        return judge_vectors(table, own, vectors)
    found = row_pairs(table, own if vectors is None else vectors)
    checked_gold(found.gold_scores)
    return found


def _show_ready(
    own: VectorSet, given: Pairs | Relevance, vectors: VectorSet | None, table: Any, beside: Any
) -> None:
    key = ArrayStore.key(own.sha256, table.file_id, getattr(beside, "file_id", None))
    try:
        found = jobs.kept_or_made(
            _matched,
            Keyed((own, given, vectors), key),
            what=_("Finding the rows that {name} names").format(name=markdown(table.name)),
            at_once=table.size <= AT_ONCE and len(own) <= FEW,
        )
    except GeometryError as error:
        st.error(error_text(error))
        return
    note = evidence_note(found, _)
    if not len(found):
        st.warning(note)
        return
    st.caption(note)
    sides = vectors.vectors if vectors is not None and isinstance(found, RowPairs) else None
    st.button(
        _("Use this file"),
        key="use_evidence",
        type="primary",
        on_click=_adopt,
        args=(Evidence(table.name, own.sha256, found, key, sides), table, beside),
    )


def _adopt(evidence: Evidence, *files: Any) -> None:
    code = f"evidence-{evidence.content_key[:12]}"
    remember(EVIDENCE, code, evidence, MOST)
    st.session_state["judge"] = code
    for file in files:
        if file is not None:
            empty_box(file.file_id)
