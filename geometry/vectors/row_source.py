"""A file of vectors as blocks of rows, whatever its format."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data.column_names import LABEL_NAMES, TEXT_NAMES
from ..data.decode import REPLACE
from ..data.limits import LIMITS, Limits
from ..data.recognise import AS_FOUND, Reading, is_number
from ..data.recognise import is_id as tells_rows_apart
from .errors import VectorFileError

VECTOR_NAMES = (
    "vectors", "vec", "vecs", "embeddings", "embedding", "embedding.weight", "weight", "matrix",
    "wv", "x", "train",
)  # fmt: skip
BLOCK_ROWS = 8_192  # rows that are converted at a time
BLOCK_BYTES = 16 << 20  # bytes of vectors in a block
BESIDE_A_WORD = 100  # bytes that lists and sets of words take for each
HEAD = 1 << 20  # first bytes of a file, by which its format and encoding are recognised
TEXTS = (*TEXT_NAMES, "word", "words", "token", "tokens", "name", "names")
# Columns that number the rows
NUMBERED = ("id", "ids", "index", "idx", "row", "#", "unnamed: 0", "")
RUNNING = re.compile(r"(.*?)(\d{1,9})")
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)
# Numbers by which bytes become vectors
_SCALES = re.compile(
    r"(.*[^a-z])?(scale|zero_?point|offset|range|min|max|minimum|maximum|codebook|centroid)s?"
)
# Arrays of a fitted transform, as geometry.export writes them
_OF_TRANSFORM = {"offset", "matrix", "fit_mean", "fit_deviations", "fit_rows"}
FEWEST_BYTES, MOST_BYTES = 64, 1 << 20  # numbers by which packed bits are recognised
EVEN = (0.1, 0.42)  # share of packed bits in each quarter of the values of a byte
LEAST_BASE64, BASE64_ROWS = 16, 10  # characters, and cells that are tried
LEAST_BITS = 8  # digits 0 and 1 of a cell of bits
# Types of numbers, and the usual sizes by which they are known
_BASE64_SIZES = (("<f4", 1e-12, 1e6), ("<f8", 1e-12, 1e6), ("<f2", 1e-4, 16))


@dataclass(frozen=True)
class Block:
    """Some rows: vectors (m, d) of numbers."""

    vectors: np.ndarray
    # m cells each of the columns ``ChosenColumns.beside``, or None
    beside: Sequence[list[str] | None] = (None, None, None)


@dataclass(frozen=True)
class Hints:
    """What a caller says of a file."""

    suffix: str = ""  # of its name, in lower case
    reading: Reading = AS_FOUND
    limits: Limits = LIMITS
    keeps_all: bool = True  # all rows that are read are kept; else an archive may have more
    of_words: bool = False


@dataclass(frozen=True)
class ChosenColumns:
    # A column of whole vectors, or the columns of their dimensions; None for a lone array
    vector: str | tuple[str, ...] | None = None
    text: str | None = None
    label: str | None = None
    id: str | None = None
    keeps_missing: bool = False  # a row without a vector is a row of NaN; else it is an error
    others: tuple[str, ...] = ()

    @property
    def beside(self) -> tuple[str | None, ...]:
        return self.text, self.label, self.id, *self.others

    def cells(self, read: Callable[[str], list[str]]) -> list[list[str] | None]:
        """What a function reads of each column of ``beside``."""
        return [None if name is None else read(name) for name in self.beside]

    @property
    def vector_names(self) -> tuple[str, ...]:
        return (self.vector,) if isinstance(self.vector, str) else self.vector or ()


@dataclass(frozen=True)
class RowSource:
    """A file of vectors that is open."""

    format: str  # as in ``VectorSetReport``
    blocks: Callable[[ChosenColumns], Iterator[Block]]
    n_rows: int | None = None  # None if only reading to the end shows it
    n_stated: int | None = None  # by the header of a file of words, which may be wrong
    # of ``vector_columns`` that may differ
    lengths: Mapping[str, int] = field(default_factory=dict)
    columns: tuple[str, ...] = ()  # those that may be texts or labels
    vector_columns: tuple[str, ...] = ()  # of whole vectors, the likeliest first
    dimension_columns: tuple[str, ...] = ()  # of one number of a vector each
    ids: tuple[str, ...] = ()  # those of ``columns`` that number or name the rows
    labels: tuple[str, ...] = ()  # those that have few different values in the first rows
    strings: tuple[str, ...] = ()  # those of ``columns`` that have texts, where the format tells
    long: tuple[str, ...] = ()  # those of ``strings`` that are too long to name groups of rows
    others: tuple[str, ...] = ()  # those that can't be read
    has_header: bool | None = None  # None where the format has no such choice
    encoding: str | None = None  # of the texts, where it was found from the content
    asks_which: bool = False  # one of several ``vector_columns`` without a usual name is asked for
    close: Callable[[], object] = lambda: None  # ends what reads the file

    @property
    def all_columns(self) -> tuple[str, ...]:
        known = (*self.vector_columns, *self.dimension_columns, *self.columns, *self.others)
        return tuple(dict.fromkeys(known))

    def vector_choice(
        self, wanted: str | Sequence[str] | None, without: Sequence[str | None]
    ) -> str | tuple[str, ...] | None:
        """The column or columns of the vectors: the ``wanted``, or the likeliest of others."""
        known = (*self.vector_columns, *self.columns, *self.dimension_columns)
        if wanted is not None:
            for name in (wanted,) if isinstance(wanted, str) else wanted:
                refuse_unknown(name, known)
            return wanted if isinstance(wanted, str) else tuple(wanted)
        found = self.vector_columns
        if self.asks_which and len(found) > 1 and found[0].casefold() not in VECTOR_NAMES:
            raise VectorFileError("uncertain_vectors", option="path", choices=found)
        if found:
            return found[0]
        if not known:  # a lone array has no name
            return None
        dimensions = tuple(name for name in self.dimension_columns if name not in without)
        if not dimensions:
            raise VectorFileError("no_vector_column", columns=known)
        return dimensions


def refuse_unknown(name: str, known: Sequence[str]) -> None:
    if name not in known:
        details = {"column": name, "columns": tuple(known)}
        raise VectorFileError("unknown_column" if known else "no_columns", **details)


def of_words(words: list[bytes], rows: np.ndarray, chosen: ChosenColumns, hints: Hints) -> Block:
    """A block whose only column has the words; bytes that do not fit become U+FFFD."""
    encoding = (hints.reading.encoding or "utf-8").removesuffix(REPLACE)
    try:
        texts = [word.decode(encoding, "replace") for word in words]
    except LookupError as error:
        raise VectorFileError("unknown_encoding", encoding=encoding) from error
    return Block(rows, chosen.cells(lambda _: texts))


def rows_a_block(d: int) -> int:
    return max(1, min(BLOCK_ROWS, BLOCK_BYTES // (4 * max(1, d))))


def likeliest_first(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those first that vectors usually have, and those of scales last."""
    ranks = {name.casefold(): rank for rank, name in enumerate(VECTOR_NAMES)}
    own = {name: ranks.get(name.casefold().rsplit("/", 1)[-1], len(ranks)) for name in names}
    return tuple(sorted(names, key=lambda name: (is_scale(name), own[name])))


