"""A file of a reader's own vectors, in any of the usual forms, to one checked set."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..data.account import CODES, NOT_FINITE, SAMPLED, UNCHOSEN, Account, LeftOut
from ..data.column_names import ID_NAMES, LABEL_NAMES, TEXT_NAMES, named
from ..data.columns import columns_of
from ..data.decode import Source, lines_of, read_text_file
from ..data.embeddings import VectorSet, VectorSetReport
from ..data.errors import CorpusError
from ..data.limits import LIMITS, MIN_TEXTS, Limits, refuse_too_many_cells
from ..data.recognise import AS_FOUND, Reading, dialect_of, is_number, mostly_numbers, unique_names
from .errors import MOST_NAMED, VectorFileError
from .formats import opened_rows
from .row_sample import CHOSEN, NotFinite, RowSample
from .row_source import TEXTS, Block, ChosenColumns, Hints, RowSource, as_numbers, refuse_unknown
from .set_tables import loads

NO_COLUMN = ""  # the value that chooses no texts
ONLY = "text"  # the name of the only column of metadata without a header
_SHOWN_COLUMNS = 20
_OF_TABLES = ("parquet", "arrow", "csv", "tsv", "jsonl")  # their columns have equal lengths


@dataclass(frozen=True, eq=False)
class VectorPreview:
    """The first rows of a file of vectors, for choosing columns."""

    format: str  #: as in ``VectorSetReport``
    vectors: np.ndarray  #: (m, d) float32, by the suggested column or columns
    columns: tuple[str, ...]  #: that may be texts or labels, of the file and its metadata
    rows: tuple[tuple[str, ...], ...]  #: their first cells
    vector_columns: tuple[str, ...]  #: that have whole vectors
    dimension_columns: tuple[str, ...]  #: that have one number of each vector
    suggested_text_column: str | None
    suggested_label_column: str | None
    suggested_id_column: str | None
    n_rows: int | None  #: None if only reading to the end shows it
    has_header: bool | None  #: None where the format has no such choice
    encoding: str | None


def read_vector_set(
    source: Source,
    *,
    metadata: Source | None = None,
    name: str | None = None,
    metadata_name: str | None = None,
    vector_column: str | Sequence[str] | None = None,
    text_column: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    not_finite: NotFinite = "stop",
    sample: int | None = None,
    seed: int = 0,
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> VectorSet:
    """Vectors of texts, images or anything else, with a text and a label for each row.

    The format is found from the content; docs/inputs.md has the forms, each of them gzipped or not.
    Nothing is unpickled. The file is read by blocks, so that a sample of a file that is larger than
    memory can be taken. Any fault is a VectorFileError with a code, or a CorpusError for the
    encoding of a table or its metadata.

    Parameters
    ----------
    source : path, bytes or seekable binary file
    metadata : path, bytes or binary file, optional
        A second file with a row for each vector, such as the Embedding Projector's metadata.tsv.
        With one row more than vectors, the first row names the columns.
    name : str, optional
    metadata_name : str, optional
        Names of the files, where their sources have none.
    vector_column : str or sequence of str, optional
        The column or array of the vectors, or the columns of their dimensions. None takes the
        likeliest.
    text_column : str, optional
        A column of the file or its metadata. None takes one with a usual name, "" no texts.
    label_column : str, optional
    id_column : str, optional
        By which pairs and answers name rows. None takes that of a table without a header.
    not_finite : str
        What happens if rows have NaN, infinity, a missing number or no vector. "stop" raises an
        error that names them; "drop" leaves them out and counts them in the report and account.
    sample : int, >= 2, optional
        Take so many rows at most, drawn at random. ``report.whole`` then has exact numbers of all
        rows. None takes all rows.
    seed : int
    reading : Reading
        What is known of how the file is written, such as its encoding, delimiter and header.
    limits : Limits
        How large the file may be; with a sample, what is kept counts.
    """
    if not_finite not in ("stop", "drop"):
        raise ValueError(f'not_finite must be "stop" or "drop"; got {not_finite!r}')
    if sample is not None and sample < MIN_TEXTS:
        raise ValueError(f"sample must be at least {MIN_TEXTS}, or None for all; got {sample}")
    hints = Hints("", reading, limits, keeps_all=sample is None)
    with opened_rows(source, name, hints) as (rows, title):
        beside = _metadata(metadata, metadata_name, rows, limits)
        chosen = _choice(rows, beside, vector_column, text_column, label_column, id_column)
        expected = rows.lengths.get(str(chosen.vector), rows.n_rows)
        taken = RowSample(sample, seed, limits, expected)
        used = [*chosen.vector_names, *(each for each in chosen.beside if each)]
        # columns of a table for colours
        taken_before = {*used, *rows.vector_columns, *rows.ids, *rows.long}
        left = rows.columns if rows.format in _OF_TABLES else ()
        others = tuple(each for each in left if each not in taken_before)[:_SHOWN_COLUMNS]
        text, label, ids = (None if each in beside.columns else each for each in chosen.beside)
        of_file = ChosenColumns(chosen.vector, text, label, ids, not_finite == "drop", others)
        for block in as_numbers(rows, of_file, reading):
            taken.add(block)
        empty = taken.empty
        if isinstance(chosen.vector, tuple) and empty.any() and not empty.all():
            names = tuple(name for name, no in zip(chosen.vector, empty, strict=True) if no)
            raise VectorFileError("empty_dimensions", columns=names)
        vectors, cells, numbers = taken.result(not_finite)
        own = cells[:CHOSEN]
        further = dict(zip(others, cells[CHOSEN:], strict=True))
        if len(vectors) < MIN_TEXTS:
            raise VectorFileError("too_few_vectors", limit=MIN_TEXTS)
        if metadata is not None and len(beside.rows) != taken.n_rows:
            raise VectorFileError("metadata_rows", n=len(beside.rows), n_vectors=taken.n_rows)
        shown = [each for each in beside.columns[:_SHOWN_COLUMNS] if each not in chosen.beside]
        further |= {each: beside.column(each, numbers) for each in shown}
        for i, column in enumerate(chosen.beside):
            if column in beside.columns:
                own[i] = beside.column(column, numbers)
            if (found := own[i]) is not None and not any(map(str.strip, found)):
                raise VectorFileError("empty_column", column=column)
        texts, labels, names_of_rows = own
        columns = columns_of((name, each) for name, each in further.items() if each)
        n_sampled_out = taken.n_rows - taken.not_finite.n - len(vectors)
        report = VectorSetReport(
            format=rows.format,
            n_rows=taken.n_rows,
            n_dropped=taken.not_finite.n,
            dropped=tuple(taken.not_finite.first),
            n_zero=taken.zero.n,
            zero=tuple(taken.zero.first),
            n_sampled=len(vectors) if n_sampled_out else None,
            seed=seed,
            whole=taken.sums.statistics() if taken.sums else None,
        )
        left_out = (taken.not_finite.left_out(NOT_FINITE), LeftOut(SAMPLED, n_sampled_out))
        known = dict.fromkeys((*rows.all_columns, *beside.columns))
        unused = tuple(each for each in known if each not in used)
        most = limits.text_characters
        return VectorSet(
            name=title.stem,
            vectors=vectors,
            texts=None if texts is None else tuple(text[:most] for text in texts),
            labels=None if labels is None else tuple(each.strip()[:most] for each in labels),
            label_column=None if labels is None else chosen.label,
            ids=None if names_of_rows is None else tuple(names_of_rows),
            columns=columns,
            report=report,
            numbers=None if len(vectors) == report.n_rows else numbers,
            account=Account(
                rows_in_file=report.n_rows,
                rows_read=len(vectors),
                left_out=tuple(each for each in left_out if each.n),
                columns_used=tuple(dict.fromkeys(used)),
                columns_left_out=unused,
                column_reasons=tuple(CODES if each in rows.ids else UNCHOSEN for each in unused),
            ),
        )


def preview_vector_set(
    source: Source,
    rows: int = 8,
    *,
    metadata: Source | None = None,
    name: str | None = None,
    metadata_name: str | None = None,
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> VectorPreview:
    """The first rows of a file of vectors, and which columns look like vectors, texts and labels.

    Parameters
    ----------
    source : path, bytes or seekable binary file
    metadata : path, bytes or binary file, optional
    name : str, optional
    metadata_name : str, optional
    reading : Reading
    limits : Limits
        All as in ``read_vector_set``.
    rows : int
        In the result at most.
    """
    with opened_rows(source, name, Hints("", reading, limits)) as (found, _):
        beside = _metadata(metadata, metadata_name, found, limits)
        chosen = _choice(found, beside)
        columns = tuple(dict.fromkeys((*beside.columns, *found.columns)))
        shown = columns[:_SHOWN_COLUMNS]
        of_file = tuple(each for each in shown if each not in beside.columns)
        wanted = ChosenColumns(chosen.vector, keeps_missing=True, others=of_file)
        none = Block(np.empty((0, 0), dtype=np.float32))
        first = next(as_numbers(found, wanted, reading), none)
        vectors = first.vectors[:rows]
        m = len(vectors)
        cells = {each: beside.column(each, np.arange(1, m + 1)) for each in beside.columns}
        for column, found_cells in zip(of_file, first.beside[CHOSEN:], strict=False):
            cells[column] = (found_cells or [])[:m]
        return VectorPreview(
            format=found.format,
            vectors=vectors,
            columns=columns,
            rows=tuple(zip(*(cells[name] for name in shown if m), strict=True)),
            vector_columns=found.vector_columns,
            dimension_columns=found.dimension_columns,
            suggested_text_column=chosen.text,
            suggested_label_column=named(columns, LABEL_NAMES) or next(iter(_labels(found)), None),
            suggested_id_column=named(columns, ID_NAMES),
            n_rows=found.n_rows,
            has_header=found.has_header,
            encoding=found.encoding,
        )


def vector_blocks(
    source: Source,
    *,
    name: str | None = None,
    vector_column: str | Sequence[str] | None = None,
    not_finite: NotFinite = "stop",
    reading: Reading = AS_FOUND,
    limits: Limits = LIMITS,
) -> Iterator[np.ndarray]:
    """The vectors of a file as float32 arrays of some thousand rows, for ``partial_fit``.

    Parameters
    ----------
    source : path, bytes or seekable binary file
    name : str, optional
    vector_column : str or sequence of str, optional
    reading : Reading
    limits : Limits
    not_finite : str
        All as in ``read_vector_set``; "stop" raises at the first block with NaN or infinity.
    """
    with opened_rows(source, name, Hints("", reading, limits, keeps_all=False)) as (rows, _):
        vector = rows.vector_choice(vector_column, ())
        chosen = ChosenColumns(vector, keeps_missing=not_finite == "drop")
        start = 1
        for block in as_numbers(rows, chosen, reading):
            finite = np.isfinite(block.vectors).all(axis=1)
            if not_finite == "stop" and not finite.all():
                bad = np.flatnonzero(~finite) + start
                rows_named = tuple(map(str, bad[:MOST_NAMED]))
                raise VectorFileError("not_finite", n=len(bad), rows=rows_named)
            start += len(block.vectors)
            yield block.vectors[finite]


class _Metadata(NamedTuple):
    """A table with one row for each vector, in the same order; an empty row has fewer cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str, numbers: np.ndarray) -> list[str]:
        place = self.columns.index(name)
        rows = (self.rows[number - 1] for number in numbers.tolist())
        return [row[place] if place < len(row) else "" for row in rows]


