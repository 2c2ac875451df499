"""The sentence-similarity page's measured part."""

from __future__ import annotations

import streamlit as st

from .sts_pairs import choose_pairs, show_pair_form
from .words import Translate


@st.fragment
def explore(_: Translate) -> None:
    """Everything that needs vectors."""
    choose_pairs(_)
    show_pair_form(_)
