"""Lines of JSON to a table: one object a line, a column for each name of a field."""

from __future__ import annotations

import json
import time
from typing import Any

from .decode import lines_of, refuse_halves
from .limits import CorpusError, Limits, refuse_too_many_cells
from .tables import Table


def read_json_lines(text: str, limits: Limits) -> Table:
    """Every value as a string, "" where an object lacks it; columns in order of appearance.

    Nested lists take a hundred times as long as a text of their length.
    """
    # Half of the limit, because building the rows takes as long as parsing
    began, seconds = time.thread_time(), limits.seconds / 2
    columns: dict[str, int] = {}
    records: list[dict[int, str]] = []
    lines, n_rows, n_blank = [], 0, 0
    for number, line in lines_of(text, limits, newline="\n", most=limits.line_characters):
        if not line.strip():
            n_blank += 1
            continue
        n_rows += 1
        if n_rows > limits.rows:
            continue
        record = _json_object(line, number)
        for key in record:
            columns.setdefault(key, len(columns))
        if len(columns) > limits.keys:
            raise CorpusError("too_many_columns", because="too_many_keys", limit=limits.keys)
        refuse_too_many_cells(n_rows * len(columns), limits)
        cells = {columns[key]: _cell(value) for key, value in record.items() if value is not None}
        refuse_halves("".join((*record, *cells.values())), number)
        records.append(cells)
        lines.append(number)
        if time.thread_time() - began > seconds:
            raise CorpusError("too_large", because="too_slow", limit=f"{seconds:g}")
    rows = (tuple(cells.get(place, "") for place in range(len(columns))) for cells in records)
    return Table(tuple(columns), tuple(rows), tuple(lines), n_rows, n_blank, has_header=True)


def _json_object(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise CorpusError("bad_json", line=number)
    return record


def _cell(value: Any) -> str:
    return str(value).strip()
