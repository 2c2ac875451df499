"""Figures published in papers, each with its source and setting; none of them was measured here."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ..shipped import shipped_file

FILE = shipped_file("published.json")


@dataclass(frozen=True)
class PublishedTable:
    """A table as a paper prints it."""

    key: str  #: a stable name
    source: str  #: paper and table
    #: setting, metric: of its numbers
    setting: str
    metric: str
    note: str  #: what is disputed
    columns: tuple[str, ...]  #: every row has a value for each
    #: values of each row on the paper's own scale (most are Spearman x 100); None for no value
    rows: Mapping[str, tuple[float | None, ...]]

    def column(self, name: str) -> dict[str, float]:
        """{row: value} of a column, without missing values; KeyError for an unknown column."""
        if name not in self.columns:
            raise KeyError(f"{self.key} has no column {name}; it has {', '.join(self.columns)}")
        place = self.columns.index(name)
        return {
            row: value for row, values in self.rows.items() if (value := values[place]) is not None
        }


@dataclass(frozen=True)
class PublishedScore:
    """The value of one row for one data set, with the facts to print beside it."""

    name: str  #: of the row
    value: float  #: on the scale given by ``metric``
    dataset: str  #: name of the column
    #: source, setting, metric, note: as in ``PublishedTable``
    source: str
    setting: str
    metric: str
    note: str
    table: str  #: the key of its table


@cache  # a rerun of Sentence similarity asks for them fifty times
def published_tables() -> tuple[PublishedTable, ...]:
    """Every table, in the order of the file."""
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        PublishedTable(
            **{name: table[name] for name in ("key", "source", "setting", "metric", "note")},
            columns=tuple(table["columns"]),
            rows=MappingProxyType({row: tuple(values) for row, values in table["rows"].items()}),
        )
        for table in tables
    )


def published_scores(dataset: str = "STS-B") -> tuple[PublishedScore, ...]:
    """All published scores on a data set: STS12 to STS16, STS-B, SICK-R.

    Raises ValueError for another data set; the message lists the available ones.
    """
    if dataset not in datasets():
        raise ValueError(f"no published scores on {dataset!r}; there are {', '.join(datasets())}")
    return tuple(
        PublishedScore(
            row, value, dataset, table.source, table.setting, table.metric, table.note, table.key
        )
        for table in published_tables()
        if dataset in table.columns
        for row, value in table.column(dataset).items()
    )


def datasets() -> tuple[str, ...]:
    columns = (name for table in published_tables() for name in table.columns)
    return tuple(name for name in dict.fromkeys(columns) if name.startswith(("STS", "SICK")))
