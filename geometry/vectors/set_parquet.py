"""Vectors of Parquet, Arrow and HDF5, decoded by a process with limits: this one, or another.

A table has a column of lists, or one column a dimension. h5py is an extra.
"""

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..data.decode import ARROW, ARROW_STREAM, HDF5, PARQUET
from ..data.limits import MEGABYTE, Limits
from ..data.parquet_table import BATCH_ROWS, StoredTable, process_limits, storage, text_of
from ..data.recognise import is_label, is_of_lists
from ..process import Process, ProcessEnded, is_limited
from . import row_source
from .errors import VectorFileError, refuse_dimensions
from .foreign import SPARSE_HDF5, refuse_foreign
from .row_source import Block, ChosenColumns, Hints, RowSource
from .set_tables import numbers_of_list

FOR_SECONDS = 20 * MEGABYTE  # bytes of a file that may take the limit of seconds; more take more
FIRST_ROWS, FIRST_COLUMNS = 20, 50  # by which ids are recognised
LONG_TEXT = 40  # characters; a column with a longer mean is no category
SOME_ROWS = 1_000  # rows among which the first vector is looked for
# Types of Arrow
LISTS = ("list", "large_list", "fixed_size_list")
NUMBERS = ("floating", "integer", "decimal")
STRINGS = ("string", "large_string", "string_view")
BYTES = ("binary", "large_binary", "fixed_size_binary")
KINDS = {"parquet": "Parquet table", "arrow": "Arrow table", "hdf5": "HDF5 file"}
# Places where HDF5 may begin
_PLACES = (0, 512, 1024, 2048)
_CACHE = 64 << 20  # bytes of chunks that are kept, since a block may cross several
_FAULTS = (OSError, RuntimeError, ValueError, KeyError, TypeError)  # of h5py, on a damaged file
_SPARSE = {"data", "indices", "indptr"}  # datasets of a group


def _are_long(cells: Sequence[str]) -> bool:
    filled = [len(cell) for cell in cells if cell.strip()]
    return bool(filled) and sum(filled) > LONG_TEXT * len(filled)


# Makes an object with the ``facts`` and the ``blocks`` of a ``RowSource``
MakeTable = Callable[[str | BinaryIO, Limits], Any]


