"""The form around every upload of a table: the uploader, the first rows, the header choice."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry import CorpusError
from geometry.data.corpus import Preview, preview_table
from geometry.data.limits import MEGABYTE

from .limit_notes import megabytes, table_note, upload_limits, vector_note
from .messages import error_text
from .reading import read_upload
from .words import _

PREVIEW_ROWS = 8
PREVIEW_CHARACTERS = 1_000  # characters of a cell at most
# Streamlit's uploader has English labels only, and it refuses a too large file in a tooltip. So
# its labels are replaced, and a hidden error is shown when the uploader marks a file as refused.
UPLOADER_STYLE = """<style>
.st-key-{key} [data-testid="stFileUploaderDropzone"] button p,
.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] span {{ font-size: 0; }}
.st-key-{key} [data-testid="stFileUploaderDropzone"] button p::after {{
  content: "{browse}"; font-size: 1rem; }}
.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] span::after {{
  content: "{drop}"; font-size: 0.875rem; }}
.st-key-{key}_refused {{ display: none; }}
body:has(.st-key-{key} [data-testid="stFileChip"][aria-invalid="true"])
  .st-key-{key}_refused {{ display: flex; }}
</style>"""


def upload(label: str, key: str, max_bytes: int, *, tooltip: str | None = None) -> Any:
    """An uploader in the reader's language; returns its file, or None."""
    file = st.file_uploader(label, key=key, max_upload_size=max_bytes // MEGABYTE, help=tooltip)
    words = {"browse": _("Choose a file"), "drop": _("or drop it here")}
    st.html(UPLOADER_STYLE.format(key=key, **words))
    with st.container(key=f"{key}_refused"):
        st.error(error_text(CorpusError("too_many_bytes", limit=max_bytes)))
    return file


def upload_table(label: str, key: str) -> Any:
    """The uploader of a table, with its limits; returns the file, or None."""
    most = upload_limits().file_bytes
    file = upload(label.format(megabytes=megabytes(most)), key, most)
    st.caption(table_note())
    return file


def upload_word_vectors(key: str) -> Any:
    """The uploader of word vectors, with its limits; returns the file, or None."""
    label = _(
        "Word vectors (GloVe’s, word2vec’s or fastText’s text, word2vec’s binary, .npz, "
        ".safetensors; also gzipped), at most {megabytes} MB"
    )
    most = upload_limits().vector_file_bytes
    file = upload(label.format(megabytes=megabytes(most)), key, most)
    st.caption(vector_note())
    return file


def show_head(file: Any) -> Preview:
    """The first rows of the file, below its header or below numbered columns.

    Raises CorpusError for a file that is not a table with rows of equal length.
    """
    has_header = st.session_state.get(f"header-{file.file_id}")
    preview: Preview = read_upload(preview_table, file, rows=PREVIEW_ROWS, has_header=has_header)
    st.dataframe(
        {
            column: [row[i][:PREVIEW_CHARACTERS] for row in preview.rows]
            for i, column in enumerate(preview.columns)
        },
        hide_index=True,
        alt=_("The first rows of the file"),
    )
    return preview


def show_header_toggle(file: Any, preview: Preview) -> None:
    """A toggle: the first row is a header. ``show_head`` uses it in the next run."""
    st.toggle(
        _("The first row contains the column names"),
        value=preview.has_header,
        key=f"header-{file.file_id}",
    )