def tables_among(kinds: Mapping[str, tuple[Any, str]]) -> list[str]:
    """Names of arrays, each (shape, letter of NumPy's kind), that are tables of numbers."""
    numeric = {name: shape for name, (shape, kind) in kinds.items() if kind in ("f", "i", "u")}
    return [name for name, shape in numeric.items() if len(shape) == 2 and shape[1] > 0]


def facts_of_arrays(kinds: Mapping[str, tuple[Any, str]], columns: Sequence[str]) -> dict[str, Any]:
    """What a ``RowSource`` says of arrays as in ``tables_among``; floats come first."""
    if "offset" in kinds and kinds.keys() <= _OF_TRANSFORM:
        raise VectorFileError("transform")
    if not (tables := tables_among(kinds)):
        raise VectorFileError("no_table", arrays=tuple(kinds))
    order = likeliest_first(sorted(tables, key=lambda name: kinds[name][1] != "f"))
    lengths = {name: kinds[name][0][0] for name in order}
    return {
        "n_rows": lengths[order[0]],
        "lengths": lengths,
        "columns": tuple(columns),
        "vector_columns": order,
        "others": tuple(name for name in kinds if name not in (*columns, *order)),
    }


def is_scale(name: str) -> bool:
    """Whether a column has the numbers by which bytes become vectors."""
    return _SCALES.fullmatch(name.casefold()) is not None


def dimensions_among(numeric: list[str], ids: Sequence[str], empty: list[str]) -> tuple[str, ...]:
    """Which columns, numeric or empty, are the dimensions of a vector.

    The largest group of names that differ in a number at their end (dim_0, dim_1, …), by this
    number. Without two such columns of numbers, all but ids and those with names of labels.
    """
    groups: dict[str, dict[str, int]] = {}
    for name in (*numeric, *empty):
        if found := RUNNING.fullmatch(name):
            groups.setdefault(found[1], {})[name] = int(found[2])
    largest = max(groups.values(), key=lambda each: len(each.keys() - empty), default={})
    if len(largest.keys() - empty) > 1:
        return tuple(sorted(largest, key=largest.__getitem__))
    unnamed = [name for name in numeric if name.strip().casefold() not in LABEL_NAMES]
    unnamed = [name for name in unnamed if not is_id(name, ())]
    return tuple(name for name in unnamed if name not in ids) or tuple(unnamed)


