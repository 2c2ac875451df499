"""What every upload of a table shows: the uploader's words, the file's first rows, its header."""

from __future__ import annotations

from typing import Any

import streamlit as st

from geometry.data.corpus import Preview, preview_table

from .messages.corpus_errors import too_large_text
from .words import Translate

PREVIEW_ROWS = 8
# The uploader speaks English only, and refuses a file over the limit in a mere tooltip. So its
# words are replaced, and the app's own refusal lies ready, hidden, until the uploader marks a
# file as refused.
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


def dress_uploader(key: str, max_bytes: int, _: Translate) -> None:
    """The words of the uploader of that key, and its refusal of a file over the limit."""
    words = {"browse": _("Choose a file"), "drop": _("or drop it here")}
    st.html(UPLOADER_STYLE.format(key=key, **words))
    with st.container(key=f"{key}_refused"):
        st.error(too_large_text(max_bytes, _))


def show_head(file: Any, _: Translate) -> Preview:
    """The first rows of the file, under the header that the reader says it has.

    Raises CorpusError for a file that is no table of even rows.
    """
    asked = st.session_state.get(f"header-{file.file_id}")
    found = _preview(file.file_id, file.name, asked, file)
    st.dataframe(
        {column: [row[i] for row in found.rows] for i, column in enumerate(found.columns)},
        hide_index=True,
        alt=_("The first rows of the file"),
    )
    return found


def show_header_toggle(file: Any, found: Preview, _: Translate) -> None:
    """Whether the first row is a header; ``show_head`` of the next run heeds it."""
    st.toggle(
        _("The first row holds the names of the columns"),
        value=found.has_header,
        key=f"header-{file.file_id}",
    )


@st.cache_data(max_entries=4, show_spinner=False, scope="session")
def _preview(file_id: str, name: str, has_header: bool | None, _file: Any) -> Preview:
    return preview_table(_file.getvalue(), PREVIEW_ROWS, name=name, has_header=has_header)
