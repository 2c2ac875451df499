"""The points that a reader finds by their text, chooses by a click, or selects by the lasso."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry import Cloud

from ..address import number_in_url, put_in_url
from ..corpus_cloud import CorpusCloud
from ..downloads import csv_bytes, offer_csv
from ..escape import markdown, short_line
from ..words import _
from .twin_message import Marks

MATCHES = 8  # points that a search lists at most
LONGEST = 160  # characters of a quoted text at most
MAX_ROWS = 500  # rows of the table at most
SELECTED = "selected-rows"


def choose_point(points: CorpusCloud) -> int | None:
    """The chosen row: by search here, by a click in a picture, or from the address."""
    query = st.text_input(
        _("Find a point by its text"),
        key="find",
        bind="query-params",
        placeholder=_("a word of the text"),
    )
    rows, row = found_rows(points), chosen_row(points)
    if not query.strip():
        return row
    if not rows:
        st.info(_("No text contains “{query}”.").format(query=short(query)))
        return row
    listed = rows[:MATCHES]
    row = st.selectbox(
        _("{n} found; the first {shown}").format(n=f"{len(rows):,}", shown=len(listed)),
        listed,
        index=listed.index(row) if row in listed else 0,
        format_func=lambda row: points.cloud.texts[row],
    )
    st.session_state["point"] = row
    put_in_url("point", str(row))
    return row


def found_rows(points: CorpusCloud) -> list[int]:
    """The rows whose text contains the searched words; none without a search."""
    needle = st.session_state.get("find", "").strip().casefold()
    if not needle:
        return []
    return [row for row, text in enumerate(points.cloud.texts) if needle in text.casefold()]


def chosen_marks(points: CorpusCloud, chosen: int | None) -> list[Marks]:
    """A small ring around each point that the search found, and a circle around the chosen one."""
    rows = found_rows(points)
    found = [Marks(rows, "dot", _("found"))] if rows else []
    return found if chosen is None else [*found, Marks([chosen], "circle", _("chosen point"))]


def short(text: str) -> str:
    """The text on one line, cut, as Markdown."""
    return markdown(short_line(text, LONGEST))


def chosen_row(points: CorpusCloud) -> int | None:
    """The last row that was clicked, or else the row in the address.

    A row chosen in another cloud is dropped, because it is another point here.
    """
    if st.session_state.setdefault("point-of", points.key) != points.key:
        st.session_state["point-of"] = points.key
        st.session_state["point"] = None
    elif "point" not in st.session_state:
        st.session_state["point"] = number_in_url("point")
    row: int | None = st.session_state.get("point")
    row = None if row is None or row >= len(points.cloud) else row
    put_in_url("point", None if row is None else str(row))
    return row


def choose_row(row: int) -> None:
    """Choose the clicked point and clear the search by text."""
    st.session_state["point"] = row
    st.session_state["find"] = ""


def store_selection(key: str, rows: Sequence[int] | np.ndarray) -> None:
    """Store the selected rows with the ``key`` of their cloud."""
    st.session_state[SELECTED] = (key, np.asarray(rows, dtype=np.int64))


def show_selection(cloud: Cloud, key: str) -> None:
    """The texts of the selected points, and the count of each label."""
    of, rows = st.session_state.get(SELECTED, ("", ()))
    rows = np.asarray(rows, dtype=np.int64)
    if of != key or not rows.size:
        return
    with st.expander(_("{n} points selected").format(n=f"{len(rows):,}"), key="selected-points"):
        if cloud.labels is not None:
            names, counts = np.unique(np.asarray(cloud.labels)[rows], return_counts=True)
            order = np.argsort(-counts, kind="stable")
            st.caption(markdown(" · ".join(f"{names[i]} {counts[i]}" for i in order)))
        table = [{_("text"): cloud.texts[row]} for row in rows[:MAX_ROWS]]
        if cloud.labels is not None:
            for line, row in zip(table, rows, strict=False):
                line[_("label")] = cloud.labels[row]
        st.dataframe(table, height=240, width="stretch")
        if len(rows) > MAX_ROWS:
            st.caption(_("The first {n} are listed.").format(n=MAX_ROWS))
        offer_csv(_("Download selection (CSV)"), "selection", partial(selection_csv, cloud, rows))


def selection_csv(cloud: Cloud, rows: np.ndarray) -> bytes:
    """A row for each selected point: its row from 1, text and label; all of them."""
    lines = [
        [
            str(cloud.sources[row] + 1 if cloud.unit in ("sentences", "vectors") else row + 1),
            cloud.texts[row],
            "" if cloud.labels is None else cloud.labels[row],
        ]
        for row in rows
    ]
    return csv_bytes(["row", "text", "label"], lines, cloud.unit)
