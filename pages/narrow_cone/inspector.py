"""The inspector: a search, the chosen point with its neighbours in both spaces, the lasso."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.common.address import put_in_url
from pages.common.corpus_cloud import CorpusCloud
from pages.common.draw.selected import chosen_row, show_selection
from pages.common.escape import markdown
from pages.common.words import Translate

from .scene import Scene

MATCHES = 8
LONGEST = 160  # characters of a text in the table


def choose_point(points: CorpusCloud, _: Translate) -> int | None:
    """The chosen row: by search here, by a click in a picture, or from the address."""
    row = chosen_row(points)
    query = st.text_input(
        _("Find a point by its text"),
        key="find",
        bind="query-params",
        placeholder=_("a word of the text"),
    )
    if not query.strip():
        return row
    rows = _rows_with(query, points.cloud.texts)
    if not rows:
        st.info(_("No text contains “{query}”.").format(query=_short(query)))
        return row
    listed = rows[:MATCHES]
    row = st.selectbox(
        _("{n} found; the first {shown}").format(n=len(rows), shown=len(listed)),
        listed,
        index=listed.index(row) if row in listed else 0,
        format_func=lambda row: points.cloud.texts[row],
    )
    st.session_state["point"] = row
    put_in_url("point", str(row))
    return row


def _rows_with(query: str, texts: Sequence[str]) -> list[int]:
    needle = query.strip().casefold()
    return [row for row, text in enumerate(texts) if needle in text.casefold()]


def show_inspector(scene: Scene, _: Translate) -> None:
    """The chosen text, both lists of neighbours, and the selected points.

    A neighbour that is in both lists is set in bold.
    """
    cloud, near = scene.points.cloud, scene.near
    show_selection(cloud, scene.points.key, _)
    if near is None:
        st.caption(_("Click a point to see its text and its nearest neighbours."))
        return
    label = f" · {_short(cloud.labels[near.row])}" if cloud.labels else ""
    st.markdown(_("Nearest to **{text}**").format(text=_short(cloud.texts[near.row])) + label)
    both = set(near.raw.rows) & set(near.white.rows)
    titles = (_("in the raw space"), _("in the whitened space"))
    for title, found in zip(titles, (near.raw, near.white), strict=True):
        lines = [f"| {title} | cos |", "| --- | ---: |"]
        for other, cosine in zip(found.rows, found.cosines, strict=True):
            text = _short(cloud.texts[other])
            text = f"**{text}**" if other in both else text
            topic = f" · {_short(cloud.labels[other])}" if cloud.labels else ""
            lines.append(f"| {text}{topic} | {cosine:.3f} |")
        st.markdown("\n".join(lines))
    st.caption(_("Bold: in both lists ({n} of {k}).").format(n=len(both), k=len(near.raw.rows)))


def _short(text: str) -> str:
    """The text on one line, cut for the table, as Markdown."""
    short = " ".join(text.split())
    return markdown(short if len(short) <= LONGEST else f"{short[: LONGEST - 1]}…")
