"""Rows that belong to vectors of another file: the Embedding Projector's metadata.tsv."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..data.decode import Source, read_text_file
from ..data.limits import Limits
from .errors import VectorFileError

ONLY = "text"  # the name of the only column of a file without a header


@dataclass(frozen=True)
class MetadataRows:
    """A table with one row for each vector, in the same order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def n_rows(self) -> int:
        """Rows without the header."""
        return len(self.rows)

    def refuse_count(self, n: int) -> None:
        """Raise VectorFileError if there is not one row for each of n vectors."""
        if len(self.rows) != n:
            raise VectorFileError("metadata_rows", n=len(self.rows), n_vectors=n)

    def column(self, name: str, numbers: np.ndarray) -> list[str]:
        """The cells of a column in the rows of these numbers, from 1."""
        place = self.columns.index(name)
        return [self.rows[number - 1][place] for number in numbers.tolist()]


def read_metadata(
    source: Source, n: int, *, name: str | None = None, limits: Limits
) -> MetadataRows:
    """The rows of a .tsv, .csv or .txt file beside n vectors.

    Parameters
    ----------
    source : path, bytes or binary file
    n : int
        Vectors. A file with one row more has a header; an empty row is a row.
    name : str, optional
        With the suffix .csv a comma separates the columns.
    limits : Limits
        How large the file may be.
    """
    file = read_text_file(source, name=name, limits=limits)
    suffix = Path(name or "").suffix.lower() or file.suffix
    text = file.text.removesuffix("\n").removesuffix("\r")
    if suffix == ".csv":
        rows = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""))]
    else:
        rows = [tuple(line.split("\t")) for line in text.replace("\r\n", "\n").split("\n")]
    while len(rows) > n + 1 and not any(rows[-1]):  # empty lines at the end
        rows.pop()
    width = max(1, len(rows[0]))
    for line, row in enumerate(rows, start=1):
        if len(row) != width and any(row):
            raise VectorFileError(
                "ragged_row", because="uneven_metadata", line=line, n=len(row), expected=width
            )
    if width > limits.columns:
        raise VectorFileError(
            "too_large", because="too_many_metadata_columns", limit=limits.columns
        )
    has_header = len(rows) == n + 1
    if len(rows) not in (n, n + 1):
        raise VectorFileError("metadata_rows", n=len(rows), n_vectors=n)
    named = rows[0] if has_header else ((ONLY,) if width == 1 else ("",) * width)
    columns: dict[str, None] = {}
    for place, each in enumerate(named, start=1):
        each = each.strip() or f"column {place}"
        while each in columns:
            each = f"{each} ({place})"
        columns[each] = None
    body = rows[1:] if has_header else rows
    return MetadataRows(
        tuple(columns),
        tuple(tuple(cell.strip() for cell in (*row, *[""] * width)[:width]) for row in body),
    )
