"""The form for a table of scored pairs: its three columns, and its use."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from geometry import CorpusError, Pairs, read_pairs
from geometry.data.recognise import Reading
from geometry.data.table_files import names_its_columns
from geometry.evaluate.bootstrap import checked_gold

from .limit_notes import shortened_note
from .messages import error_text
from .reading import read_upload
from .table_form import reading_of, show_head, show_refusal, was_read
from .words import _


def show_pair_file(file: Any, adopt: Callable[[Pairs], None]) -> None:
    """Choose the columns of an uploaded file; ``adopt`` is the button's callback."""
    try:
        pairs = _choose_columns(file)
    except CorpusError as error:
        show_refusal(error, file)
        return
    was_read(file)
    if pairs is None:
        return
    if reason := pair_refusal(pairs):
        st.error(reason)
        return
    st.button(_("Use these pairs"), key="use_pairs", type="primary", on_click=adopt, args=(pairs,))
    scores = pairs.gold_scores
    st.caption(
        _("{n} pairs ready; scores from {low} to {high}.").format(
            n=f"{len(pairs):,}", low=f"{scores.min():g}", high=f"{scores.max():g}"
        )
    )
    if pairs.n_shortened:
        st.warning(shortened_note(pairs.n_shortened), icon=":material/content_cut:")


def pair_refusal(pairs: Pairs) -> str:
    try:
        checked_gold(pairs.gold_scores)
    except CorpusError as error:
        return error_text(error)
    return ""


def _choose_columns(file: Any) -> Pairs | None:
    reading = reading_of(file)
    if names_its_columns(file.name):  # JSON lines or Parquet
        try:
            return _read(file, reading)
        except CorpusError as error:
            if error.code != "no_pair_columns":
                raise
            st.info(error_text(error))
            named = _three_of(error.details["columns"], file.file_id)
        return _read(file, reading, named) if named else None
    try:
        head = show_head(file, reading)
    except CorpusError as error:
        if error.code != "uneven_row":
            raise
        return _read(file, reading)  # as in the files of STS-B
    is_automatic = st.toggle(
        _("Detect columns automatically"), value=True, key=f"guess-{file.file_id}"
    )
    if is_automatic:
        return _read(file, reading)
    named = _three_of(head.columns, file.file_id)
    return _read(file, reading.but(header=head.has_header), named) if named else None


def _three_of(columns: Sequence[str], file_id: str) -> tuple[str, ...] | None:
    labels = (_("First sentence"), _("Second sentence"), _("Score"))
    chosen = [
        box.selectbox(
            label,
            columns,
            index=None,
            key=f"column-{place}-{file_id}",
            placeholder=_("Choose a column"),
        )
        for place, (box, label) in enumerate(zip(st.columns(3), labels, strict=True))
    ]
    named = tuple(column for column in chosen if column is not None)
    return named if len(named) == len(labels) else None


def _read(file: Any, reading: Reading, columns: tuple[str, ...] | None = None) -> Pairs:
    pairs: Pairs = read_upload(read_pairs, file, columns=columns, reading=reading)
    return pairs