def open_stored(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a table: Parquet, or Arrow as a file (Feather's form too) or a stream."""
    name = "parquet" if file.read(len(PARQUET)) == PARQUET else "arrow"
    return _opened_apart(partial(_Columns, name=name), name, file, hints)


def is_arrow(head: bytes, suffix: str) -> bool:
    """Whether a file begins as an Arrow file, or as a stream: with a mark and a length."""
    length = int.from_bytes(head[4:8], "little")
    is_stream = head.startswith(ARROW_STREAM) and 0 < length < 1 << 24 and length % 8 == 0
    return head.startswith(ARROW) or is_stream


def is_hdf5(head: bytes, suffix: str) -> bool:
    return any(head.startswith(HDF5, place) for place in _PLACES)


def open_hdf5(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one dataset; datasets of one axis are texts and labels."""
    return _opened_apart(_Hdf5Table, "hdf5", file, hints)


def _opened_apart(make: MakeTable, name: str, file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a table that a process with limits decodes; ``make`` can be pickled."""
    limits = hints.limits
    allowed = None if is_limited() else process_limits(limits)
    if allowed is None:
        table = make(file, limits)
        return RowSource(name, table.blocks, **table.facts)
    parts = max(1.0, file.seek(0, os.SEEK_END) / FOR_SECONDS)
    process = Process(allowed._replace(cpu_seconds=parts * allowed.cpu_seconds))

    def ask(call: Callable[[], Any]) -> Any:
        process.start(call)
        try:
            return process.answer()
        except MemoryError as error:
            raise VectorFileError("unpacked_set", limit=limits.table_bytes) from error
        except ProcessEnded as error:
            if not error.too_slow:
                raise _damaged(name) from error
            raise VectorFileError("too_slow", limit=limits.seconds) from error

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        block = ask(partial(_next_apart, chosen))
        while block is not None:
            yield block
            block = ask(partial(_next_apart, None))

    try:
        facts = ask(partial(_open_apart, make, _path_or_content(file), limits))
    except BaseException:
        process.end()
        raise
    return RowSource(name, blocks, close=process.end, **facts)


def _damaged(name: str) -> VectorFileError:
    return VectorFileError("damaged_file", kind=KINDS[name])


# ---- in the process, which has one table ----

_table: Any
_blocks: Iterator[Block]


def _open_apart(make: MakeTable, source: str | bytes, limits: Limits) -> dict[str, Any]:
    global _table
    _table = make(io.BytesIO(source) if isinstance(source, bytes) else source, limits)
    return _table.facts


def _next_apart(chosen: ChosenColumns | None) -> Block | None:
    """The next block; the first one where the columns are chosen."""
    global _blocks
    if chosen is not None:
        _blocks = _table.blocks(chosen)
    return next(_blocks, None)


def _path_or_content(file: BinaryIO) -> str | bytes:
    with suppress(OSError, ValueError, TypeError, AttributeError):  # it is in memory, or was moved
        if os.path.samestat(os.fstat(file.fileno()), Path(file.name).stat()):
            return str(Path(file.name).resolve())
    file.seek(0)
    return file.read()


class _Columns:
    def __init__(self, source: str | BinaryIO, limits: Limits, name: str) -> None:
        import pyarrow as pa
        from pyarrow import types

        self._limits, self._name = limits, name
        content = source.getvalue() if isinstance(source, io.BytesIO) else source
        with _own_error(name):
            self._table = StoredTable(content)
        kinds = self._kinds = self._table.kinds
        refuse_dimensions(len(kinds), limits.dimensions, beside=limits.columns)
        lists = [name for name, kind in kinds.items() if _is_vector(kind)]
        blank = [name for name, kind in kinds.items() if types.is_null(kind)]
        numbers = [name for name, kind in kinds.items() if _is_one(NUMBERS, kind)]
        columns = [name for name, kind in kinds.items() if not types.is_nested(storage(kind))]
        strings = [name for name in columns if _is_text(kinds[name])]
        tried = [each for each in columns if each in strings or types.is_integer(kinds[each])]
        tried = tried[:FIRST_COLUMNS]
        with _own_error(name):
            batch = next(self._table.batches(tried, FIRST_ROWS), None) if tried else None
            taken = tried if batch is not None else []
            first = {each: self._table.column(batch, each).to_pylist() for each in taken}
        texts = {name: [*map(text_of, cells)] for name, cells in first.items() if name in strings}
        # columns of lists that are written as texts
        self._written = {name for name, cells in texts.items() if is_of_lists(cells)}
        if not lists:
            lists = [name for name in columns if name in self._written]
            kinds |= dict.fromkeys(lists, pa.list_(pa.float32()))
            columns = [name for name in columns if name not in lists]
            strings = [name for name in strings if name not in lists]
        ids = tuple(name for name, cells in first.items() if row_source.is_id(name, cells))
        dimensions = () if lists else row_source.dimensions_among(numbers, ids, blank)
        if not lists:
            self._refuse_other_lists(dimensions)
            row_source.refuse_coded(first)
        self.facts: dict[str, Any] = {
            "n_rows": self._table.n_rows,
            "columns": tuple(columns),
            "vector_columns": row_source.likeliest_first(lists),
            "dimension_columns": dimensions,
            "ids": ids,
            "labels": tuple(name for name in strings if is_label(texts.get(name, ()))),
            "strings": tuple(strings),
            "long": tuple(name for name in strings if _are_long(texts.get(name, ()))),
            "others": tuple(name for name in kinds if name not in (*lists, *columns)),
        }

    def blocks(self, chosen: ChosenColumns) -> Iterator[Block]:
        vector = chosen.vector
        names = chosen.vector_names
        beside = [each for each in chosen.beside if each is not None]
        self._row = 1  # the first of a batch, for errors
        with _own_error(self._name):
            is_list = isinstance(vector, str) and _is_vector(self._kinds[vector])
            width = self._width(names[0]) if is_list else len(names)
            for batch in self._table.batches([*names, *beside], row_source.rows_a_block(width)):
                columns = [self._column(batch, name) for name in names]
                if is_list:
                    rows = _of_lists(columns[0], width, self._row, chosen.keeps_missing)
                else:
                    rows = np.stack([*map(_numbers, columns)], axis=1)
                yield Block(rows, chosen.cells(partial(self._texts, batch)))
                self._row += len(rows)

    def _texts(self, batch: Any, name: str) -> list[str]:
        """Cells as texts, a few at a time, since rows may share a long text."""
        column = self._column(batch, name)
        texts = []
        for start in range(0, len(column), BATCH_ROWS):
            some = column.slice(start, BATCH_ROWS).to_pylist()
            texts += [text_of(each)[: self._limits.text_characters] for each in some]
        return texts

    def _column(self, batch: Any, name: str) -> Any:
        import pyarrow as pa

        column = self._table.column(batch, name)
        if name in self._written and _is_vector(self._kinds[name]):
            cells = enumerate(column.to_pylist(), self._row)
            numbers = [numbers_of_list(text_of(cell), name, row) for row, cell in cells]
            return pa.array([each or None for each in numbers], self._kinds[name])
        return column

    def _width(self, name: str) -> int:
        """Numbers of the first vector in a column of lists; at least 1.

        The file states it too, but pyarrow ends the whole program where that statement is damaged.
        """
        width = int(getattr(storage(self._kinds[name]), "list_size", 0))
        if not width:
            first = islice(self._table.batches([name], 1), 1)  # one row may be large
            batches = chain(first, self._table.batches([name], SOME_ROWS))
            lengths = (_lengths(self._column(batch, name)) for batch in batches)
            width = int(next(filter(None, chain.from_iterable(lengths)), 0))
        refuse_dimensions(width, self._limits.dimensions)
        return max(1, width)

    def _refuse_other_lists(self, dimensions: tuple[str, ...]) -> None:
        stems = {each and each[1] for each in map(row_source.RUNNING.fullmatch, dimensions)}
        if len(dimensions) > 1 and len(stems) == 1 and None not in stems:
            return  # they differ in a number at their end only
        for name in row_source.likeliest_first(list(self._kinds)):
            kind = leaf = storage(self._kinds[name])
            while _is_one(LISTS, leaf):
                leaf = storage(leaf.value_type)
            is_named = name.casefold() in row_source.VECTOR_NAMES
            may_be = is_named or not dimensions or _is_one(NUMBERS, leaf)
            is_list = may_be and _is_one(LISTS, kind)
            if is_list or (is_named and _is_one(BYTES, kind)):
                found = {"column": name, "kind_of_column": str(kind)}
                raise VectorFileError("other_lists" if is_list else "binary_vectors", **found)


class _Hdf5Table:
    def __init__(self, source: str | BinaryIO, limits: Limits) -> None:
        try:
            import h5py
        except ImportError as error:
            raise VectorFileError("missing_h5py") from error
        self._limits = limits
        self._sets: dict[str, Any] = {}
        sparse = False

        def take(name: str, found: Any) -> object:
            nonlocal sparse
            if isinstance(found, h5py.Group):
                sparse = sparse or set(found) >= _SPARSE
            # the numbers of others would be read from further files of this machine
            elif not found.external and not found.is_virtual:
                self._sets[name] = found
            return True if len(self._sets) > limits.dimensions + limits.columns else None

        try:
            # by a file that is open: HDF5 itself would open further files beside a path
            file = open(source, "rb") if isinstance(source, str) else source  # noqa: SIM115, PTH123
            self._file = h5py.File(file, "r", rdcc_nbytes=_CACHE)
            if self._file.visititems(take):  # passes over links to other files
                refuse_dimensions(len(self._sets), limits.dimensions)
            kinds: dict[str, tuple[Any, str]] = {}
            for name, each in self._sets.items():
                shape = each.shape or ()
                kind = each.dtype.kind if all(shape) else ""  # a dataset without rows is no table
                kinds[name] = (shape, "S" if h5py.check_string_dtype(each.dtype) else kind)
        except VectorFileError:
            raise
        except _FAULTS as error:
            raise _damaged("hdf5") from error
        self._strings = [name for name, (_, kind) in kinds.items() if kind == "S"]
        if sparse and not row_source.tables_among(kinds):
            refuse_foreign(SPARSE_HDF5)
        lone = [name for name, (shape, _) in kinds.items() if len(shape) == 1]
        columns = [name for name in lone if kinds[name][1] in ("S", "f", "i", "u")]
        self.facts = row_source.facts_of_arrays(kinds, columns)
        first = {name: self._cells(slice(FIRST_ROWS), name).tolist() for name in columns}
        self.facts["ids"] = tuple(name for name in columns if row_source.is_id(name, first[name]))
        self.facts["strings"] = tuple(name for name in columns if name in self._strings)

    def blocks(self, chosen: ChosenColumns) -> Iterator[Block]:
        name = str(chosen.vector)
        n, d = self._sets[name].shape
        for column in chosen.beside:
            if column is not None and (m := len(self._sets[column])) != n:
                raise VectorFileError("column_length", column=column, n=m, n_vectors=n)
        step = row_source.rows_a_block(d)
        for start in range(0, n, step):
            part = slice(start, start + step)
            yield Block(self._cells(part, name), chosen.cells(partial(self._texts, part)))

    def _texts(self, rows: slice, name: str) -> list[str]:
        most = self._limits.text_characters
        return [str(cell)[:most] for cell in self._cells(rows, name).tolist()]

    def _cells(self, rows: slice, name: str) -> np.ndarray:
        found = self._sets[name]
        try:
            if name in self._strings:
                found = found.asstr("utf-8", "replace")
            return np.asarray(found[rows])
        except _FAULTS as error:
            raise _damaged("hdf5") from error


@contextmanager
def _own_error(name: str) -> Iterator[None]:
    """Turn pyarrow's errors into "damaged_file"; without memory they are MemoryErrors."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise _damaged(name) from error


def _is_one(names: Sequence[str], kind: Any) -> bool:
    """Whether a type is one of these, such as "list" for ``pyarrow.types.is_list``."""
    from pyarrow import types

    return any(getattr(types, f"is_{name}")(kind) for name in names)


def _is_vector(kind: Any) -> bool:
    shape = getattr(kind, "shape", None)  # of an extension of tensors
    is_flat = shape is None or len(shape) == 1
    kind = storage(kind)
    return is_flat and _is_one(LISTS, kind) and _is_one(NUMBERS, kind.value_type)


def _is_text(kind: Any) -> bool:
    return _is_one(STRINGS, kind.value_type if _is_one(["dictionary"], kind) else kind)


def _numbers(column: Any) -> np.ndarray:
    import pyarrow as pa

    kind = column.type
    if not (_is_one(NUMBERS, kind) or pa.types.is_null(kind)):
        raise VectorFileError("no_numbers", kind_of_column=str(kind))
    if column.null_count or not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        column = column.cast(pa.float64())
    return _array(column)


def _lengths(column: Any) -> np.ndarray:
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column)
    return _array(lengths.fill_null(0) if lengths.null_count else lengths)


def _array(column: Any) -> np.ndarray:
    if column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))  # imports pandas, which takes .4 s
    return np.from_dlpack(column)


def _of_lists(column: Any, width: int, first: int, keeps_missing: bool) -> np.ndarray:
    """(m, width) numbers of a column of lists; rows of NaN where there is none."""
    lengths = _lengths(column)
    missing = lengths == 0
    if missing.any() and not keeps_missing:
        raise VectorFileError("no_vector_in_row", row=first + int(missing.argmax()))
    other = (lengths != width) & ~missing
    if other.any():
        place = int(other.argmax())
        n = int(lengths[place])
        raise VectorFileError("ragged_vector", row=first + place, n=n, expected=width)
    numbers = _numbers(column.flatten()).reshape(-1, width)
    if not missing.any():
        return numbers
    rows = np.full((len(lengths), width), np.nan)
    rows[~missing] = numbers
    return rows
