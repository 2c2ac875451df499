"""Vectors of .npy, .npz and .safetensors files, by blocks of rows; nothing is unpickled."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from ..data.decode import refuse_halves
from ..data.limits import Limits
from .errors import VectorFileError, refuse_unpacked, too_large
from .gather import BESIDE_A_WORD
from .row_source import (
    BLOCK_ROWS,
    Block,
    ChosenColumns,
    Hints,
    RowSource,
    likeliest_first,
    rows_a_block,
)
from .word_arrays import LONGEST_HEADER, listed, refuse_long_directory

# safetensors' names of types; bfloat16 is the upper half of a float32
_TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
    "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1",
}  # fmt: skip
Header = tuple[tuple[int, ...], bool, np.dtype[Any]]  # shape, whether columns follow, type
Read = Callable[[int], bytes]


def open_npy(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of a lone array."""
    shape, is_fortran, dtype = _npy_header(file)
    start = file.tell()
    size = file.seek(0, os.SEEK_END) - start
    _refuse_array(shape, dtype)
    if size < _n_bytes(shape, dtype):
        raise VectorFileError("damaged_file", kind="NumPy array")

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        file.seek(start)
        if is_fortran:
            yield from _of_columns(file.read, shape, dtype, hints.limits)
        else:
            yield from _of_rows(file.read, shape, dtype)

    return RowSource("npy", blocks, n_rows=shape[0])