def ids_among(columns: Mapping[str, list[Any]], numeric: list[str], decimal: str) -> list[str]:
    """Columns that number or name the rows; beside numbers without points, by names alone."""
    ids = [name for name, cells in columns.items() if is_id(name, cells)]
    others = [str(cell) for name in numeric if name not in ids for cell in columns[name]]
    has_points = 2 * sum(decimal in cell for cell in others) >= len(others)
    return [name for name in ids if has_points or name not in numeric or is_id(name, ())]


def is_id(name: str, cells: Sequence[object]) -> bool:
    """Whether a column numbers or names the rows, by its name or its first cells."""
    lowered = name.strip().casefold()
    if lowered in NUMBERED or lowered.endswith(("_id", "uuid", "guid")):
        return True
    if len(cells) < 3 or any(cell is None for cell in cells):
        return False
    texts = [str(cell) for cell in cells]
    if whole := whole_numbers(texts):
        return whole == list(range(whole[0], whole[0] + len(whole)))
    return tells_rows_apart(texts) and not all(map(is_number, texts))  # such as .5


def whole_numbers(cells: Sequence[str]) -> list[int]:
    """The cells as numbers; [] if one is no whole number."""
    return [*map(int, cells)] if all(map(_WHOLE.fullmatch, cells)) else []


def refuse_coded(columns: Mapping[str, Sequence[object]]) -> None:
    """Raise VectorFileError if the first cells of a column have numbers as base64, or as bits."""
    for column, cells in columns.items():
        first = [cell for cell in cells[:BASE64_ROWS] if cell is not None]
        texts = [cell.strip() for cell in first if isinstance(cell, str)]
        if not first or len(texts) < len(first) or len({*map(len, texts)}) > 1:
            continue
        if {*"".join(texts)} == {"0", "1"} and len(texts[0]) >= LEAST_BITS:
            d = len(texts[0])
            raise VectorFileError("bits_in_text", column=column, d=d)
        if len(texts[0]) < LEAST_BASE64:
            continue
        try:
            contents = [base64.b64decode(cell, validate=True) for cell in texts]
        except ValueError:
            continue
        n = len(contents[0])
        for kind, low, high in _BASE64_SIZES:
            d, rest = divmod(n, np.dtype(kind).itemsize)
            if rest:
                continue
            sizes = np.abs(np.frombuffer(b"".join(contents), kind))  # NaN is of no usual size
            if ((sizes == 0) | ((sizes > low) & (sizes < high))).all():
                raise VectorFileError("base64", column=column, d=d, kind_of_column=kind)
        if column.casefold() in VECTOR_NAMES:
            raise VectorFileError("base64_of_bytes", column=column, n=n)


def as_numbers(rows: RowSource, chosen: ChosenColumns, reading: Reading) -> Iterator[Block]:
    """The blocks in float32; bytes that need scales or may be bits are refused, or unpacked."""
    quarters = np.zeros(4, dtype=np.int64)  # numbers in each quarter of the values of a byte
    may_be_bytes = reading.packed is None
    used = chosen.vector_names
    column = used[0] if used else rows.format
    # "range" or "max" of a table may be anything
    sure = "" if rows.lengths else "scale|zero"
    beside = (name for name in rows.all_columns if name not in (*used, *rows.strings))
    scales = next((each for each in beside if is_scale(each) and re.search(sure, each, re.I)), None)
    for block in rows.blocks(chosen):
        if reading.packed:
            if not _are_bytes(block.vectors):
                raise VectorFileError("no_bytes")
            bits = np.unpackbits(_unsigned(block.vectors), axis=1)
            block = replace(block, vectors=bits.astype(np.float32) * 2 - 1)
        may_be_bytes = may_be_bytes and quarters.sum() < MOST_BYTES and _are_bytes(block.vectors)
        if may_be_bytes:
            if scales is not None:
                raise VectorFileError("scaled", column=column, scales=scales)
            quarters += np.bincount(_unsigned(block.vectors).ravel() >> 6, minlength=4)
            n = quarters.sum()
            if n >= FEWEST_BYTES and quarters.min() > EVEN[0] * n and quarters.max() < EVEN[1] * n:
                d = block.vectors.shape[1]
                found = {"column": column, "d": d, "bits": 8 * d, "choices": ("yes", "no")}
                raise VectorFileError("uncertain_packed", option="packed", **found)
        with np.errstate(over="ignore"):  # a float64 too large for float32 is then not finite
            vectors = block.vectors.astype(np.float32)
        yield replace(block, vectors=vectors)


def _are_bytes(rows: np.ndarray) -> bool:
    """Whether all numbers are whole and fit a byte, with a sign or without."""
    if rows.dtype.itemsize == 1:
        return True
    low, high = rows.min(initial=0), rows.max(initial=0)
    fits = (low >= 0 and high <= 255) or (low >= -128 and high <= 127)
    return bool(fits) and (rows.dtype.kind != "f" or bool((rows == np.trunc(rows)).all()))


def _unsigned(rows: np.ndarray) -> np.ndarray:
    return (rows.astype(np.int16) & 255).astype(np.uint8)
