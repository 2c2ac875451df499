"""The points that a reader has selected with the lasso, listed in a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from geometry import Cloud

from ..words import Translate

MAX_ROWS = 500  # of the table
SELECTED = "selected-rows"


def keep_selection(key: str, rows: Sequence[int] | np.ndarray) -> None:
    """Store the selected rows of the cloud named ``key``; in another cloud they mean nothing."""
    st.session_state[SELECTED] = (key, np.asarray(rows, dtype=np.int64))


def show_selection(cloud: Cloud, key: str, _: Translate) -> None:
    """The texts of the selected points, and how often each label occurs."""
    of, rows = st.session_state.get(SELECTED, ("", ()))
    rows = np.asarray(rows, dtype=np.int64)
    if of != key or not rows.size:
        return
    with st.expander(_("{n} points selected").format(n=f"{len(rows):,}"), key="selected-points"):
        if cloud.labels is not None:
            names, counts = np.unique(np.asarray(cloud.labels)[rows], return_counts=True)
            order = np.argsort(-counts, kind="stable")
            st.caption(" · ".join(f"{names[i]} {counts[i]}" for i in order))
        table = [{_("text"): cloud.texts[row]} for row in rows[:MAX_ROWS]]
        if cloud.labels is not None:
            for line, row in zip(table, rows, strict=False):
                line[_("label")] = cloud.labels[row]
        st.dataframe(table, height=240, width="stretch")
        if len(rows) > MAX_ROWS:
            st.caption(_("The first {n} are listed.").format(n=MAX_ROWS))