def open_npz(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one array of an archive, with arrays of texts and labels beside it."""
    limits = hints.limits
    refuse_long_directory(file)
    file.seek(0)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError) as error:
        raise VectorFileError("damaged_file", kind="NumPy archive") from error
    members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
    if not members:
        raise VectorFileError("no_vectors", because="no_arrays")
    refuse_unpacked(sum(each.file_size for each in members), limits.table_bytes)
    headers = {
        each.filename.removesuffix(".npy"): _member_header(archive, each) for each in members
    }
    tables = [
        name
        for name, (shape, _, dtype) in headers.items()
        if len(shape) == 2 and dtype.kind in "fiu" and shape[1] > 0
    ]
    if not tables:
        if any(dtype.hasobject for _, _, dtype in headers.values()):
            raise VectorFileError("pickled", because="pickled_array")
        raise VectorFileError("no_vectors", because="no_table", arrays=tuple(headers))
    floats = [name for name in tables if headers[name][2].kind == "f"]
    columns = [name for name, (shape, _, _) in headers.items() if len(shape) == 1]
    order = likeliest_first([*floats, *(name for name in tables if name not in floats)])

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        name = chosen.vector
        shape, is_fortran, dtype = headers[str(name)]
        _refuse_array(shape, dtype)
        columns = [
            None if column is None else _member_texts(archive, column, shape[0], limits)
            for column in (chosen.text, chosen.label)
        ]
        with _member(archive, str(name)) as (_, read):
            way = _of_columns(read, shape, dtype, limits) if is_fortran else None
            yield from _with_columns(way or _of_rows(read, shape, dtype), columns)

    return RowSource(
        "npz",
        blocks,
        n_rows=headers[order[0]][0][0],
        columns=tuple(columns),
        vector_columns=order,
    )


def open_safetensors(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one tensor.

    Texts and labels are a uint8 tensor or an entry of the metadata: lines of UTF-8, or a JSON list.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    if length > min(LONGEST_HEADER, size - 8):
        raise VectorFileError("damaged_file", kind="safetensors file")
    try:
        header = json.loads(file.read(length))
        metadata = dict(header.pop("__metadata__", None) or {})
        names = "".join(map(str, (*header, *metadata, *metadata.values())))
        tensors = {name: _tensor(each, size - 8 - length) for name, each in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VectorFileError("damaged_file", kind="safetensors file") from error
    refuse_halves(names)
    tables = [
        name
        for name, (shape, kind, _) in tensors.items()
        if len(shape) == 2 and shape[1] > 0 and kind in ("F16", "BF16", "F32", "F64")
    ]
    if not tables:
        raise VectorFileError("no_vectors", because="no_table", arrays=tuple(tensors))
    lines = [name for name, (shape, kind, _) in tensors.items() if kind == "U8" and len(shape) == 1]
    order = likeliest_first(tables)

    def column(name: str | None, n: int) -> list[str] | None:
        if name is None:
            return None
        if name in metadata:
            return _texts_of(str(metadata[name]), name, n, hints.limits)
        (found,), _, at = tensors[name]
        file.seek(8 + length + at)
        return _texts_of(file.read(found).decode("utf-8", "replace"), name, n, hints.limits)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        shape, kind, at = tensors[str(chosen.vector)]
        dtype = np.dtype(_TYPES[kind])
        _refuse_array(shape, dtype)
        columns = [column(each, shape[0]) for each in (chosen.text, chosen.label)]
        place = 8 + length + at

        def read(n: int) -> bytes:
            nonlocal place
            file.seek(place)
            place += n
            return file.read(n)

        found = _of_rows(read, shape, dtype)
        if kind == "BF16":
            found = (Block((b.vectors.astype(np.uint32) << 16).view(np.float32)) for b in found)
        yield from _with_columns(found, columns)

    return RowSource(
        "safetensors",
        blocks,
        n_rows=tensors[order[0]][0][0],
        columns=(*lines, *metadata),
        vector_columns=order,
    )


def _npy_header(file: Any) -> Header:
    """(shape, whether columns follow each other, type) of an array, read without unpickling."""
    from numpy.lib import format as npy

    try:
        version = npy.read_magic(file)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(file)
    except (ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise VectorFileError("damaged_file", kind="NumPy array") from error
    return shape, is_fortran, dtype


def _refuse_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise VectorFileError for an array that is no table of numbers."""
    if dtype.hasobject:
        raise VectorFileError("pickled", because="pickled_array")
    if len(shape) != 2 or dtype.kind not in "fiu" or not all(shape):
        raise VectorFileError(
            "no_vectors", because="other_array", shape=" × ".join(map(str, shape)), dtype=str(dtype)
        )


def _n_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return dtype.itemsize * math.prod(shape)


def _of_rows(read: Read, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Iterator[Block]:
    """Blocks of an array whose rows follow each other."""
    n, d = shape
    step = rows_a_block(d)
    for start in range(0, n, step):
        rows = min(step, n - start)
        content = read(rows * d * dtype.itemsize)
        if len(content) < rows * d * dtype.itemsize:
            raise VectorFileError("damaged_file", kind="NumPy array")
        yield Block(np.frombuffer(content, dtype).reshape(rows, d))


def _of_columns(
    read: Read, shape: tuple[int, ...], dtype: np.dtype[Any], limits: Limits
) -> Iterator[Block]:
    """Blocks of an array whose columns follow each other, which is read as a whole."""
    size = _n_bytes(shape, dtype)
    if size > limits.table_bytes:
        raise too_large(shape[0], shape[1], limits.table_bytes)
    content = read(size)
    if len(content) < size:
        raise VectorFileError("damaged_file", kind="NumPy array")
    table = np.frombuffer(content, dtype).reshape(shape[::-1]).T
    for start in range(0, len(table), BLOCK_ROWS):
        yield Block(table[start : start + BLOCK_ROWS])


def _with_columns(blocks: Iterable[Block], columns: Sequence[list[str] | None]) -> Iterator[Block]:
    """The blocks with their parts of texts and labels."""
    place = 0
    for block in blocks:
        rows = slice(place, place + len(block.vectors))
        place = rows.stop
        texts, labels = (None if each is None else each[rows] for each in columns)
        yield Block(block.vectors, texts, labels)


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[Header, Read]]:
    """The header of an array and the ``read`` of what follows; faults become VectorFileError."""
    try:
        with archive.open(f"{name}.npy") as file:
            yield _npy_header(file), file.read
    except VectorFileError:
        raise
    except Exception as error:  # zipfile and what it unpacks with raise almost anything
        if isinstance(error, MemoryError):
            raise
        raise VectorFileError("damaged_file", kind="NumPy archive") from error


def _member_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Header:
    with _member(archive, member.filename.removesuffix(".npy")) as (header, _):
        shape, _is_fortran, dtype = header
    if not dtype.hasobject and _n_bytes(shape, dtype) > member.file_size:
        raise VectorFileError("damaged_file", kind="NumPy archive")
    return header


def _member_texts(archive: zipfile.ZipFile, name: str, n: int, limits: Limits) -> list[str]:
    """One array of n strings or numbers, as texts."""
    with _member(archive, name) as ((shape, _, dtype), read):
        if dtype.hasobject:
            raise VectorFileError("pickled", because="pickled_array")
        if shape != (n,):
            raise VectorFileError("column_length", column=name, n=shape[0], n_vectors=n)
        size = _n_bytes(shape, dtype)
        refuse_unpacked(size + n * BESIDE_A_WORD, limits.table_bytes)
        found = np.frombuffer(read(size), dtype).tolist()
    return _whole(
        each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in found
    )


def _whole(texts: Iterable[str]) -> list[str]:
    """The texts of rows from 1; CorpusError for half of a surrogate pair in one of them."""
    return [refuse_halves(text, row) for row, text in enumerate(texts, start=1)]


def _tensor(stated: dict[str, Any], size: int) -> tuple[tuple[int, ...], str, int]:
    """(shape, type, start) of a tensor; ValueError where it does not fit the file."""
    shape, kind = tuple(int(each) for each in stated["shape"]), str(stated["dtype"])
    start, end = (int(each) for each in stated["data_offsets"])
    if min(shape, default=0) < 0 or not 0 <= start <= end <= size:
        raise ValueError
    if kind in _TYPES and _n_bytes(shape, np.dtype(_TYPES[kind])) != end - start:
        raise ValueError
    return shape, kind, start


def _texts_of(content: str, name: str, n: int, limits: Limits) -> list[str]:
    """The n texts of lines or of a JSON list."""
    n_parts = sum(map(content.count, "\n,[{"))  # each may become an object
    refuse_unpacked(len(content) + n_parts * BESIDE_A_WORD, limits.table_bytes)
    found = listed(content)
    if found is None:
        found = content.removesuffix("\n").split("\n")
    if len(found) != n:
        raise VectorFileError("column_length", column=name, n=len(found), n_vectors=n)
    return _whole(found)
