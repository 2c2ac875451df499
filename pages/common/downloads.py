"""Downloads of tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.data.csv_cells import csv_cell

from .words import in_language


def offer_csv(label: str, name: str, table: Callable[[], bytes | str]) -> None:
    """A button that makes a table when it is pressed; ``name`` is that of the file without .csv."""
    st.download_button(
        label,
        data=in_language(table),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def points_csv(cloud: Cloud, columns: Sequence[str], places: np.ndarray, measured_on: str) -> bytes:
    """One row a point: text, label, and the drawn coordinates."""
    labels = cloud.labels or ("",) * len(cloud)
    rows = [
        [text, label, *map(short_number, place)]
        for text, label, place in zip(cloud.texts, labels, places, strict=True)
    ]
    return csv_bytes(["text", "label", *columns], rows, measured_on)


def csv_bytes(head: Sequence[str], rows: Sequence[Sequence[str]], measured_on: str) -> bytes:
    """A table as CSV; the last column of its first row names what the numbers were measured on."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(csv_cell, [*head, "measured_on"]))
    for place, row in enumerate(rows):
        writer.writerow(map(csv_cell, [*row, measured_on if place == 0 else ""]))
    return out.getvalue().encode("utf-8-sig")  # spreadsheets need the byte-order mark for Chinese


def short_number(value: float) -> str:
    """The number with six significant digits."""
    return f"{value:.6g}"
