"""Vectors of .npy, .npz, .safetensors and .fvecs, by blocks of rows; nothing is unpickled."""

import io
import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from ..data.decode import refuse_halves
from ..data.table_files import SHEETS, opened_zip
from . import row_source
from .errors import VectorFileError, refuse_unpacked
from .foreign import EXCEL, SPARSE, TORCH, refuse_foreign
from .row_source import Block, ChosenColumns, Hints, RowSource

LONGEST_HEADER = 16 << 20  # bytes of JSON, which takes some twenty times as much memory
LONGEST_DIRECTORY = 1 << 20  # bytes, of the list of an archive's members
# safetensors' names of types; bfloat16 is the upper half of a float32
_FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
_TYPES = {
    **_FLOATS, "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U64": "<u8", "U32": "<u4",
    "U16": "<u2", "U8": "|u1",
}  # fmt: skip
_KINDS = dict.fromkeys(_TYPES, "i") | dict.fromkeys(_FLOATS, "f")
PASSED_OVER = 5  # times the limit of bytes in memory that may be read for a sample
_SPARSE = ({"indices", "indptr", "data"}, {"row", "col", "data"}, {"offsets", "data"})
_SMALLEST = 1e-30  # of floats; 32-bit numbers of rows, read as floats, are smaller
Header = tuple[tuple[int, ...], bool, np.dtype[Any]]  # shape, whether columns follow, type
Read = Callable[[int], bytes]


def open_npy(file: BinaryIO, hints: Hints) -> RowSource:
    shape, is_fortran, dtype = _npy_header(file)
    _refuse_array(shape, dtype)
    table = _mapped(file, shape, dtype, "NumPy array", "F" if is_fortran else "C")
    return RowSource("npy", lambda chosen: _blocks(table), n_rows=shape[0])