def _metadata(
    source: Source | None, name: str | None, vectors: RowSource, limits: Limits
) -> _Metadata:
    """The rows of a .tsv, .csv or .txt file beside vectors; with one row more it has a header."""
    if source is None:
        return _Metadata()
    n = vectors.n_rows
    if n is None:
        every = vectors.blocks(ChosenColumns(vectors.vector_choice(None, ()), keeps_missing=True))
        n = sum(len(block.vectors) for block in every)
    file = read_text_file(source, name=name, limits=limits)
    is_csv = (Path(name or "").suffix.lower() or file.suffix) == ".csv"
    # an empty row is a row, so that there may be as many lines as for so many texts
    within = limits.but(rows=n)
    newline = "" if is_csv else "\n"
    lines = partial(lines_of, file.text, within, newline=newline, most=limits.line_characters)
    start = file.text.lstrip()
    parts = (start.partition("\n")[0], start)
    if start.startswith(('{"', "[{")) and not all(isinstance(loads(each), str) for each in parts):
        raise VectorFileError("json_metadata")
    tabbed = (line.removesuffix("\n").removesuffix("\r").split("\t") for line in lines())
    reader = csv.reader(lines(), delimiter=_delimiter(lines, n)) if is_csv else tabbed
    rows: list[tuple[str, ...]] = []
    n_rows = n_cells = width = 0
    for line, row in enumerate(reader, start=1):
        width = width or max(1, len(row))
        if width > limits.columns:
            raise VectorFileError("too_many_metadata_columns", limit=limits.columns)
        if len(row) != width and any(row):
            raise VectorFileError("uneven_metadata", line=line, n=len(row), expected=width)
        if line > n + 1 and not any(row):  # perhaps the end of the file
            continue
        n_rows = line
        n_cells += len(row)
        if n_rows <= n + 1:
            refuse_too_many_cells(n_cells)
            rows.append(tuple(cell.strip() for cell in row))
    if not rows:
        n_rows, width, rows = 1, 1, [("",)]
    has_header = n_rows == n + 1
    shown = _shows_header(rows)
    if n_rows not in (n, n + 1) or (has_header and shown is False):
        raise VectorFileError("metadata_rows", n=n_rows, n_vectors=n)
    if shown and not has_header:
        first = ", ".join(rows[0][:5])
        raise VectorFileError("metadata_header", row=first, n=n_rows - 1, n_vectors=n)
    names = (ONLY,) if width == 1 else ("",) * width
    if has_header:
        names = rows.pop(0)
    return _Metadata(unique_names(names), tuple(rows))


