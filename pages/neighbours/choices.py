"""The control of the page: the number of neighbours."""

from __future__ import annotations

import streamlit as st

from pages.common.words import _

MOST_NEAREST, NEAREST = 25, 10


def choose_nearest() -> int:
    """How many neighbours are counted and listed."""
    return int(
        st.slider(_("Neighbours k"), 1, MOST_NEAREST, NEAREST, key="nearest", bind="query-params")
    )
