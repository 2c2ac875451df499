"""A file of vectors: its columns, what is left out of it, and its use on the other pages."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from geometry import UndefinedMeasure
from geometry.data import VectorSet
from geometry.data.errors import CorpusError
from geometry.data.recognise import AS_FOUND
from geometry.errors import GeometryError
from geometry.linalg.moments import refuse_extreme
from geometry.vectors import VectorPreview, preview_vector_set, read_vector_set
from geometry.vectors.errors import VectorFileError
from geometry.vectors.set_files import NO_COLUMN
from pages.common.limit_notes import megabytes, upload_limits
from pages.common.messages import error_text
from pages.common.reading import ServerFile, read_upload
from pages.common.table_form import (
    PREVIEW_CHARACTERS,
    PREVIEW_ROWS,
    empty_box,
    reading_of,
    show_refusal,
    upload,
    was_read,
)
from pages.common.uploads import add_vectors
from pages.common.words import _

from .choices import choose_column, choose_sample, show_notes

METADATA = "metadata_file"
PREVIEW = "file-preview"  # of the file that is shown, if its recognition has one
NO_VECTOR = ("no_vector_in_row", "no_vector_in_line")  # errors of rows that can be left out
SHOWN_NUMBERS = 4  # numbers of a vector in the table of the first rows
FEW_DIMENSIONS = 30  # dimensions up to which each can be chosen as labels
FIRST_LOOK = 20_000  # rows of a server's file that are proposed as a sample
ROWS = "file-rows"


def _preview(file: Any, **options: Any) -> VectorPreview:
    found: VectorPreview | None = st.session_state.get(PREVIEW)
    if found is None or options != {"reading": AS_FOUND}:
        found = read_upload(preview_vector_set, file, rows=PREVIEW_ROWS, **options)
    assert found is not None
    return found


def show_vector_form(file: Any) -> None:
    """The choice of columns and rows; the button chooses the vectors in the sidebar."""
    try:
        with st.expander(_("Rows and columns"), key=ROWS, on_change="rerun"):
            vectors = _choose(file)
            if vectors is not None:
                refuse_extreme(vectors.vectors)  # pages can't draw them
    except (VectorFileError, CorpusError, UndefinedMeasure) as error:
        show_refusal(error, file)
        return
    if vectors is None:
        return
    st.button(
        _("Use these vectors"),
        key="use_vectors",
        type="primary",
        on_click=_adopt,
        args=(vectors, file.file_id),
    )
    was_read(file)
    ready = _("{n} vectors of {d} numbers ready.")
    st.caption(ready.format(n=f"{len(vectors):,}", d=f"{vectors.dimension:,}"))
    show_notes(vectors)


def _adopt(vectors: VectorSet, file_id: str) -> None:
    st.session_state["corpus"] = add_vectors(vectors)
    empty_box(file_id)
    st.session_state[ROWS] = False  # folds the form, so that the result is in view


def _choose(file: Any) -> VectorSet | None:
    reading = reading_of(file)
    found = _preview(file, reading=reading)
    beside, named = _metadata_of(file, found)
    if beside:
        found = _preview(file, reading=reading, beside=beside, named=named)
    _show_head(found)
    options = _columns(file, found) | {"reading": reading.but(header=found.has_header)}
    return _read(file, found, options, (beside, named))


def _metadata_of(file: Any, found: VectorPreview) -> tuple[dict[str, Any], str]:
    """(a second file with texts and labels as options of a reader, its id); empty without one."""
    if found.columns:
        return {}, ""
    most = upload_limits().file_bytes
    label = _("Texts and labels of the rows (.tsv, .csv or .txt), at most {megabytes} MB")
    metadata = upload(
        label.format(megabytes=megabytes(most)),
        f"{METADATA}-{file.file_id}",
        most,
        tooltip=_(
            "One row for each vector, in the same order, such as the Embedding Projector’s "
            "metadata.tsv. One more row may name the columns."
        ),
    )
    if metadata is None:
        return {}, ""
    options = {"metadata": metadata.getvalue(), "metadata_name": metadata.name}
    return options, metadata.file_id


def _show_head(found: VectorPreview) -> None:
    """The first rows: columns, and the beginning of each vector. Cells are shown as plain text."""
    cells = {
        column: [cell[:PREVIEW_CHARACTERS] for cell in cells]
        for column, cells in zip(found.columns, zip(*found.rows, strict=True), strict=False)
    }
    d = found.vectors.shape[1]
    numbers = [
        ", ".join(f"{value:.3g}" for value in row[:SHOWN_NUMBERS])
        + (", …" if d > SHOWN_NUMBERS else "")
        for row in found.vectors
    ]
    name = _("vector of {d} numbers").format(d=f"{d:,}")
    st.dataframe({**cells, name: numbers}, hide_index=True, alt=_("The first rows of the file"))
    st.caption(
        _(
            "Read as {format}; each vector has {d} numbers. At most {most} of them are kept; of "
            "more, a random sample is taken while the file is read."
        ).format(format=found.format.upper(), d=f"{d:,}", most=f"{_most(found):,}")
    )


def _most(found: VectorPreview) -> int:
    """How many vectors of the file's dimension may be in memory."""
    limits = upload_limits()
    return min(limits.vectors, limits.table_bytes // (4 * max(1, found.vectors.shape[1])))


def _columns(file: Any, found: VectorPreview) -> dict[str, Any]:
    lists, dimensions = found.vector_columns, found.dimension_columns
    options: dict[str, Any] = {}
    if len(lists) > 1:
        options["vector_column"] = st.selectbox(
            _("Column with the vectors"), lists, key=f"vectors-{file.file_id}"
        )
    columns = found.columns
    labels = [*columns, *(dimensions if len(dimensions) <= FEW_DIMENSIONS else ())]
    if not labels:
        return options
    text_box, label_box = st.columns(2)
    with text_box:
        text = choose_column(
            _("Column with texts, to read at a point (optional)"),
            columns,
            found.suggested_text_column,
            key=f"text-{file.file_id}-{len(columns)}",
            placeholder=_("No texts"),
        )
    with label_box:
        label = choose_column(
            _("Column with labels, for colours and the diagnosis (optional)"),
            [column for column in labels if column != text],
            found.suggested_label_column,
            key=f"label-{file.file_id}-{len(columns)}",
            placeholder=_("No labels"),
        )
    return options | {
        "text_column": text or NO_COLUMN,
        "label_column": label,
        "id_column": found.suggested_id_column,
    }


def _read(
    file: Any, found: VectorPreview, options: dict[str, Any], metadata: tuple[dict[str, Any], str]
) -> VectorSet | None:
    """Read the file: of more rows than fit a sample. Offer to leave invalid rows out."""
    beside, named = metadata
    drop, sampled = f"drop-{file.file_id}", f"sample-{file.file_id}"
    most = _most(found)
    is_of_server = isinstance(file, ServerFile)
    chosen: dict[str, Any] = {"sample": most, "seed": 0}  # of fewer rows all
    if is_of_server or st.session_state.get(sampled):
        first = FIRST_LOOK if is_of_server else most
        chosen = choose_sample(sampled, most, always=True, first=min(first, most))
    if st.session_state.get(drop):
        options["not_finite"] = "drop"
        _offer_dropping(drop)
    read = partial(read_upload, read_vector_set, file, beside=beside, named=named, **options)
    try:
        vectors: VectorSet = read(**chosen)
    except GeometryError as error:
        if error.code != "not_finite" and error.because not in NO_VECTOR:
            raise
        st.error(error_text(error))
        _offer_dropping(drop)
        return None
    report = vectors.report
    if report is not None and report.n_sampled and not is_of_server:
        if sampled not in st.session_state:
            st.session_state[sampled] = True
            st.rerun()  # with the boxes for the sample
        st.info(
            _(
                "The file has {n} vectors, more than the limit of {most} with {d} numbers each. A "
                "random sample was read; the numbers of all are exact."
            ).format(n=f"{report.n_rows:,}", most=f"{most:,}", d=f"{vectors.dimension:,}")
        )
    return vectors


def _offer_dropping(key: str) -> None:
    st.toggle(_("Leave out rows with NaN or infinity"), key=key)