def _delimiter(lines: Callable[[], Iterator[str]], n: int) -> str:
    """A comma that makes rows equally wide, or a column of n texts; else what the lines show."""
    rows = [row for row in csv.reader(lines()) if row]
    widths = {*map(len, rows)}
    has_others = len(rows) > n or any("\t" in row[0] for row in rows)
    if len(widths) > 1 or (widths == {1} and has_others):
        with suppress(CorpusError):  # nobody can choose the delimiter
            how = Reading(quoting="quoted", header=False, decimal=".")
            return dialect_of(lines, reading=how).delimiter
    return ","


def _shows_header(rows: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first row can only be a header (True), can only be data, or shows neither."""
    first = rows[0]
    body = [row for row in rows[1:] if len(row) == len(first)]
    columns = [[row[place] for row in body] for place in range(len(first))]
    above = [cell for cell, cells in zip(first, columns, strict=True) if mostly_numbers(cells)]
    if any(cell and not is_number(cell) for cell in above):
        return True
    if any(map(is_number, above)):
        return False
    if any(cell and cell in cells for cell, cells in zip(first, columns, strict=True)):
        return False
    names = {*TEXT_NAMES, *LABEL_NAMES}
    return True if len(first) > 1 and names.issuperset(map(str.casefold, first)) else None


def _labels(rows: RowSource) -> list[str]:
    """Columns beside the vectors that are labels by their content."""
    beside = (name for name in rows.columns if name not in (*rows.ids, *rows.vector_columns))
    return [each for each in beside if each in rows.labels and named([each], TEXTS) is None]


def _choice(
    rows: RowSource,
    beside: _Metadata,
    vector: str | Sequence[str] | None = None,
    text: str | None = None,
    label: str | None = None,
    ids: str | None = None,
) -> ChosenColumns:
    """The columns, checked; the text's by its usual names if none is given."""
    columns = (*beside.columns, *rows.columns)
    if ids is None and rows.has_header is False and len(rows.ids) == 1:
        [ids] = rows.ids  # which no usual name can show
    if text is None:
        text = named(columns, TEXTS)
        only = beside.columns or (() if rows.has_header else rows.columns)
        taken = (*rows.ids, *_labels(rows), label, ids)  # equal labels are no copies of a text
        only = tuple(column for column in only if column not in taken)
        if text is None and rows.format not in ("npz", "safetensors", "hdf5") and len(only) == 1:
            (text,) = only
        text = None if text in (label, ids) else text
    for column in (text, label, ids):
        if column in rows.others:
            raise VectorFileError("unreadable_column", column=column)
        if column:
            refuse_unknown(column, (*columns, *rows.dimension_columns))
    text, label = text or None, label or None
    # a column of the metadata may have the name of a dimension
    used = [column for column in (text, label, ids) if column not in beside.columns]
    return ChosenColumns(rows.vector_choice(vector, used), text, label, ids)
