"""A file of vectors as blocks of rows, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.column_names import LABEL_NAMES, TEXT_NAMES
from ..data.limits import LIMITS, Limits
from ..data.recognise import AS_FOUND, Reading
from .errors import VectorFileError
from .word_arrays import BLOCK_ROWS, VECTOR_NAMES

BLOCK_BYTES = 16 << 20  # bytes of vectors in a block
HEAD = 1 << 20  # first bytes of a file, by which its format and encoding are recognised
TEXTS = (*TEXT_NAMES, "word", "words", "token", "tokens", "name", "names")
# Columns that number the rows
NUMBERED = ("id", "ids", "index", "idx", "row", "#", "unnamed: 0", "")
_RUNNING = re.compile(r"(.*?)(\d+)")


@dataclass(frozen=True)
class Block:
    """Some rows.   vectors (m, d) of numbers; m texts and m labels, or None.

    numbers : (m,) of their rows in the file, from 1; None if the blocks have all rows.
    """

    vectors: np.ndarray
    texts: list[str] | None = None
    labels: list[str] | None = None
    numbers: np.ndarray | None = None


@dataclass(frozen=True)
class Hints:
    """What a caller says of a file.

    suffix : of its name, in lower case
    reading : how it is to be read
    limits : how large it may be
    """

    suffix: str = ""
    reading: Reading = AS_FOUND
    limits: Limits = LIMITS


@dataclass(frozen=True)
class ChosenColumns:
    """What is read of a file.

    vector : a column of whole vectors, or the columns of their dimensions; None for a lone array.
    text, label : columns, or None.
    """

    vector: str | tuple[str, ...] | None = None
    text: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class RowSource:
    """A file of vectors that is open.

    Attributes
    ----------
    format : str
        As in ``VectorSetReport``.
    blocks : callable
        From ``ChosenColumns`` to an iterator of ``Block``.
    n_rows : int or None
        None if only reading to the end shows it.
    columns : tuple of str
        Those that may be texts or labels.
    vector_columns : tuple of str
        Those that have whole vectors, the likeliest first.
    dimension_columns : tuple of str
        Those that have one number of a vector each.
    has_header : bool or None
        None where the format has no such choice.
    encoding : str or None
        Encoding of the texts, where it was found from the content.
    left_out : tuple of str
        Words whose rows have NaN or infinity and are no part of the blocks; the first few.
    n_left_out : int
        How many these are.
    n_skipped : int
        Rows of the file that are no part of the blocks, for this and for any other reason.
    replaced : set of int
        Lines with bytes that did not fit the encoding and became U+FFFD, once they were read.
    asks_which : bool
        Whether one of several ``vector_columns`` without a usual name is asked for.
    close : callable
        Ends what reads the file.
    """

    format: str
    blocks: Callable[[ChosenColumns], Iterator[Block]]
    n_rows: int | None = None
    columns: tuple[str, ...] = ()
    vector_columns: tuple[str, ...] = ()
    dimension_columns: tuple[str, ...] = ()
    has_header: bool | None = None
    encoding: str | None = None
    left_out: tuple[str, ...] = ()
    n_left_out: int = 0
    n_skipped: int = 0
    replaced: Collection[int] = ()
    asks_which: bool = False
    close: Callable[[], object] = lambda: None

    def vector_choice(
        self, wanted: str | Sequence[str] | None, without: Sequence[str | None]
    ) -> str | tuple[str, ...] | None:
        """The column or columns of the vectors.

        wanted : the caller's choice; None takes the likeliest.
        without : columns that are no dimensions, because they are the texts or labels.
        """
        known = (*self.vector_columns, *self.columns, *self.dimension_columns)
        if wanted is not None:
            names = (wanted,) if isinstance(wanted, str) else tuple(wanted)
            for name in names:
                self.refuse_unknown(name, known)
            return wanted if isinstance(wanted, str) else names
        several = self.vector_columns if len(self.vector_columns) > 1 and self.asks_which else ()
        if several and several[0].casefold() not in VECTOR_NAMES:
            raise VectorFileError(
                "uncertain", because="uncertain_vectors", option="path", choices=several
            )
        if self.vector_columns or not known:  # a lone array has no name
            return self.vector_columns[0] if known else None
        dimensions = tuple(name for name in self.dimension_columns if name not in without)
        if not dimensions:
            raise VectorFileError("no_vectors", because="no_vector_column", columns=known)
        return dimensions

    @staticmethod
    def refuse_unknown(name: str, known: Sequence[str]) -> None:
        """Raise VectorFileError for a column that the file does not have."""
        if name not in known:
            raise VectorFileError("unknown_column", column=name, columns=tuple(known))


def rows_a_block(d: int) -> int:
    """Rows of one block of vectors of d numbers."""
    return max(1, min(BLOCK_ROWS, BLOCK_BYTES // (4 * max(1, d))))


def likeliest_first(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those first that vectors usually have."""
    ranks = {name.casefold(): rank for rank, name in enumerate(VECTOR_NAMES)}
    return tuple(sorted(names, key=lambda name: ranks.get(name.casefold(), len(ranks))))


def named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The first of ``names`` that is a column, in any case."""
    folded = {column.casefold(): column for column in reversed(columns)}
    return next((folded[name] for name in names if name in folded), None)


def dimensions_among(numeric: Sequence[str]) -> tuple[str, ...]:
    """Which columns of numbers are the dimensions of a vector.

    The largest group of names that differ in a number at their end (dim_0, dim_1, …). Without such
    a group, all but those with names of labels or row numbers.
    """
    groups: dict[str, list[str]] = {}
    for name in numeric:
        if found := _RUNNING.fullmatch(name):
            groups.setdefault(found[1], []).append(name)
    largest = max(groups.values(), key=len, default=[])
    if len(largest) > 1:
        return tuple(largest)
    others = {*LABEL_NAMES, *NUMBERED}
    return tuple(name for name in numeric if name.strip().casefold() not in others)
