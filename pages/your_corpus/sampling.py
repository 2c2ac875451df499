"""A random sample of the rows of a file that has more than the limit; what was left out of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet
from pages.common.uploads import chosen_own
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


def show_notes(own: Corpus | VectorSet, _: Translate) -> None:
    """The notes of a file in the form, until it is chosen: the result then shows them."""
    chosen = chosen_own()
    if chosen is None or chosen.sha256 != own.sha256:
        for note in notes_of(own, _):
            st.caption(note)


def notes_of(own: Corpus | VectorSet, _: Translate) -> list[str]:
    """Of what the texts or vectors are a sample, and which rows were left out of them."""
    if isinstance(own, VectorSet):
        return _notes_of_vectors(own, _)
    if own.n_available is None:
        return []
    return [sample_line(len(own), own.n_available, own.seed, _)]


def _notes_of_vectors(vectors: VectorSet, _: Translate) -> list[str]:
    """What was left out, which rows have no direction, and of what the vectors are a sample."""
    report = vectors.report
    notes: list[str] = []
    if report is None:
        return notes
    if report.n_sampled is not None:
        notes.append(sample_line(report.n_sampled, report.n_rows, report.seed, _))
    if report.whole is not None and report.whole.mean_cosine is not None:
        notes.append(
            _("Of all {n} rows, exactly: mean cosine {cosine}, mean length {norm}.").format(
                n=f"{report.whole.n_rows:,}",
                cosine=f"{report.whole.mean_cosine:.3f}",
                norm=f"{report.whole.mean_norm:.3g}",
            )
        )
    if report.n_dropped:
        notes.append(
            _("Rows left out for NaN or infinity: {n} (number {rows}).").format(
                n=f"{report.n_dropped:,}", rows=_listed(report.dropped, report.n_dropped)
            )
        )
    if report.n_zero:
        notes.append(
            _("Rows of zeros, which have no direction: {n} (number {rows}).").format(
                n=f"{report.n_zero:,}", rows=_listed(report.zero, report.n_zero)
            )
        )
    return notes


def _listed(rows: tuple[int, ...], n: int) -> str:
    return ", ".join(map(str, rows)) + (", …" if n > len(rows) else "")
