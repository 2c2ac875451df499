"""Published figures, to show beside one's own: always with source and setting, never as measured.

Settings differ between papers (aggregation, which layers are averaged, what a treatment was
fitted on), and so do the numbers for what carries one name. A row is a fact about a paper.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ..data.shipped import shipped_file

FILE = shipped_file("published.json")


@dataclass(frozen=True)
class PublishedTable:
    """A table as a paper prints it.

    key : a stable name.   source : paper and table.   setting, metric, note : what its numbers
    are; a note says what is disputed.   columns : of every row.   rows : {name: values}, None
    where the paper has none, on the paper's own scale (most are Spearman x 100).
    """

    key: str
    source: str
    setting: str
    metric: str
    note: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]

    def column(self, name: str) -> dict[str, float]:
        """{row: value} of that column, where there is a value; KeyError for no such column."""
        if name not in self.columns:
            raise KeyError(f"{self.key} has no column {name}; it has {', '.join(self.columns)}")
        place = self.columns.index(name)
        told = {row: values[place] for row, values in self.rows.items()}
        return {row: value for row, value in told.items() if value is not None}


@dataclass(frozen=True)
class PublishedScore:
    """One row's value for one data set, with all that it may not be shown without.

    value : on the scale that ``metric`` says.   table : the key of its table.
    """

    name: str
    value: float
    dataset: str
    source: str
    setting: str
    metric: str
    note: str
    table: str


@cache
def published_tables() -> tuple[PublishedTable, ...]:
    """Every table, in the order of the file."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        PublishedTable(
            **{name: one[name] for name in ("key", "source", "setting", "metric", "note")},
            columns=tuple(one["columns"]),
            rows=MappingProxyType({row: tuple(values) for row, values in one["rows"].items()}),
        )
        for one in told
    )


def published_scores(dataset: str = "STS-B") -> tuple[PublishedScore, ...]:
    """All published scores on a data set: STS12 to STS16, STS-B, SICK-R.

    Raises ValueError for another data set, naming those that there are.
    """
    found = tuple(
        PublishedScore(
            row, value, dataset, table.source, table.setting, table.metric, table.note, table.key
        )
        for table in published_tables()
        if dataset in table.columns and _is_data_set(dataset)
        for row, value in table.column(dataset).items()
    )
    if not found:
        raise ValueError(f"no published scores on {dataset!r}; there are {', '.join(datasets())}")
    return found


def datasets() -> tuple[str, ...]:
    """The data sets that some table scores."""
    columns = (name for table in published_tables() for name in table.columns)
    return tuple(filter(_is_data_set, dict.fromkeys(columns)))


def _is_data_set(column: str) -> bool:
    return column.startswith(("STS", "SICK"))