def open_npz(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one array of an archive, with arrays of texts and labels beside it."""
    limits = hints.limits
    file.seek(0)
    if b".npy" not in file.read(row_source.HEAD) and not zipfile.is_zipfile(file):
        from .formats import no_vectors  # which lists this reader

        raise no_vectors(of_words=hints.of_words)
    try:
        archive = opened_zip(file, LONGEST_DIRECTORY)
    except (zipfile.BadZipFile, ValueError) as error:
        raise VectorFileError("damaged_file", kind="NumPy archive") from error
    all_names = archive.namelist()
    arrays = [each for each in archive.infolist() if each.filename.endswith(".npy")]
    members = {each.filename.removesuffix(".npy"): each.file_size for each in arrays}
    if any(name.endswith("data.pkl") for name in all_names):
        refuse_foreign(TORCH)
    if SHEETS in all_names:
        refuse_foreign(EXCEL)
    if "shape" in members and any(each <= members.keys() for each in _SPARSE):
        refuse_foreign(SPARSE)
    if not members:
        raise VectorFileError("no_arrays", members=tuple(all_names))
    most = limits.table_bytes * (1 if hints.keeps_all else PASSED_OVER)
    refuse_unpacked(sum(members.values()), most, of_words=hints.of_words)
    headers: dict[str, Header] = {}
    for name in members:
        with _member(archive, name) as (header, _):
            headers[name] = header
    kinds = {name: (shape, dtype.kind) for name, (shape, _, dtype) in headers.items()}
    pickled = [name for name, (_, _, dtype) in headers.items() if dtype.hasobject]
    if pickled and not row_source.tables_among(kinds):
        raise VectorFileError("pickled_array")
    columns = [name for name in headers if len(headers[name][0]) == 1 and name not in pickled]

    def texts(n: int, name: str) -> list[str]:
        with _member(archive, name) as ((shape, _, dtype), read):
            if shape != (n,):
                raise VectorFileError("column_length", column=name, n=shape[0], n_vectors=n)
            size = _n_bytes(shape, dtype)
            refuse_unpacked(size + n * row_source.BESIDE_A_WORD, limits.table_bytes)
            found = np.frombuffer(read(size), dtype).tolist()
        return _whole(_decoded(each, hints) for each in found)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        name = str(chosen.vector)
        shape, is_fortran, dtype = headers[name]
        _refuse_array(shape, dtype)
        n, d = shape
        beside = chosen.cells(partial(texts, n))
        step = n if is_fortran else row_source.rows_a_block(d)
        most = limits.table_bytes
        if is_fortran and _n_bytes(shape, dtype) > most:
            raise VectorFileError("too_many_bytes", n=n, d=d, needed=4 * n * d, limit=most)
        with _member(archive, name) as (_, read):
            for start in range(0, n, step):
                rows = slice(start, min(n, start + step))
                size = (rows.stop - start) * d * dtype.itemsize
                if len(content := read(size)) < size:
                    raise VectorFileError("damaged_file", kind="NumPy array")
                part = np.frombuffer(content, dtype)
                part = part.reshape(d, n).T if is_fortran else part.reshape(-1, d)
                yield from _blocks(part, [each and each[rows] for each in beside])

    def first(name: str) -> list[Any]:
        with _member(archive, name) as ((shape, _, dtype), read):
            n = min(shape[0], 10_000 // max(1, dtype.itemsize))
            found = np.frombuffer(read(n * dtype.itemsize), dtype).tolist() if n else []
        return [_decoded(each, hints) if isinstance(each, bytes) else each for each in found]

    return RowSource(
        "npz",
        blocks,
        **row_source.facts_of_arrays(kinds, columns),
        ids=tuple(name for name in columns if row_source.is_id(name, first(name))),
        strings=tuple(name for name in columns if kinds[name][1] in "US"),
    )


def is_safetensors(head: bytes, suffix: str) -> bool:
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 30


def open_safetensors(file: BinaryIO, hints: Hints) -> RowSource:
    """The rows of one tensor; texts are a uint8 tensor or metadata: lines, or a JSON list."""
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
    lines = [name for name, (shape, kind, _) in tensors.items() if kind == "U8" and len(shape) == 1]
    kinds = {name: (shape, _KINDS.get(kind, "")) for name, (shape, kind, _) in tensors.items()}

    def column(n: int, name: str) -> list[str]:
        if name in metadata:
            return _texts_of(str(metadata[name]), name, n, hints)
        (found,), _, at = tensors[name]
        file.seek(8 + length + at)
        return _texts_of(_decoded(file.read(found), hints), name, n, hints)

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        shape, kind, at = tensors[str(chosen.vector)]
        dtype = np.dtype(_TYPES[kind])
        _refuse_array(shape, dtype)
        columns = chosen.cells(partial(column, shape[0]))
        file.seek(8 + length + at)
        for block in _blocks(_mapped(file, shape, dtype, "safetensors file"), columns):
            if kind == "BF16":
                rows = (block.vectors.astype(np.uint32) << 16).view(np.float32)
                block = Block(rows, block.beside)
            yield block

    facts = row_source.facts_of_arrays(kinds, [*lines, *metadata])
    return RowSource("safetensors", blocks, **facts)


def vecs_type(head: bytes, suffix: str) -> str | None:
    """The type of the numbers of .fvecs, .ivecs or .bvecs, whose rows begin with their length."""
    d = int.from_bytes(head[:4], "little")
    for dtype in ("|u1", "<f4"):  # three records of 8 bytes are one of 8 floats
        width = 4 + d * np.dtype(dtype).itemsize
        n = len(head) // width
        if not 0 < d < 1 << 16 or n < (1 if suffix in (".fvecs", ".bvecs", ".ivecs") else 2):
            continue
        rows = np.frombuffer(head, np.uint8, n * width).reshape(n, width)
        if (np.ascontiguousarray(rows[:, :4]).view("<i4") != d).any():
            continue
        numbers = np.ascontiguousarray(rows[:, 4:]).view(dtype)
        if dtype == "<f4" and numbers.any() and not (np.abs(numbers) > _SMALLEST).any():
            return "<i4"
        return dtype
    return None


def open_vecs(file: BinaryIO, hints: Hints) -> RowSource:
    head = file.read(row_source.HEAD)
    dtype = np.dtype(vecs_type(head, hints.suffix))
    d = int.from_bytes(head[:4], "little")
    if dtype.kind == "i":
        raise VectorFileError("row_numbers")
    width = 4 + d * dtype.itemsize
    n, rest = divmod(file.seek(0, os.SEEK_END), width)
    if rest:
        raise VectorFileError("damaged_file", kind="fvecs file")
    file.seek(0)
    records = _mapped(file, (n, width), np.dtype(np.uint8), "fvecs file")

    def blocks(chosen: ChosenColumns) -> Iterator[Block]:
        for block in _blocks(records):
            counts = np.ascontiguousarray(block.vectors[:, :4]).view("<i4")
            if (counts != d).any():
                raise VectorFileError("damaged_file", kind="fvecs file")
            yield Block(np.ascontiguousarray(block.vectors[:, 4:]).view(dtype))

    return RowSource("fvecs", blocks, n_rows=n)


def _npy_header(file: Any) -> Header:
    """(shape, whether columns follow each other, type) of an array, read without unpickling."""
    from numpy.lib import format as npy

    try:
        version = npy.read_magic(file)
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise VectorFileError("npy_version", version=".".join(map(str, version)))
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, is_fortran, dtype = read(file)
    except VectorFileError:
        raise
    except (ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise VectorFileError("damaged_file", kind="NumPy array") from error
    return shape, is_fortran, dtype


def _refuse_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if dtype.hasobject:
        raise VectorFileError("pickled_array")
    if dtype.kind == "c":
        raise VectorFileError("complex_array", dtype=str(dtype))
    if dtype.kind == "b":
        raise VectorFileError("bool_array")
    if len(shape) != 2 or dtype.kind not in "fiu" or not all(shape):
        raise VectorFileError("other_array", shape=" × ".join(map(str, shape)), dtype=str(dtype))


def _n_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return dtype.itemsize * math.prod(shape)


def _mapped(
    file: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], kind: str, order: Any = "C"
) -> np.ndarray:
    """The array at the place of an open file; on disk, its parts are read when they are used."""
    start = file.tell()
    n_bytes = _n_bytes(shape, dtype)
    if file.seek(0, os.SEEK_END) < start + n_bytes:
        raise VectorFileError("damaged_file", kind=kind)
    if isinstance(file, io.BytesIO):
        flat = np.frombuffer(file.getbuffer(), dtype, math.prod(shape), start)
        return flat.reshape(shape, order=order)
    with suppress(OSError, ValueError, AttributeError):  # it is not on disk
        return np.memmap(file, dtype, "r", start, shape, order)
    file.seek(start)
    return np.frombuffer(file.read(n_bytes), dtype).reshape(shape, order=order)


def _blocks(
    table: np.ndarray, columns: Sequence[list[str] | None] = (None, None, None)
) -> Iterator[Block]:
    """The rows with their parts of texts, labels and ids."""
    step = row_source.rows_a_block(table.shape[1])
    for start in range(0, len(table), step):
        rows = slice(start, start + step)
        yield Block(table[rows], [each and each[rows] for each in columns])


@contextmanager
def _member(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[Header, Read]]:
    """The header of an array and the ``read`` of what follows; faults become VectorFileError."""
    try:
        with archive.open(f"{name}.npy") as file:
            yield _npy_header(file), file.read
    except (VectorFileError, MemoryError):
        raise
    except Exception as error:  # zipfile and what it unpacks with raise almost anything
        raise VectorFileError("damaged_file", kind="NumPy archive") from error


def _decoded(cell: object, hints: Hints) -> str:
    """A cell as text; bytes that do not fit its encoding become U+FFFD."""
    if not isinstance(cell, bytes):
        return str(cell)
    return cell.decode(hints.reading.encoding or "utf-8", "replace")


def _whole(texts: Iterable[str]) -> list[str]:
    """The texts of rows from 1; CorpusError for half of a surrogate pair in one of them."""
    return [refuse_halves(text, row) for row, text in enumerate(texts, start=1)]


def _tensor(stated: dict[str, Any], size: int) -> tuple[tuple[int, ...], str, int]:
    """(shape, type, start) of a tensor; ValueError where it does not fit the file."""
    shape = tuple(map(int, stated["shape"]))
    kind = str(stated["dtype"])
    start, end = map(int, stated["data_offsets"])
    if min(shape, default=0) < 0 or not 0 <= start <= end <= size:
        raise ValueError
    if kind in _TYPES and _n_bytes(shape, np.dtype(_TYPES[kind])) != end - start:
        raise ValueError
    return shape, kind, start


def _texts_of(content: str, name: str, n: int, hints: Hints) -> list[str]:
    """The n texts of lines or of a JSON list."""
    content = content.removesuffix("\n")
    is_listed = content.lstrip()[:1] == "["
    if is_listed or not hints.of_words:  # words are counted when they are taken
        n_parts = sum(map(content.count, "\n,[{"))  # each may become an object
        refuse_unpacked(len(content) + n_parts * row_source.BESIDE_A_WORD, hints.limits.table_bytes)
    found: list[str] | None = None
    if is_listed:
        with suppress(ValueError, RecursionError):  # a first line may begin with a bracket
            found = [str(each) for each in json.loads(content)]
    n_found = content.count("\n") + 1 if found is None else len(found)
    if n_found != n:
        raise VectorFileError("column_length", column=name, n=n_found, n_vectors=n)
    return _whole(content.split("\n") if found is None else found)
