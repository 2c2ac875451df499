"""What a file holds: texts, vectors, scored pairs, or queries with what is relevant to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..data.column_names import QUERY_NAMES, RELEVANT_NAMES, SCORE_NAMES, TEXT_NAMES, named
from ..data.corpus import Preview, preview_table
from ..data.decode import GZIP, PARQUET, ZIP, Source, name_of, opened
from ..data.errors import CorpusError
from ..data.json_records import is_document
from ..data.limits import LIMITS, Limits
from ..data.pairs import Pairs, read_pairs, twins
from ..data.recognise import AS_FOUND, Holds, Reading, is_figure, is_of_codes
from ..errors import GeometryError
from .set_files import VectorPreview, preview_vector_set

HEAD = 200_000  # bytes of a text by which it is recognised; of a longer first line all of it
MANY_DIMENSIONS = 8  # columns of numbers from which a table with texts counts as vectors
PREVIEW_ROWS = 8
SAMPLE = 100  # pairs by which sentences are told from words
Answer = TypeVar("Answer")
# Reasons why vectors are not read, or asked about, of files that are not meant as texts
_NO_TEXTS = (
    "sparse", "sparse_file", "base64", "base64_of_bytes", "bits_in_text", "no_bytes", "scaled",
    "pickle_file", "model_file", "binary_vectors", "uncertain_packed", "uncertain_vectors",
    "uncertain_path", "shortened_list",
)  # fmt: skip
_NUMBERS = ("decimal_comma", "split_decimals", "bad_number")  # of a word and numbers in each line
_WORDS = ("text", "binary")  # formats of word vectors


@dataclass(frozen=True)
class Recognised:
    """What a file holds, and why."""

    holds: Holds
    is_certain: bool  #: False if it could be texts as well; then ``holds`` is a guess
    format: str  #: of vectors as in ``VectorSetReport``; of others the encoding or the container
    columns: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()  #: the columns of vectors, or of their dimensions
    #: the first vectors, by the beginning of a text
    preview: VectorPreview | None = field(default=None, compare=False, repr=False)


def recognise(
    source: Source, *, name: str | None = None, reading: Reading = AS_FOUND, limits: Limits = LIMITS
) -> Recognised:
    """What a file holds, by its first rows and the names of its columns.

    Raises GeometryError if the file holds nothing that can be read.

    Parameters
    ----------
    source : path, bytes or seekable binary file
    name : str, optional
        Name of the file, where the source has none.
    reading : Reading
    limits : Limits
    """
    title = Path(name or name_of(source, "file")).name
    with opened(source, CorpusError) as file:
        head = file.read(HEAD)
        if len(head) == HEAD and not _is_packed(head):
            head = head[: head.rfind(b"\n") + 1] or head + file.readline(limits.table_bytes)
        beginning: Source = source if _is_whole(head) else head
    options: dict[str, Any] = {"name": title, "reading": reading, "limits": limits}
    found = _tried(preview_vector_set, beginning, PREVIEW_ROWS, **options)
    table = _tried(preview_table, beginning, PREVIEW_ROWS, **options)
    is_table = isinstance(table, Preview)  # what took too long would take it again
    pairs = _tried(read_pairs, beginning, **options) if is_table else table
    decided = _decided(found, table, pairs, Path(title).suffix.lower())
    return replace(decided, holds=reading.holds, is_certain=True) if reading.holds else decided


def _tried(read: Callable[..., Answer], *arguments: Any, **options: Any) -> Answer | GeometryError:
    try:
        return read(*arguments, **options)
    except GeometryError as error:
        return error


def needs_more(head: bytes) -> bool:
    """Whether a file that begins so is recognised by more than its beginning."""
    is_cut = len(head) >= HEAD and b"\n" not in head
    return not head.startswith(b"\x93NUMPY") and (is_cut or _is_whole(head))


def _is_whole(head: bytes) -> bool:
    """Whether all of a file is needed: the end of a JSON document may tell where its rows are."""
    return _is_packed(head) or is_document(head.decode("utf-8", "replace"))


def _is_packed(head: bytes) -> bool:
    return head.startswith((GZIP, PARQUET, ZIP)) or b"\0" in head[:1_000]


def _decided(
    found: VectorPreview | GeometryError,
    table: Preview | GeometryError,
    pairs: Pairs | Preview | GeometryError,
    suffix: str,
) -> Recognised:
    if isinstance(table, GeometryError):
        if isinstance(found, GeometryError):
            # what is unclear comes first, then what has a line that converts, then a table's fault
            is_large = table.code.startswith("too_") and found.because == "foreign"
            is_foreign = "command" in found.details and table.code != "uncertain" and not is_large
            is_named = found.code == "uncertain" or is_foreign
            is_array = found.because != "no_vector_set" and (
                table.code in ("binary", "too_many_bytes") or table.because == "no_text_files"
            )
            raise found if is_named or is_array else table
        is_wide = found.vectors.shape[1] >= MANY_DIMENSIONS
        if not is_wide and table.code in ("too_many_columns", "uncertain"):
            raise table
        return _vectors(found)
    if not table.columns and isinstance(found, GeometryError):  # nothing but columns of lists
        raise found
    folded = {column.casefold() for column in table.columns}
    if {"query-id", "corpus-id"} <= folded or (
        folded.intersection(QUERY_NAMES) and folded.intersection(RELEVANT_NAMES) and len(folded) < 4
    ):
        # what is relevant to a query is given by numbers or codes, and not by a text
        relevant = named(table.columns, (*RELEVANT_NAMES, "corpus-id"))
        has_rows = relevant is None or not _is_prose(table, relevant)
        return Recognised("queries", has_rows, table.encoding, table.columns)
    # lists of whole numbers beside texts may be numbers of tokens
    has_lists = (
        isinstance(found, VectorPreview)
        and bool(found.vector_columns)
        and bool((found.vectors != np.round(found.vectors)).any())
        and found.format not in _WORDS
    )
    if isinstance(pairs, Pairs):
        used = () if pairs.account is None else pairs.account.columns_used
        is_named = twins(used) is not None
        if is_named or not has_lists:
            return _pairs(pairs, table, used, is_named)
    if isinstance(found, GeometryError):
        cells = [row[0] for row in table.rows] if table.columns == ("text",) else []
        is_meant = found.because in _NUMBERS and any(len(cell.split()) > 3 for cell in cells)
        figures = [cell for cell in cells if is_figure(cell) and len(cell.split()) > 2]
        is_of_figures = 2 * len(figures) > len(cells)
        no_text = table.suggested_text_column is None or is_of_figures or is_meant
        has_digits = any(map(str.isdigit, "".join(cell for row in table.rows for cell in row)))
        if found.because in _NO_TEXTS or (no_text and has_digits):
            raise found
        return Recognised("texts", True, table.encoding, table.columns)
    d = found.vectors.shape[1]
    column = table.suggested_text_column
    if found.format in _WORDS:
        if d == 1 and suffix != ".vec":  # Chapter 1
            return Recognised("texts", True, table.encoding, table.columns)
        is_certain = d >= MANY_DIMENSIONS or suffix == ".vec"
    elif found.vector_columns:
        if d == 1 and column is not None and not has_lists:  # a number of each text
            return Recognised("texts", True, table.encoding, table.columns)
        is_of_ids = found.vector_columns[0].casefold().endswith(("ids", ".id"))
        is_certain = has_lists or (column is None and not is_of_ids)
    elif column is None or not found.columns:
        is_certain = True
    else:  # columns of numbers beside texts
        stems = {name.rstrip("0123456789") for name in found.dimension_columns}
        is_group = bool(table.has_header) and d > 1 and len(stems) == 1
        is_few = d < MANY_DIMENSIONS or bool(np.isin(found.vectors, (0, 1)).all())
        is_text = column.casefold() in TEXT_NAMES or (is_few and _is_prose(table, column))
        label = found.suggested_label_column
        is_labelled = d > 2 and label == (column if table.has_header else found.columns[-1])
        if not is_group and not is_labelled and (d == 1 or is_text):
            return Recognised("texts", True, table.encoding, table.columns)
        is_certain = d >= MANY_DIMENSIONS or (is_group and d > 2) or is_labelled
    return replace(_vectors(found), is_certain=is_certain)


def _are_long(texts: Sequence[str]) -> bool:
    """Whether most have several words, or as many characters in a script without spaces."""
    n_long = sum(" " in text or (len(text) > 8 and not text.isascii()) for text in texts)
    return 2 * n_long > len(texts)


def _is_prose(table: Preview, column: str) -> bool:
    """Whether a column has sentences: three words or more in most cells."""
    cells = [row[table.columns.index(column)] for row in table.rows]
    return 2 * sum(len(cell.split()) > 2 for cell in cells) > len(cells)


def _pairs(pairs: Pairs, table: Preview, used: Sequence[str], is_named: bool) -> Recognised:
    """Pairs that are certain by their names, or by sentences and a score behind them."""
    folded = {name.casefold() for name in used}
    sides = pairs.left[:SAMPLE], pairs.right[:SAMPLE]
    is_title_and_body = len(folded.intersection(TEXT_NAMES)) > 1
    is_text_and_name = sum(map(_are_long, sides)) == 1
    if not is_named and (is_title_and_body or is_text_and_name or any(map(is_of_codes, sides))):
        return Recognised("texts", True, table.encoding, table.columns)
    texts = (*sides[0], *sides[1])
    is_long = 2 * sum(" " in text for text in texts) > len(texts)
    is_scored = not folded.isdisjoint(SCORE_NAMES)
    if not table.has_header:  # a whole number before two texts may be their class
        first = dict(zip(table.columns, table.rows[0], strict=True))
        is_last = not any(map(str.isalpha, first.get(used[-1], "")))
        is_scored = is_last or bool((pairs.gold_scores % 1).any())
    is_certain = is_named or (is_long and is_scored)
    return Recognised("pairs", is_certain, table.encoding, table.columns)


def _vectors(found: VectorPreview) -> Recognised:
    vectors = found.vector_columns or found.dimension_columns
    columns = tuple(dict.fromkeys((*vectors, *found.columns)))
    return Recognised("vectors", True, found.format, columns, vectors, found)
