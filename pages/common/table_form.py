"""The form of an uploaded table: the uploader, the first rows, the columns of scored pairs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any

import streamlit as st

from geometry import Corpus, CorpusError, Pairs, read_pairs
from geometry.data import VectorSet
from geometry.data.corpus import Preview, preview_table
from geometry.data.decode import ENCODINGS
from geometry.data.limits import MEGABYTE
from geometry.data.recognise import AS_FOUND, DELIMITERS, Reading
from geometry.data.table_files import names_its_columns
from geometry.diagnosis.sentences import file_notes
from geometry.errors import GeometryError
from geometry.evaluate.bootstrap import checked_gold

from .messages import error_text
from .reading import megabytes, read_upload, shortened_note, table_note, upload_limits
from .streamlit_internals import forget_upload
from .uploads import chosen_own
from .words import _, labelled, markdown

PREVIEW_ROWS = 8
PREVIEW_CHARACTERS = 1_000  # characters of a cell at most
LEAST = 2  # rows of a sample at least
BOXES = "boxes-of-files"  # uploaders, by the file that each of them holds
# Codes of errors that a choice on the page may mend
MENDED = (
    *("uncertain", "wrong_encoding", "unknown_encoding", "uneven_row", "ragged_row", "bad_number"),
    *("bad_quotes", "unknown_sheet", "unknown_column", "unreadable_column", "empty_column"),
    *("no_text_column", "no_pair_columns", "bad_score", "bad_weight", "no_weight", "equal_scores"),
    *("too_many_texts", "too_few_pairs", "not_finite", "column_length", "metadata_rows"),
    *("no_relevance_columns", "bad_grade"),
)
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


def upload(label: str, box: str, max_bytes: int, *, tooltip: str | None = None) -> Any:
    """An uploader in the reader's language; its file, or the refusal of one that was removed."""
    key = _key_of(box)
    label = label.format(megabytes=megabytes(max_bytes))
    file = st.file_uploader(label, key=key, max_upload_size=max_bytes // MEGABYTE, help=tooltip)
    if file is not None:
        st.session_state.pop(f"{box}-refusal", None)
        st.session_state.setdefault(BOXES, {})[file.file_id] = box
    elif f"{box}-refusal" in st.session_state:
        name, error = st.session_state[f"{box}-refusal"]
        st.error(labelled(markdown(name), error_text(error)))
    st.html(UPLOADER_STYLE.format(key=key, browse=_("Choose a file"), drop=_("or drop it here")))
    with st.container(key=f"{key}_refused"):
        st.error(error_text(CorpusError("too_many_bytes", limit=max_bytes)))
    return file


def _key_of(box: str) -> str:
    n = st.session_state.get(f"{box}-emptied", 0)
    return f"{box}-{n}" if n else box


def uploaded(box: str) -> Any:
    return st.session_state.get(_key_of(box))


def upload_table(label: str, key: str) -> Any:
    file = upload(label, key, upload_limits().file_bytes)
    st.caption(table_note())
    return file


def upload_word_vectors(key: str) -> Any:
    label = _(
        "Word vectors (GloVe’s, word2vec’s or fastText’s text, word2vec’s binary, .npz, "
        ".safetensors; also gzipped), at most {megabytes} MB"
    )
    limits = upload_limits()
    file = upload(label, key, limits.vector_file_bytes)
    note = _(
        "At most {words} words of {dimensions} dimensions, and {size} MB when unpacked and in "
        "memory."
    )
    n, d, size = f"{limits.words:,}", f"{limits.dimensions:,}", megabytes(limits.table_bytes)
    st.caption(note.format(words=n, dimensions=d, size=size))
    return file


def reading_of(file: Any) -> Reading:
    """How the reader says that a file is written; boxes for it, if they are wanted or needed."""
    shown = f"how-{file.file_id}"
    if st.session_state.pop(f"ask-{file.file_id}", False):
        st.session_state[shown] = True
    if not st.toggle(_("Choose how the file is read"), key=shown):
        return AS_FOUND
    asked: dict[str, tuple[str, ...]] = st.session_state.get(f"choices-{file.file_id}", {})
    # what was asked comes first
    options = sorted(_options(asked).items(), key=lambda each: each[0] not in asked)
    chosen = {}
    for box, (option, (label, values)) in zip(st.columns(len(options)), options, strict=True):
        key, named, usual = f"{option}-{file.file_id}", values.__getitem__, _("Automatic")
        chosen[option] = box.selectbox(
            label, list(values), index=None, key=key, format_func=named, placeholder=usual
        )
    return AS_FOUND.but(**chosen)


def _options(asked: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, dict[Any, str]]]:
    """The label of each box, and its values with their labels; ``asked`` by errors come first."""
    encodings = dict.fromkeys((*asked.get("encoding", ()), *ENCODINGS))
    quoting = {
        "quoted": _("enclose cells"),
        "escaped": _("enclose cells, and have a backslash within"),
        "none": _("belong to the text"),
    }
    fixed: dict[str, tuple[str, dict[Any, str]]] = {
        "encoding": (_("Encoding"), {each: each.upper() for each in encodings}),
        "delimiter": (_("Delimiter"), {each: each for each in DELIMITERS} | {"\t": _("tab")}),
        "quoting": (_("Quotation marks"), quoting),
        "header": (_("First row"), {True: _("names of columns"), False: _("a row as any other")}),
        "decimal": (_("Decimal sign"), {".": ".", ",": ","}),
    }
    if "packed" in asked:
        fixed["packed"] = (_("Bytes of packed bits"), {True: _("yes"), False: _("no")})
    names = {"sheet": _("Sheet"), "path": _("Place of the records")}
    return fixed | {
        option: (names[option], dict(zip(choices, choices, strict=True)))
        for option, choices in asked.items()
        if option in names
    }


