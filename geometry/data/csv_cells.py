"""Cells of a table that is written as CSV: no spreadsheet takes a text for a formula."""

from __future__ import annotations

from typing import Any

from .tables import is_number

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def csv_cell(value: Any) -> Any:
    """The value; a text that a spreadsheet would run gets an apostrophe in front.

    Spreadsheets calculate a cell that begins with one of ``FORMULA_SIGNS``, and a formula can open
    addresses and start programs. Numbers stay as they are.
    """
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS) and not is_number(value):
        return f"'{value}"
    return value
