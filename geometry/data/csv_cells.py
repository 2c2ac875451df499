"""Cells of a table that is written as CSV: no spreadsheet takes a text for a formula."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .recognise import is_number

FORMULA_SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")  # noqa: RUF001
# In many countries a spreadsheet begins a new cell after a semicolon or a tab.
NEXT_CELL = re.compile(rf"(?<=[;\t])(?=[{re.escape(''.join(FORMULA_SIGNS))}])")


def csv_cell(value: Any) -> Any:
    """The value; each part of a text that a spreadsheet could run gets an apostrophe in front."""
    if not isinstance(value, str) or is_number(value):
        return value
    value = NEXT_CELL.sub("'", value)
    return f"'{value}" if value.startswith(FORMULA_SIGNS) else value


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same names as CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(csv_cell, rows[0]))
    writer.writerows(map(csv_cell, row.values()) for row in rows)
    return text.getvalue()
