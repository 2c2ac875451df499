"""Rows that belong to vectors of another file: the Embedding Projector's metadata.tsv."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..data.column_names import LABEL_NAMES, TEXT_NAMES
from ..data.decode import Source, lines_of, read_text_file
from ..data.limits import Limits, refuse_too_many_cells
from ..data.recognise import is_number, mostly_numbers, unique_names
from .errors import VectorFileError

ONLY = "text"  # the name of the only column of a file without a header


@dataclass(frozen=True)
class MetadataRows:
    """A table with one row for each vector, in the same order; an empty row has fewer cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def refuse_count(self, n: int) -> None:
        if len(self.rows) != n:
            raise VectorFileError("metadata_rows", n=len(self.rows), n_vectors=n)

    def column(self, name: str, numbers: np.ndarray) -> list[str]:
        place = self.columns.index(name)
        rows = (self.rows[number - 1] for number in numbers.tolist())
        return [row[place] if place < len(row) else "" for row in rows]


def read_metadata(
    source: Source, n: int, *, name: str | None = None, limits: Limits
) -> MetadataRows:
    """The rows of a .tsv, .csv or .txt file beside n vectors; with one row more it has a header."""
    file = read_text_file(source, name=name, limits=limits)
    suffix = Path(name or "").suffix.lower() or file.suffix
    # an empty row is a row, so that there may be as many lines as for so many texts
    lines = lines_of(
        file.text,
        limits.but(rows=n),
        newline="" if suffix == ".csv" else "\n",
        most=limits.line_characters,
    )
    records: Iterator[list[str]] = (
        csv.reader(line for _, line in lines)
        if suffix == ".csv"
        else (line.removesuffix("\n").removesuffix("\r").split("\t") for _, line in lines)
    )
    rows: list[tuple[str, ...]] = []
    n_rows = n_cells = width = 0
    for line, row in enumerate(records, start=1):
        width = width or max(1, len(row))
        if width > limits.columns:
            raise VectorFileError("too_many_metadata_columns", limit=limits.columns)
        if len(row) != width and any(row):
            raise VectorFileError("uneven_metadata", line=line, n=len(row), expected=width)
        if line > n + 1 and not any(row):  # perhaps the end of the file
            continue
        n_rows, n_cells = line, n_cells + len(row)
        if n_rows <= n + 1:
            refuse_too_many_cells(n_cells)
            rows.append(tuple(cell.strip() for cell in row))
    if not rows:
        n_rows, width, rows = 1, 1, [("",)]
    has_header = n_rows == n + 1
    shown = _shows(rows)
    if n_rows not in (n, n + 1) or (has_header and shown is False):
        raise VectorFileError("metadata_rows", n=n_rows, n_vectors=n)
    if shown and not has_header:
        raise VectorFileError(
            "metadata_header", row=", ".join(rows[0][:5]), n=n_rows - 1, n_vectors=n
        )
    named = rows[0] if has_header else ((ONLY,) if width == 1 else ("",) * width)
    return MetadataRows(unique_names(named), tuple(rows[has_header:]))


def _shows(rows: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first row can only be a header (True), can only be data, or shows neither."""
    first, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = [[row[place] for row in body] for place in range(len(first))]
    numeric = [place for place, cells in enumerate(columns) if mostly_numbers(cells)]
    if any(first[place] and not is_number(first[place]) for place in numeric):
        return True
    if any(is_number(first[place]) for place in numeric):
        return False
    if any(cell and cell in cells for cell, cells in zip(first, columns, strict=True)):
        return False
    names = {*TEXT_NAMES, *LABEL_NAMES}
    return True if len(first) > 1 and names.issuperset(map(str.casefold, first)) else None
