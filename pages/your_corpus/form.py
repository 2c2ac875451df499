"""The form for a reader's own corpus: paste or upload texts, choose columns, use them."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from geometry import Corpus, CorpusError
from geometry.data.corpus import Preview, read_corpus, read_pasted
from geometry.data.decode import JSON_SUFFIXES, TABLE_SUFFIXES
from geometry.data.limits import MEGABYTE
from pages.common.controls import choose
from pages.common.corpus_cloud import store
from pages.common.escape import markdown
from pages.common.limit_notes import megabytes, shortened_note, table_note, upload_limits
from pages.common.messages import error_text
from pages.common.models import current_encoder
from pages.common.reading import read_upload
from pages.common.table_form import label_uploader, show_head, show_header_toggle
from pages.common.uploads import add_upload
from pages.common.words import Translate

PASTE_HEIGHT = 150
ROWS, SHOWN_FILE = "file-rows", "file-shown"
MOST_NUMBERS = 0.5  # share of texts without letters, above which a warning is shown
LETTERS_WITHIN = 200  # characters of a text: all 50 MB would take a second in every run
_LETTER = re.compile(r"[^\W\d_]")


def limits() -> dict[str, str]:
    """The numbers in the page's text."""
    model, own = current_encoder(), upload_limits()
    return {
        "max_texts": f"{own.rows:,}",
        "max_mb": megabytes(own.file_bytes),
        "max_columns": f"{own.columns:,}",
        "max_characters": f"{own.text_characters:,}",
        "max_tokens": f"{model.max_tokens:,}",
        "model": markdown(model.name),
        "dimension": f"{model.dimension:,}",
        "cache_mb": f"{store().max_bytes / MEGABYTE:,.0f}",
    }


def show_form(_: Translate) -> None:
    """Paste or upload texts. "Use this corpus" chooses them in the sidebar."""
    way = choose(
        st.segmented_control,
        _("Where the texts come from"),
        ["paste", "upload"],
        key="source",
        default="paste",
        labels={"paste": _("Paste texts"), "upload": _("Upload a file")},
        label_visibility="collapsed",
        required=True,
    )
    {"paste": _paste_form, "upload": _upload_form}[way](_)


def _paste_form(_: Translate) -> None:
    text = st.text_area(
        _("Your texts, one a line"),
        key="pasted",
        height=PASTE_HEIGHT,
        placeholder=_("The kettle is on.\nWhy is the night sky dark?\n…"),
        persist_state="session",
    )
    # A click here leaves the text area, which runs the page once more. A button that moves or
    # becomes enabled in that run loses the click: it is always enabled, messages are below it.
    clicked = st.button(
        _("Use this corpus"),
        key="use_pasted",
        type="primary",
        on_click=_adopt_pasted,
        args=(_("Pasted texts"),),
    )
    if not (clicked or text):
        return
    try:
        corpus = read_pasted(text or "", limits=upload_limits())
    except CorpusError as error:
        st.error(error_text(error, _))
    else:
        _show_ready(corpus, _)


def _show_ready(corpus: Corpus, _: Translate) -> None:
    st.caption(ready_line(corpus, _))
    numbers = sum(_LETTER.search(text, 0, LETTERS_WITHIN) is None for text in corpus.texts)
    if numbers > MOST_NUMBERS * len(corpus):
        st.warning(
            _(
                "{n} of {all} texts have no letters. If they are numbers of rows, choose another "
                "column."
            ).format(n=f"{numbers:,}", all=f"{len(corpus):,}"),
            icon=":material/pin:",
        )
    if corpus.n_shortened:
        st.warning(shortened_note(corpus.n_shortened, _), icon=":material/content_cut:")


def _adopt_pasted(name: str) -> None:
    try:
        pasted = st.session_state.get("pasted") or ""
        corpus = read_pasted(pasted, name=name, limits=upload_limits())
    except CorpusError:
        return  # the next run shows the error below the text
    _adopt(corpus)


def _adopt(corpus: Corpus) -> None:
    """Choose it in the sidebar. A callback, because the sidebar is drawn first."""
    st.session_state["corpus"] = add_upload(corpus)
    st.session_state[ROWS] = False  # so that the result is in view


def _upload_form(_: Translate) -> None:
    label = _("A .txt, .csv, .tsv or .jsonl file of at most {megabytes} MB")
    most = upload_limits().file_bytes
    file = st.file_uploader(
        label.format(megabytes=megabytes(most)),
        key="corpus_file",
        max_upload_size=most // MEGABYTE,
    )
    label_uploader("corpus_file", most, _)
    st.caption(table_note(_))
    if file is None:
        return
    if st.session_state.get(SHOWN_FILE) != file.file_id:
        st.session_state[SHOWN_FILE], st.session_state[ROWS] = file.file_id, True
    try:
        with st.expander(_("Rows and columns"), key=ROWS, on_change="rerun"):
            corpus = _choose_columns(file, _)
    except CorpusError as error:
        st.error(error_text(error, _))
        return
    st.button(_("Use this corpus"), key="use_file", type="primary", on_click=_adopt, args=(corpus,))
    _show_ready(corpus, _)


def _choose_columns(file: Any, _: Translate) -> Corpus:
    """Show the file's first rows and, where it has columns, their choice; read the corpus."""
    found = show_head(file, _)
    st.caption(_preview_line(found, _))
    is_json = file.name.lower().endswith(JSON_SUFFIXES)
    if not (is_json or file.name.lower().endswith(TABLE_SUFFIXES)):
        return _read(file)
    text_box, label_box = st.columns(2)
    with text_box:
        text_column = st.selectbox(
            _("Column with the texts"),
            found.columns,
            index=_index(found, found.suggested_text_column),
            key=f"text-{file.file_id}",
            placeholder=_("Choose a column"),
        )
    with label_box:
        label_column = st.selectbox(
            _("Column with labels, for colours (optional)"),
            [column for column in found.columns if column != text_column],
            index=_index(found, found.suggested_label_column, without=text_column),
            key=f"label-{file.file_id}",
            placeholder=_("No labels"),
        )
    if not is_json:
        show_header_toggle(file, found, _)
    return _read(
        file, text_column=text_column, label_column=label_column, has_header=found.has_header
    )


def _read(file: Any, **columns: Any) -> Corpus:
    corpus: Corpus = read_upload(read_corpus, file, **columns)
    return corpus


def _index(found: Preview, column: str | None, *, without: str | None = None) -> int | None:
    columns = [name for name in found.columns if name != without]
    return columns.index(column) if column in columns else None


def _preview_line(found: Preview, _: Translate) -> str:
    return _("The first {shown} of {n} rows, read as {encoding}.").format(
        shown=len(found.rows), n=f"{found.n_rows:,}", encoding=found.encoding.upper()
    )


def ready_line(corpus: Corpus, _: Translate) -> str:
    """The number of texts, and how many lines or rows have none."""
    return _("{n} texts ready; {blank} lines without text left out.").format(
        n=f"{len(corpus):,}", blank=f"{corpus.n_blank:,}"
    )
