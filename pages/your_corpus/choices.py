"""What the forms of files share: a column, a random sample, notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet
from geometry.diagnosis.sentences import file_notes
from pages.common.uploads import chosen_own
from pages.common.words import _, markdown

LEAST = 2  # rows of a sample at least


def choose_column(
    label: str, columns: Sequence[str], suggested: str | None, *, key: str, placeholder: str
) -> str | None:
    """The chosen column; by default the suggested one, if it is offered."""
    place = columns.index(suggested) if suggested in columns else None
    chosen: str | None = st.selectbox(label, columns, index=place, key=key, placeholder=placeholder)
    return chosen


def offer_sample(key: str) -> None:
    st.toggle(_("Take a random sample of the rows"), key=key)


def choose_sample(
    key: str, most: int, *, always: bool = False, first: int | None = None
) -> dict[str, Any]:
    """The reader's sample as options of a reader: {} or {"sample": rows, "seed": seed}.

    ``first`` is the proposed number. ``always`` shows the controls for a small file, too.
    """
    if not always:
        if not st.session_state.get(key):
            return {}
        offer_sample(key)
    size_box, seed_box = st.columns(2)
    with size_box:
        size = st.number_input(
            _("Rows of the sample"),
            min_value=LEAST,
            max_value=most,
            value=first or most,
            key=f"{key}-size",
        )
    with seed_box:
        seed = st.number_input(_("Seed"), min_value=0, max_value=10**6, value=0, key=f"{key}-seed")
    return {"sample": int(size), "seed": int(seed)}


def show_notes(own: Corpus | VectorSet) -> None:
    """The notes of a file that is not chosen yet. The result shows those of the chosen file."""
    chosen = chosen_own()
    if chosen is None or chosen.sha256 != own.sha256:
        for note in file_notes(own, _):
            st.caption(markdown(note))
