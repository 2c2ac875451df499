"""What a file is: its container, encoding, delimiter, quoting, header, decimal sign and columns.

The library, the shell and the pages recognise a file here. What is certain is used. What is not is
asked for: an error "uncertain" names the option.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Holds = Literal["texts", "vectors", "pairs"]
Quoting = Literal["quoted", "none"]


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as a caller says it; None is found from the content.

    Attributes
    ----------
    holds : str or None
        "texts", "vectors" or "pairs".
    encoding : str or None
    delimiter : str or None
        One character.
    quoting : str or None
        "quoted": a cell in quotation marks may have delimiters and line ends. "none": a quotation
        mark is a character as any other.
    header : bool or None
        Whether the first row names the columns.
    sheet : str or None
        A sheet of a workbook, by its name.
    decimal : str or None
        "." or ",".
    path : str or None
        Where the records or vectors of nested JSON are: names with points between.
    """

    holds: Holds | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quoting: Quoting | None = None
    header: bool | None = None
    sheet: str | None = None
    decimal: Literal[".", ","] | None = None
    path: str | None = None

    def but(self, **others: Any) -> Reading:
        """The same with other values; None leaves a value as it is."""
        return replace(self, **{name: value for name, value in others.items() if value is not None})


AS_FOUND = Reading()  # everything is found from the content
