"""Downloads of tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.data.catalogues import ENGLISH
from geometry.data.csv_cells import csv_cell

from .words import _, in_language, language


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


CsvCell = str | tuple[str, str]  # a text, or a code and its words on the page


def csv_bytes(head: Sequence[str], rows: Sequence[Sequence[CsvCell]], measured_on: str) -> bytes:
    """A table as CSV; the last column of its first row names what the numbers were measured on.

    In English the columns have the names of ``head`` and the cells their codes, as programs like
    them; in other languages the names of ``column_names`` and the words of the page.
    """
    head = [*head, "measured_on"]
    is_english = language() == ENGLISH
    if not is_english:
        names = column_names()
        head = [_column_name(name, names) for name in head]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(csv_cell, head))
    for place, row in enumerate(rows):
        cells = [cell if isinstance(cell, str) else cell[not is_english] for cell in row]
        writer.writerow(map(csv_cell, [*cells, measured_on if place == 0 else ""]))
    return out.getvalue().encode("utf-8-sig")  # spreadsheets need the byte-order mark for Chinese


def _column_name(code: str, names: dict[str, str]) -> str:
    """The column's name; that of ``mean_cosine_rare`` is made of ``mean_cosine`` and ``rare``."""
    first, _sign, last = code.rpartition("_")
    if code in names or not first:
        return names.get(code, code)
    return f"{_column_name(first, names)} {_column_name(last, names)}"


def short_number(value: float | None) -> str:
    """The number with six significant digits; empty for None."""
    return "" if value is None else f"{value:.6g}"


def column_names() -> dict[str, str]:
    """The columns of downloads, by code, in the reader's language."""
    return {
        "row": _("row"),
        "method": _("method"),
        "column": _("column"),
        "text": _("text"),
        "label": _("label"),
        "cluster": _("cluster"),
        "words": _("words"),
        "name": _("name"),
        "value": _("value"),
        "low": _("lower end of the interval"),
        "high": _("upper end of the interval"),
        "measure": _("measure"),
        "isotropic": _("isotropic"),
        "undefined": _("why undefined"),
        "treatment": _("treatment"),
        "fitted_on": _("fitted on"),
        "rank_of_fit": _("rank of the fit"),
        "shrinkage": _("shrinkage"),
        "series": _("series"),
        "layer": _("layer"),
        "pooling": _("pooling"),
        "dimension": _("dimension"),
        "model": _("model"),
        "step": _("step"),
        "loss": _("loss"),
        "mean_cosine": _("mean cosine"),
        "spearman": _("Spearman"),
        "similarity": _("similarity"),
        "change": _("change"),
        "first_rank": _("first rank"),
        "last_rank": _("last rank"),
        "word": _("word"),
        "axis": _("axis"),
        "basis": _("basis"),
        "rank": _("rank"),
        "frequency": _("frequency"),
        "count": _("count"),
        "group": _("group"),
        "length": _("length"),
        "query": _("query"),
        "answers": _("answers"),
        "recall_raw": _("recall, raw"),
        "recall_after": _("recall, after"),
        "ndcg_raw": _("nDCG, raw"),
        "ndcg_after": _("nDCG, after"),
        "mrr_raw": _("MRR, raw"),
        "mrr_after": _("MRR, after"),
        "list": _("list"),
        "cosine": _("cosine"),
        "rank_in_other_list": _("rank in the other list"),
        "jaccard": _("overlap of both lists (Jaccard)"),
        "k_occurrence_raw": _("k-occurrence, raw"),
        "k_occurrence_after": _("k-occurrence, after"),
        "pair": _("pair"),
        "left": _("first sentence"),
        "right": _("second sentence"),
        "gold": _("human score"),
        "score": _("score"),
        "gain": _("gain"),
        "gain_low": _("gain, lower end"),
        "gain_high": _("gain, upper end"),
        "over_control": _("gain over control"),
        "over_control_low": _("gain over control, lower end"),
        "over_control_high": _("gain over control, upper end"),
        "before": _("before the treatment"),
        "after": _("after the treatment"),
        "rank_gold": _("rank by human scores"),
        "rank_score": _("rank by the model’s score"),
        "rank_before": _("rank before"),
        "rank_after": _("rank after"),
        "rank_moved": _("ranks moved"),
        "nearer_by": _("nearer to the human rank by"),
        "kind": _("kind"),
        "spearman_x_100": _("Spearman × 100"),
        "point": _("point"),
        "spearman_test": _("Spearman × 100, test"),
        "spearman_dev": _("Spearman × 100, dev"),
        "alignment": _("alignment"),
        "uniformity": _("uniformity"),
        "test_low": _("lower end, test"),
        "test_high": _("upper end, test"),
        "cosine_from": _("cosine from"),
        "cosine_to": _("cosine to"),
        "raw": _("raw"),
        "white": _("whitened"),
        "standardised": _("each dimension standardised"),
        "norm": _("length"),
        "unseen": _("never seen"),
        "rare": _("rare"),
        "frequent": _("frequent"),
        "question": _("question"),
        "option": _("option"),
        "first_answers": _("first answers"),
        "last_answers": _("last answers"),
        "is_right": _("right"),
        "measured_on": _("measured on"),
    }