def was_read(file: Any) -> None:
    """Note that the file can be read: what is refused later is a choice, and the file stays."""
    st.session_state[f"read-{file.file_id}"] = True


def empty_box(file_id: str, refusal: GeometryError | None = None, name: str = "") -> bool:
    """Remove an uploaded file from its box and from memory; False for a file of the server."""
    box = st.session_state.get(BOXES, {}).pop(file_id, None)
    if box is None:
        return False
    if refusal is not None:  # a copy, because a traceback refers to the content
        st.session_state[f"{box}-refusal"] = name, copy(refusal)
    st.session_state[f"{box}-emptied"] = st.session_state.get(f"{box}-emptied", 0) + 1
    forget_upload(file_id)
    return True


@contextmanager
def refused_files_leave(file: Any, kind: type[GeometryError] = GeometryError) -> Iterator[None]:
    """Remove a file without choices of reading from its uploader, if such an error refuses it."""
    try:
        yield
    except kind as error:
        if file is not None and empty_box(file.file_id, error, file.name):
            st.rerun()
        raise


def show_refusal(error: GeometryError, file: Any) -> None:
    """The error of a file, which leaves its uploader, or stays with boxes for what is unclear."""
    is_chosen = any(st.session_state.get(f"{way}-{file.file_id}") for way in ("read", "how"))
    if error.code not in MENDED and not is_chosen and empty_box(file.file_id, error, file.name):
        st.rerun()
    if error.code == "uncertain":
        asked = st.session_state.setdefault(f"choices-{file.file_id}", {})
        option = error.details["option"]
        if not st.session_state.get(f"how-{file.file_id}") or option not in asked:
            asked[option] = error.details["choices"]
            st.session_state[f"ask-{file.file_id}"] = True
            st.rerun()
    st.error(error_text(error))


