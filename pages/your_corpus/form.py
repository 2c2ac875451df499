"""The form for a reader's own texts, vectors or pairs."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, CorpusError, Pairs, UndefinedMeasure, read_bundled
from geometry.data import VectorSet
from geometry.data.corpus import Preview, read_corpus, read_pasted
from geometry.data.decode import JSON_SUFFIXES, TABLE_SUFFIXES, opened
from geometry.data.limits import MEGABYTE, MIN_TEXTS
from geometry.data.recognise import AS_FOUND, Holds, mostly_numbers
from geometry.data.translations import corpus_of
from geometry.errors import GeometryError
from geometry.hub.operator_limits import read_upload_folders
from geometry.linalg.moments import refuse_extreme
from geometry.vectors import (
    Recognised,
    VectorFileError,
    VectorPreview,
    preview_vector_set,
    read_vector_set,
    recognise,
)
from geometry.vectors.formats import MAIN_ENDINGS
from geometry.vectors.recognised import HEAD, needs_more
from geometry.vectors.set_files import NO_COLUMN
from geometry.vectors.word_rows import is_binary
from pages.common import table_form
from pages.common.controls import choose
from pages.common.corpus_cloud import store
from pages.common.messages import error_text
from pages.common.models import current_encoder
from pages.common.page_list import page_labels, page_path
from pages.common.page_state import give_to_page
from pages.common.reading import (
    PACKED,
    ServerFile,
    megabytes,
    read_upload,
    shortened_note,
    table_note,
    upload_limits,
)
from pages.common.uploads import FILE_NAMES, OWN_PAIRS, add_pairs, add_upload, chosen_own
from pages.common.words import _, language, markdown, paragraph
from pages.your_corpus import server_files

PASTE_HEIGHT = 150
PREVIEW = "file-preview"  # of the file that is shown, if its recognition has one
NO_VECTOR = ("no_vector_in_row", "no_vector_in_line")  # errors of rows that can be left out
SHOWN_NUMBERS = 4  # numbers of a vector in the table of the first rows
FEW_DIMENSIONS = 30  # dimensions up to which each can be chosen as labels
FIRST_LOOK = 20_000  # rows of a server's file that are proposed as a sample
ROWS = "file-rows"
SHOWN_FILE, USED_PAIRS = "file-shown", "pairs-used-here"
PASTED_SENTENCES = "pasted-sentences"
EXAMPLE_TEXTS = 200
TEXTS: Holds = "texts"
VECTORS: Holds = "vectors"
PAIRS: Holds = "pairs"
MOST_NUMBERS = 0.5  # share of texts without letters above which a warning is shown
LETTERS_WITHIN = 200  # characters of a text that are searched: 50 MB would take a second a run
_LETTER = re.compile(r"[^\W\d_]")


def limits() -> dict[str, str]:
    model = current_encoder()
    own = upload_limits()
    return {
        "max_texts": f"{own.rows:,}",
        "max_mb": megabytes(own.file_bytes),
        "max_columns": f"{own.columns:,}",
        "max_characters": f"{own.text_characters:,}",
        "max_tokens": f"{model.max_tokens:,}",
        "max_vectors": f"{own.vectors:,}",
        "max_dimensions": f"{own.dimensions:,}",
        "max_vector_mb": megabytes(own.vector_file_bytes),
        "max_table_mb": megabytes(own.table_bytes),
        "endings": _(", ").join(f"`{ending}`" for ending in MAIN_ENDINGS),
        "model": markdown(model.name),
        "dimension": f"{model.dimension:,}",
        "cache_mb": f"{store().max_bytes / MEGABYTE:,.0f}",
    }


def show_form() -> None:
    ways = {"paste": (_("Paste texts"), _paste_form), "upload": (_("Upload a file"), _upload_form)}
    if read_upload_folders() or server_files.given_file() is not None:
        ways["server"] = _("A file of the server"), _server_form
    way = choose(
        st.segmented_control,
        _("Where the texts come from"),
        {code: label for code, (label, _form) in ways.items()},
        key="source",
        default="paste" if server_files.given_file() is None else "server",
        label_visibility="collapsed",
        required=True,
    )
    ways[way][1]()


def _paste_form() -> None:
    label = _("Fill in an example ({n} sentences)").format(n=EXAMPLE_TEXTS)
    st.button(label, key="fill-example", type="tertiary", on_click=_fill_example)
    text = st.text_area(
        _("Your texts, one a line"),
        key="pasted",
        height=PASTE_HEIGHT,
        placeholder=_("The kettle is on.\nWhy is the night sky dark?\n…"),
        persist_state="session",
    )
    by_sentence = _offer_splitting(PASTED_SENTENCES)
    # A click here leaves the text area, which runs the page once more. A button that moves or
    # becomes enabled in that run loses the click. So it is always enabled, with messages below it.
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
        corpus = read_pasted(text or "", by_sentence=by_sentence, limits=upload_limits())
    except CorpusError as error:
        st.error(error_text(error))
    else:
        _show_ready(corpus)


def _offer_splitting(key: str) -> bool:
    return st.toggle(
        _("Split texts into sentences"),
        key=key,
        persist_state="session",
        help=_("At the marks at their ends, in English and Chinese."),
    )


def _show_ready(corpus: Corpus) -> None:
    ready = _("{n} texts ready; lines without text, left out: {blank}.")
    st.caption(ready.format(n=f"{len(corpus):,}", blank=f"{corpus.n_blank:,}"))
    table_form.show_notes(corpus)
    numbers = sum(_LETTER.search(text, 0, LETTERS_WITHIN) is None for text in corpus.texts)
    if numbers > MOST_NUMBERS * len(corpus):
        said = _(
            "{n} of {all} texts have no letters. If they are numbers of rows, choose another "
            "column."
        )
        st.warning(said.format(n=f"{numbers:,}", all=f"{len(corpus):,}"), icon=":material/pin:")
    if corpus.n_shortened:
        st.warning(shortened_note(corpus.n_shortened), icon=":material/content_cut:")


def _fill_example() -> None:
    """Sentences of the project's topics, in the reader's language, spread over all topics."""
    texts = read_bundled(corpus_of(language())).texts
    chosen = [texts[place * len(texts) // EXAMPLE_TEXTS] for place in range(EXAMPLE_TEXTS)]
    st.session_state["pasted"] = "\n".join(chosen)


def _adopt_pasted(name: str) -> None:
    pasted = st.session_state.get("pasted") or ""
    by_sentence = bool(st.session_state.get(PASTED_SENTENCES))
    with suppress(CorpusError):  # the next run shows the error below the text
        _adopt(read_pasted(pasted, name=name, by_sentence=by_sentence, limits=upload_limits()))


def _adopt(own: Corpus | VectorSet, file_id: str = "", file_name: str = "") -> None:
    """Choose own data in the sidebar. A callback, because the sidebar is drawn first."""
    st.session_state.setdefault(FILE_NAMES, {})[own.sha256] = file_name or own.name
    st.session_state["corpus"] = add_upload(own)
    if isinstance(own, VectorSet):
        table_form.empty_box(file_id)
    st.session_state[ROWS] = False  # folds the form, so that the result is in view


def _upload_form() -> None:
    own = upload_limits()
    most = max(own.file_bytes, own.vector_file_bytes)
    label = _("Texts or pairs of at most {megabytes} MB, or vectors of at most {vectors} MB")
    label = label.format(
        megabytes=megabytes(own.file_bytes), vectors=megabytes(own.vector_file_bytes)
    )
    about = _(
        "Texts and pairs: .txt, .csv, .tsv, .jsonl, .parquet, .xlsx, .zip of .txt. Vectors: "
        "{endings}, GloVe, word2vec."
    ).format(endings=_(", ").join(MAIN_ENDINGS))
    file = table_form.upload(label, "corpus_file", most, tooltip=about)
    of_vectors = _(
        "Of vectors at most {vectors}, of {dimensions} numbers each, and {size} MB in memory; of "
        "more, a random sample."
    ).format(
        vectors=f"{own.vectors:,}",
        dimensions=f"{own.dimensions:,}",
        size=megabytes(own.table_bytes),
    )
    st.caption(paragraph([table_note(), of_vectors]))
    if file is not None:
        _show_file(file)


def _server_form() -> None:
    runs = server_files.server_runs()
    name = st.selectbox(
        _("File"),
        [*server_files.server_files(), *runs],
        index=None if server_files.given_file() is None else 0,
        key="server-file",
        placeholder=_("Choose a file"),
    )
    if server_files.given_file() is None:
        st.caption(_("Files of the folders that the operator of this server allows."))
    if name in runs:
        server_files.show_run_form(str(runs[name]))
        return
    file = None if name is None else server_files.server_file(name)
    if file is not None:
        _show_file(file)


def _show_file(file: Any) -> None:
    if st.session_state.get(SHOWN_FILE) != file.file_id:
        st.session_state[SHOWN_FILE] = file.file_id
        st.session_state[ROWS] = True
        st.session_state[f"kind-{file.file_id}"] = _kind_of(file)
    names = {TEXTS: _("Texts"), VECTORS: _("Vectors"), PAIRS: _("Pairs with scores")}
    kind = st.segmented_control(
        _("Read the file as"),
        list(names),
        key=f"kind-{file.file_id}",
        format_func=names.__getitem__,
        required=st.session_state[f"kind-{file.file_id}"] is not None,
    )
    if kind is None:
        table_form.was_read(file)
        st.info(_("It is not clear what the file holds. Choose it."))
    elif kind == PAIRS:
        table_form.show_pair_file(file, _adopt_pairs)
    else:
        _show_rows_form(file, kind)


def _kind_of(file: Any) -> str | None:
    """What a new file holds; None if the reader has to say it."""
    st.session_state[PREVIEW] = None
    try:
        found = recognised_upload(file)
    except GeometryError as error:  # the form shows it
        return VECTORS if isinstance(error, VectorFileError) else TEXTS
    st.session_state[PREVIEW] = found.preview
    if found.holds == "queries":
        queries = _("This file has queries and what is relevant to them. Upload it on “{page}”.")
        st.info(queries.format(page=page_labels()["neighbours"]))
    return found.holds if found.is_certain and found.holds != "queries" else None


def recognised_upload(file: Any) -> Recognised:
    with opened(file.path if isinstance(file, ServerFile) else file, CorpusError) as content:
        head = content.read(HEAD)
        is_packed = head.startswith(PACKED)
        if not is_packed and b"\0" in head and is_binary(head):
            return Recognised(VECTORS, True, "binary")  # they are read only as a whole
        if is_packed or needs_more(head):  # another process reads it
            return read_upload(recognise, file)
        return recognise(content, name=file.name, limits=upload_limits())


def _adopt_pairs(pairs: Pairs) -> None:
    st.session_state[USED_PAIRS] = add_pairs(pairs)
    give_to_page("sentence_similarity", "pairs", st.session_state[USED_PAIRS])


def shown_data() -> tuple[Corpus | VectorSet | None, Pairs | None]:
    """The chosen data; without any, the sentences of the pairs that were used last, and these."""
    own = chosen_own()
    pairs = _used_pairs()
    if own is not None or pairs is None or len(pairs.sentences) < MIN_TEXTS:
        return own, None
    return Corpus(pairs.name, pairs.sentences), pairs


def _used_pairs() -> Pairs | None:
    own: dict[str, Pairs] = st.session_state.get(OWN_PAIRS, {})
    return own.get(st.session_state.get(USED_PAIRS, ""))


def show_used_pairs() -> None:
    pairs = _used_pairs()
    if pairs is None:
        return
    chosen = _("The pairs “{name}” are chosen on Sentence similarity.")
    st.success(chosen.format(name=markdown(pairs.name)), icon=":material/check_circle:")
    show_link("sentence_similarity", page_labels()["sentence_similarity"])


def show_link(page: str, label: str) -> None:
    st.page_link(page_path(page), label=label, icon=":material/arrow_forward:")


def _show_rows_form(file: Any, kind: str) -> None:
    key = f"sample-texts-{file.file_id}"
    own: Corpus | VectorSet | None
    try:
        with st.expander(_("Rows and columns"), key=ROWS, on_change="rerun"):
            own = _choose_vectors(file) if kind == VECTORS else _choose_columns(file, key)
            if isinstance(own, VectorSet):
                refuse_extreme(own.vectors)  # pages can't draw them
    except (VectorFileError, CorpusError, UndefinedMeasure) as error:
        table_form.show_refusal(error, file)
        is_new = kind != VECTORS and not st.session_state.get(key)
        if error.code == "too_many_texts" and is_new:
            table_form.offer_sample(key)
        return
    if own is None:
        return
    is_text = isinstance(own, Corpus)
    st.button(
        _("Use this corpus") if is_text else _("Use these vectors"),
        key="use_file" if is_text else "use_vectors",
        type="primary",
        on_click=_adopt,
        args=(own, file.file_id, file.name),
    )
    table_form.was_read(file)
    if isinstance(own, Corpus):
        _show_ready(own)
    else:
        ready = _("{n} vectors of {d} numbers ready.")
        st.caption(ready.format(n=f"{len(own):,}", d=f"{own.dimension:,}"))
        table_form.show_notes(own)


def _choose_columns(file: Any, key: str) -> Corpus:
    """Show the first rows and the choice of columns, if there are any; read the corpus."""
    reading = table_form.reading_of(file)
    found = table_form.show_head(file, reading)
    read = {"n": f"{found.n_rows:,}", "encoding": found.encoding.upper()}
    said = _("The first {shown} of {n} rows, read as {encoding}.")
    st.caption(said.format(shown=len(found.rows), **read))
    name = file.name.lower()
    has_names = name.endswith((*JSON_SUFFIXES, ".parquet", ".zip"))  # of columns, in the file
    columns = {}
    if has_names or name.endswith((*TABLE_SUFFIXES, ".xlsx")) or len(found.columns) > 1:
        columns = _columns(file, found)
        reading = reading.but(header=None if has_names else found.has_header)
    by_sentence = _offer_splitting(f"sentences-{file.file_id}")
    sample = table_form.choose_sample(key, upload_limits().rows)
    options = columns | ({"by_sentence": True} if by_sentence else {}) | sample
    return read_upload(read_corpus, file, reading=reading, **options)


def _text_and_label(
    found: Preview | VectorPreview,
    boxes: Sequence[DeltaGenerator],
    labels: Sequence[str],  # the columns that can be labels
    *,
    key: str,
    title: str,
    placeholder: str,
) -> tuple[str | None, str | None]:
    suggested = found.suggested_text_column
    with boxes[0]:
        text = table_form.choose_column(
            title, found.columns, suggested, key=f"text-{key}", placeholder=placeholder
        )
    with boxes[1]:
        label = table_form.choose_column(
            _("Column with labels, for colours and the diagnosis (optional)"),
            [column for column in labels if column != text],
            found.suggested_label_column,
            key=f"label-{key}",
            placeholder=_("No labels"),
        )
    return text, label


def _columns(file: Any, found: Preview) -> dict[str, Any]:
    *boxes, weight_box = st.columns(3)
    title = _("Column with the texts")
    none = _("Choose a column")
    how = {"key": file.file_id, "title": title, "placeholder": none}
    text, label = _text_and_label(found, boxes, found.columns, **how)
    weights = [
        column
        for place, column in enumerate(found.columns)
        if column not in (text, label) and mostly_numbers([row[place] for row in found.rows])
    ]
    weight = None
    if weights:
        about = _(
            "How much each text counts in a fit: on “Narrow cone” and “Whitening”, and in "
            "Python. Everything else counts every text once."
        )
        weight = weight_box.selectbox(
            _("Column with weights (optional)"),
            weights,
            index=None,
            key=f"weight-{file.file_id}",
            placeholder=_("No weights"),
            help=about,
        )
    return {"text_column": text, "label_column": label, "weight_column": weight}


def _preview(file: Any, **options: Any) -> VectorPreview:
    found: VectorPreview | None = st.session_state.get(PREVIEW)
    if found is not None and options == {"reading": AS_FOUND}:
        return found
    return read_upload(preview_vector_set, file, rows=table_form.PREVIEW_ROWS, **options)


def _choose_vectors(file: Any) -> VectorSet | None:
    reading = table_form.reading_of(file)
    found = _preview(file, reading=reading)
    metadata = _metadata_of(file, found)
    if metadata:
        found = _preview(file, reading=reading, **metadata)
    _show_vectors(found)
    options = _vector_columns(file, found) | metadata
    options["reading"] = reading.but(header=found.has_header)
    return _read_vectors(file, found, options)


def _metadata_of(file: Any, found: VectorPreview) -> dict[str, Any]:
    """A second file with texts and labels, as options of ``read_upload``; empty without one."""
    if found.columns:
        return {}
    most = upload_limits().file_bytes
    label = _("Texts and labels of the rows (.tsv, .csv or .txt), at most {megabytes} MB")
    about = _(
        "One row for each vector, in the same order, such as the Embedding Projector’s "
        "metadata.tsv. One more row may name the columns."
    )
    metadata = table_form.upload(label, f"metadata_file-{file.file_id}", most, tooltip=about)
    if metadata is None:
        return {}
    content = {"metadata": metadata.getvalue(), "metadata_name": metadata.name}
    return {"beside": content, "named": metadata.file_id}


def _show_vectors(found: VectorPreview) -> None:
    """The first rows: columns, and the beginning of each vector. Cells are shown as plain text."""
    shown = {
        column: [cell[: table_form.PREVIEW_CHARACTERS] for cell in cells]
        for column, cells in zip(found.columns, zip(*found.rows, strict=True), strict=False)
    }
    d = found.vectors.shape[1]
    more = ", …" if d > SHOWN_NUMBERS else ""
    shown[_("vector of {d} numbers").format(d=f"{d:,}")] = [
        ", ".join(f"{value:.3g}" for value in row[:SHOWN_NUMBERS]) + more for row in found.vectors
    ]
    st.dataframe(shown, hide_index=True, alt=_("The first rows of the file"))
    said = _(
        "Read as {format}; each vector has {d} numbers. At most {most} of them are kept; of "
        "more, a random sample is taken while the file is read."
    )
    st.caption(said.format(format=found.format.upper(), d=f"{d:,}", most=f"{_most(found):,}"))


def _most(found: VectorPreview) -> int:
    """How many vectors of the file's dimension may be in memory."""
    limits = upload_limits()
    return min(limits.vectors, limits.table_bytes // (4 * max(1, found.vectors.shape[1])))


def _vector_columns(file: Any, found: VectorPreview) -> dict[str, Any]:
    lists = found.vector_columns
    options: dict[str, Any] = {}
    if len(lists) > 1:
        options["vector_column"] = st.selectbox(
            _("Column with the vectors"), lists, key=f"vectors-{file.file_id}"
        )
    labels = [*found.columns]
    if len(found.dimension_columns) <= FEW_DIMENSIONS:
        labels += found.dimension_columns
    if not labels:
        return options
    title = _("Column with texts, to read at a point (optional)")
    key = f"{file.file_id}-{len(found.columns)}"
    how = {"key": key, "title": title, "placeholder": _("No texts")}
    text, label = _text_and_label(found, st.columns(2), labels, **how)
    return options | {
        "text_column": text or NO_COLUMN,
        "label_column": label,
        "id_column": found.suggested_id_column,
    }


def _read_vectors(file: Any, found: VectorPreview, options: dict[str, Any]) -> VectorSet | None:
    """Read the file: of more rows than fit a sample. Offer to leave invalid rows out."""
    drop = f"drop-{file.file_id}"
    sampled = f"sample-{file.file_id}"
    most = _most(found)
    is_of_server = isinstance(file, ServerFile)
    chosen: dict[str, Any] = {"sample": most, "seed": 0}  # of fewer rows all
    if is_of_server or st.session_state.get(sampled):
        first = FIRST_LOOK if is_of_server else most
        chosen = table_form.choose_sample(sampled, most, always=True, first=min(first, most))
    if st.session_state.get(drop):
        options["not_finite"] = "drop"
        _offer_dropping(drop)
    try:
        vectors = read_upload(read_vector_set, file, **options, **chosen)
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
        said = _(
            "The file has {n} vectors, more than the limit of {most} with {d} numbers each. A "
            "random sample was read; the numbers of all are exact."
        )
        st.info(said.format(n=f"{report.n_rows:,}", most=f"{most:,}", d=f"{vectors.dimension:,}"))
    return vectors


def _offer_dropping(key: str) -> None:
    st.toggle(_("Leave out rows with NaN or infinity"), key=key)
