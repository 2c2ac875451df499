"""The point that a reader chooses by a click or by the address, and selections by the lasso."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry import Cloud

from ..address import number_in_url, put_in_url
from ..corpus_cloud import CorpusCloud
from ..downloads import csv_bytes, offer_csv
from ..escape import markdown
from ..words import _

MAX_ROWS = 500  # rows of the table at most
SELECTED = "selected-rows"


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
