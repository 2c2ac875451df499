"""A random sample of the rows of a file that has more than the limit."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.common.words import Translate

LEAST = 2  # rows of a sample


def offer_sample(key: str, _: Translate) -> None:
    """A switch for a sample, below the error that the file has too many rows."""
    st.toggle(_("Take a random sample of the rows"), key=key)


def choose_sample(
    key: str, most: int, _: Translate, *, always: bool = False, first: int | None = None
) -> dict[str, Any]:
    """The reader's sample as options of a reader: {} or {"sample": rows, "seed": seed}.

    Parameters
    ----------
    key : str
        Of the switch of ``offer_sample``.
    most : int
        Rows of the sample at most.
    always : bool
        Show the numbers even if the file may be below the limit.
    first : int, optional
        Rows that are proposed. None is ``most``.
    """
    if not always:
        if not st.session_state.get(key):
            return {}
        offer_sample(key, _)
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


def sample_line(n: int, n_all: int, seed: int, _: Translate) -> str:
    """Of how many rows the sample is, and its seed."""
    return _("A random sample: {n} of {all}, seed {seed}.").format(
        n=f"{n:,}", all=f"{n_all:,}", seed=seed
    )
