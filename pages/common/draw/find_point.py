"""A search for a point by its text, which chooses the point."""

from __future__ import annotations

import streamlit as st

from ..address import put_in_url
from ..corpus_cloud import CorpusCloud
from ..escape import markdown, short_line
from ..words import _
from .selected import chosen_row
from .twin_message import Marks

MATCHES = 8  # points that a search lists at most
LONGEST = 160  # characters of a quoted text at most


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
