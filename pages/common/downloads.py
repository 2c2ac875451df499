"""Downloads: tables as CSV, and fitted transforms."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.data.csv_cells import csv_cell
from geometry.data.translations import ENGLISH
from geometry.export import AffineMap, numpy_files, onnx_bytes
from geometry.export.affine import transform_bytes, zipped

from .words import in_language, language, names


def offer_csv(label: str, name: str, table: Callable[[], bytes | str]) -> None:
    """A button that makes a table when it is pressed; ``name`` is that of the file without .csv."""
    offer_made(label, f"{name}.csv", table, mime="text/csv")


def points_csv(cloud: Cloud, columns: Sequence[str], places: np.ndarray, measured_on: str) -> bytes:
    labels = cloud.labels or ("",) * len(cloud)
    rows = [
        [text, label, *map(short_number, place)]
        for text, label, place in zip(cloud.texts, labels, places, strict=True)
    ]
    return csv_bytes(["text", "label", *columns], rows, measured_on)


CsvCell = str | tuple[str, str]  # a text, or a code and its words on the page


def csv_bytes(head: Sequence[str], rows: Sequence[Sequence[CsvCell]], measured_on: str) -> bytes:
    """A table as CSV; the last column of its first row names what the numbers were measured on.

    English tables have codes, as programs like them; others the names and words of the page.
    """
    head = [*head, "measured_on"]
    is_english = language() == ENGLISH
    if not is_english:
        head = [_column_name(name, names("columns")) for name in head]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(csv_cell, head))
    for place, row in enumerate(rows):
        cells = [cell if isinstance(cell, str) else cell[not is_english] for cell in row]
        writer.writerow(map(csv_cell, [*cells, measured_on if place == 0 else ""]))
    return out.getvalue().encode("utf-8-sig")  # spreadsheets need the byte-order mark for Chinese


def _column_name(code: str, known: dict[str, str]) -> str:
    """The column's name; that of ``mean_cosine_rare`` is made of ``mean_cosine`` and ``rare``."""
    first, _sign, last = code.rpartition("_")
    if code in known or not first:
        return known.get(code, code)
    return f"{_column_name(first, known)} {_column_name(last, known)}"


def short_number(value: float | None) -> str:
    return "" if value is None or np.isnan(value) else f"{value:.6g}"


def offer_transform(make: Callable[[], AffineMap], name: str) -> None:
    """A button for each form of the file, which is made when the button is pressed."""
    offer_file("safetensors", f"{name}.safetensors", lambda: transform_bytes(make()))
    offer_file("ONNX", f"{name}.onnx", lambda: onnx_bytes(make()))
    offer_file("NumPy", f"{name}-numpy.zip", lambda: zipped(numpy_files(make())))


def offer_file(label: str, file_name: str, content: Callable[[], bytes]) -> None:
    offer_made(label, file_name, content, mime="application/octet-stream", key=f"take-{label}")


def offer_made(label: str, file_name: str, content: Callable[[], bytes | str], **how: Any) -> None:
    how = {"icon": ":material/download:", "on_click": "ignore"} | how
    st.download_button(label, in_language(content), file_name, **how)