def show_head(file: Any, reading: Reading) -> Preview:
    """The first rows of the file. Raises CorpusError unless its rows have equal length."""
    preview = read_upload(preview_table, file, rows=PREVIEW_ROWS, reading=reading)
    if len(preview.sheets) > 1:
        st.session_state.setdefault(f"choices-{file.file_id}", {})["sheet"] = preview.sheets
    st.dataframe(
        {
            column: [row[i][:PREVIEW_CHARACTERS] for row in preview.rows]
            for i, column in enumerate(preview.columns)
        },
        hide_index=True,
        alt=_("The first rows of the file"),
    )
    return preview


def choose_column(
    label: str, columns: Sequence[str], suggested: str | None, *, key: str, placeholder: str
) -> str | None:
    place = columns.index(suggested) if suggested in columns else None
    return st.selectbox(label, columns, index=place, key=key, placeholder=placeholder)


def offer_sample(key: str) -> None:
    st.toggle(_("Take a random sample of the rows"), key=key)


def choose_sample(
    key: str, most: int, *, always: bool = False, first: int | None = None
) -> dict[str, Any]:
    if not always:
        if not st.session_state.get(key):
            return {}
        offer_sample(key)
    size_box, seed_box = st.columns(2)
    rows = _("Rows of the sample")
    size = size_box.number_input(rows, LEAST, most, first or most, key=f"{key}-size")
    seed = seed_box.number_input(_("Seed"), 0, 10**6, 0, key=f"{key}-seed")
    return {"sample": int(size), "seed": int(seed)}


def show_notes(own: Corpus | VectorSet) -> None:
    """The notes of a file that is not chosen yet. The result shows those of the chosen file."""
    chosen = chosen_own()
    if chosen is None or chosen.sha256 != own.sha256:
        for note in file_notes(own, _):
            st.caption(markdown(note))


# ---- scored pairs ----


def show_pair_file(file: Any, adopt: Callable[[Pairs], None]) -> None:
    """Choose the columns of an uploaded file; ``adopt`` is the button's callback."""
    try:
        pairs = _choose_columns(file)
        was_read(file)
        if pairs is None:
            return
        checked_gold(pairs.gold_scores)
    except CorpusError as error:
        show_refusal(error, file)
        return
    st.button(_("Use these pairs"), key="use_pairs", type="primary", on_click=adopt, args=(pairs,))
    low, high = f"{pairs.gold_scores.min():g}", f"{pairs.gold_scores.max():g}"
    text = _("{n} pairs ready; scores from {low} to {high}.")
    st.caption(text.format(n=f"{len(pairs):,}", low=low, high=high))
    if pairs.n_shortened:
        st.warning(shortened_note(pairs.n_shortened), icon=":material/content_cut:")


def _choose_columns(file: Any) -> Pairs | None:
    reading = reading_of(file)
    read = partial(read_upload, read_pairs, file, reading=reading)
    if names_its_columns(file.name):  # JSON lines or Parquet
        try:
            return read()
        except CorpusError as error:
            if error.code != "no_pair_columns":
                raise
            st.info(error_text(error))
            named = _three_of(error.details["columns"], file.file_id)
        return read(columns=named) if named else None
    try:
        head = show_head(file, reading)
    except CorpusError as error:
        if error.code != "uneven_row":
            raise
        return read()  # as in the files of STS-B
    label = _("Detect columns automatically")
    if st.toggle(label, value=True, key=f"guess-{file.file_id}"):
        return read()
    named = _three_of(head.columns, file.file_id)
    return read(columns=named, reading=reading.but(header=head.has_header)) if named else None


def _three_of(columns: Sequence[str], file_id: str) -> tuple[str, ...] | None:
    labels = (_("First sentence"), _("Second sentence"), _("Score"))
    hint = _("Choose a column")
    chosen: list[Any] = []
    for place, (box, label) in enumerate(zip(st.columns(3), labels, strict=True)):
        key = f"column-{place}-{file_id}"
        chosen.append(box.selectbox(label, columns, index=None, key=key, placeholder=hint))
    return None if None in chosen else tuple(chosen)
