"""Records of JSON as flat rows: lines, arrays, tables of pandas, and answers of services.

The names within a nested record have points between. Where the rows of a document are is found
from its content, or asked for.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..errors import GeometryError
from .account import MOST_ROWS
from .column_names import LABEL_NAMES, PAIRED_NAMES, SCORE_NAMES, TEXT_NAMES, WEAK_NAMES
from .decode import lines_of, refuse_halves
from .errors import CorpusError
from .limits import Limits, refuse_too_many_cells
from .tables import Table

Record = dict[str, Any]
Lines = Callable[[], Iterator[str]]
Rows = Callable[[], Iterator[tuple[int, Record]]]
EACH, TRANSPOSED = "*", "*.*"  # paths: each key of an object is a row, or a column
_NAMES = {*TEXT_NAMES, *LABEL_NAMES, *SCORE_NAMES, *PAIRED_NAMES}
_NAMES |= {"vector", "vectors", "embedding", "embeddings", "id", "documents"}
_STEMS = ("", "d", "dim", "dimension", "x", "v", "e", "f", "emb", "embedding", "feature", "pc")
_SPACE = re.compile(r"\s*")
# Bytes of memory for each sign of a document: what the value that it begins or ends may take
_WEIGHTS = {",": 32, '"': 30, "[": 64, "{": 232}


def read_json(text: str, limits: Limits, path: str | None = None) -> Table:
    """Every value as a string, "" where a record lacks it; columns in order of appearance."""
    # Half of the limit, because building the rows takes as long as parsing
    seconds = limits.seconds / 2
    began = time.thread_time()
    lines = partial(lines_of, text, limits, newline="\n", most=limits.line_characters)
    rows, is_lines = open_records(
        lines, lambda: text, CorpusError, path=path, most=limits.table_bytes
    )
    columns: dict[str, int] = {}
    left_out: dict[str, None] = {}
    records: list[dict[int, str]] = []
    numbers, n_rows = [], 0
    for n_rows, (number, record) in enumerate(rows(), start=1):
        if n_rows > limits.rows:
            continue
        cells = {}
        for name, value in record.items():
            if is_vector(value) or is_vector(_first(value)):
                left_out[name] = None
                continue
            place = columns.setdefault(name, len(columns))
            if value is not None:
                is_nested = isinstance(value, list | dict)
                cell = json.dumps(value, ensure_ascii=False) if is_nested else str(value)
                cells[place] = cell.strip()
        if len(columns) > limits.keys:
            raise CorpusError("too_many_keys", limit=limits.keys)
        refuse_too_many_cells(n_rows * len(columns))
        refuse_halves("".join((*record, *cells.values())), number)
        records.append(cells)
        numbers.append(number)
        if time.thread_time() - began > seconds:
            raise CorpusError("too_slow", limit=f"{seconds:g}")
    numbered = enumerate(lines() if is_lines else (), start=1)
    blank = [number for number, line in numbered if not line.strip()]
    for name in columns.keys() & _NAMES:
        if any(other.startswith(f"{name}.") for other in columns):
            raise CorpusError("mixed_json", column=name)
    return Table(
        tuple(columns),
        tuple(tuple(cells.get(place, "") for place in range(len(columns))) for cells in records),
        tuple(numbers),
        n_rows,
        len(blank),
        has_header=True,
        blank=tuple(blank[:MOST_ROWS]),
        columns_left_out=tuple(name for name in left_out if name not in columns),
    )


def open_records(
    lines: Lines,
    whole: Callable[[], str],
    refuse: Callable[..., GeometryError],
    *,
    path: str | None,
    most: int,  # bytes of memory of a document that is not read by lines
    vectors: bool = False,  # whether the rows are sought by their vectors
) -> tuple[Rows, bool]:
    """(what gives (line or number from 1, record) of each row, whether it reads lines)."""
    asked = _Asked(path, refuse, vectors)
    too_long: GeometryError | None = None
    try:
        is_lines = _has_lines(lines())
    except GeometryError as error:  # a line beyond the limit, which may be a document
        is_lines, too_long = False, error
    if is_lines:

        def of_lines() -> Iterator[tuple[int, Record]]:
            for number, line in enumerate(lines(), start=1):
                if line.strip():
                    values = _values(line.rstrip(), refuse, number)
                    if len(values) > 1:
                        raise refuse("bad_json", line=number)
                    try:
                        found = asked.rows_of_line(_record(values[0]))
                    except RecursionError as error:
                        raise refuse("bad_json", line=number) from error
                    for record in found:
                        yield number, record

        return of_lines, True
    text = whole()
    if sum(weight * text.count(sign) for sign, weight in _WEIGHTS.items()) > most:
        raise refuse("large_json", limit=most)
    values = _values(text, refuse)
    if too_long is not None and len(values) > 1:
        raise too_long
    try:
        rows = asked.rows_of_document(values[0] if len(values) == 1 else values)
    except RecursionError as error:
        raise refuse("bad_json", line=1) from error
    return lambda: iter(enumerate(rows, start=1)), False


def is_vector(value: Any) -> bool:
    """Whether a value is a list that begins with a number."""
    return isinstance(value, list) and bool(value) and is_json_number(value[0])


def flat(record: Mapping[str, Any], prefix: str = "") -> Record:
    """The record without nested ones; a list of one record or one list is that one."""
    found: Record = {}
    for key, value in record.items():
        while type(value) is list and len(value) == 1 and type(value[0]) in (dict, list):
            value = value[0]
        if type(value) is dict:
            value = _plain(value)
            if type(value) is dict:
                found |= flat(value, f"{prefix}{key}.")
                continue
        elif type(value) is list and value and type(_first(value)) is dict:
            value = [_plain(each) for each in value]
        found[prefix + key if prefix else key] = value
    return found


@dataclass
class _Asked:
    """Where the rows of a document are, as far as the caller says it."""

    path: str | None
    refuse: Callable[..., GeometryError]
    vectors: bool
    above: str = ""  # before the names in a question

    def rows_of_line(self, record: Mapping[str, Any]) -> list[Record]:
        """The rows of one record: several where it has several vectors."""
        found = flat(record)
        if self.path is not None and self.path not in found:
            above = f"{self.path}."
            inner = {n.removeprefix(above): v for n, v in found.items() if n.startswith(above)}
            if not inner:
                raise self.refuse("unknown_column", column=self.path, columns=tuple(found))
            return [inner]
        lists = {name: value for name, value in found.items() if _has_rows(value)}
        if not lists:
            return [found]
        several = [name for name in lists if _bears_vectors(lists[name])] if self.vectors else []
        if self.path in lists:
            several = [self.path]
        if not several:
            within = {name: each for name, each in lists.items() if isinstance(_first(each), dict)}
            if within and not self.vectors and not any(map(_is_text, found.items())):
                # all texts are within
                raise self._uncertain({each: f"{each}: {len(within[each]):,}" for each in within})
            return [found]
        chosen = self._only(several, lists)
        alike = {name: each for name, each in lists.items() if len(each) == len(lists[chosen])}
        beside = {name: value for name, value in found.items() if name not in alike}
        return [beside | each for each in _zipped(alike)]

    def rows_of_document(self, value: Any) -> list[Record]:
        if self.path is not None and isinstance(value, dict):
            at: Any = value
            for step in self.path.split("."):
                at = at.get(step) if isinstance(at, dict) and step != EACH else None
            if isinstance(at, list | dict) and not _has_columns(value, at):
                return replace(self, path=None).rows_of_document(at)
        if isinstance(value, dict):
            value = self._table(value, is_root=True)
        batch = value[0] if isinstance(value, list) and len(value) == 1 else None
        if isinstance(batch, list) and len(batch) > 1 and all(map(is_vector, batch)):
            value = batch  # of one text, as of the vectors of its tokens
        if isinstance(value, list):
            if value and all(map(is_json_number, value)):
                return [{"vector": value}]
            within = replace(self, path=None) if self.path in (EACH, TRANSPOSED) else self
            return [row for each in value for row in within.rows_of_line(_record(each))]
        found = flat(value)
        lists = {name: each for name, each in found.items() if isinstance(each, list)}
        for name in lists:
            if self.path and self.path.startswith(f"{name}."):
                inner = replace(self, path=self.path[len(name) + 1 :])
                return [row for each in lists[name] for row in inner.rows_of_line(_record(each))]
        records = [name for name in lists if isinstance(_first(lists[name]), dict)]
        several = [name for name in lists if self.vectors and _bears_vectors(lists[name])]
        texts = [name for name in lists if isinstance(_first(lists[name]), str)]
        several = several or records or texts
        if self.path is not None:
            if self.path not in lists:
                raise self.refuse("unknown_column", column=self.path, columns=tuple(found))
            several = [self.path]
        if not several:
            return [found]
        chosen = self._only(several, lists)
        if chosen in records and not _has_columns(found, lists[chosen]):
            within = replace(self, path=None, above=f"{chosen}.")
            return [row for each in lists[chosen] for row in within.rows_of_line(_record(each))]
        length = len(lists[chosen])
        return [*_zipped({name: each for name, each in lists.items() if len(each) == length})]

    def _only(self, names: Sequence[str], lists: Mapping[str, list[Any]]) -> str:
        """The one list that has the rows, or one of several columns; else it is asked for."""
        usual = [name for name in names if name.rpartition(".")[2].casefold() in _NAMES]
        lengths = {len(lists[name]) for name in names}
        if len(lengths) > 1 and len({len(lists[name]) for name in usual}) == 1:
            names = usual
        elif len(lengths) > 1 or sum(isinstance(_first(lists[each]), dict) for each in names) > 1:
            raise self._uncertain({name: f"{name}: {len(lists[name]):,}" for name in names})
        return names[0]

    def _uncertain(self, shown: Mapping[str, str]) -> GeometryError:
        choices = tuple(self.above + each for each in shown)
        paths = tuple(self.above + each for each in shown.values())
        return self.refuse("uncertain_path", option="path", choices=choices, paths=paths)

    def _table(self, value: Record, *, is_root: bool = False) -> Any:
        """A table of pandas, or records or vectors by their keys, as a list of records."""
        if {"columns", "data"} <= value.keys() and _is_table(value["columns"], value["data"]):
            return [dict(zip(value["columns"], row, strict=True)) for row in value["data"]]
        if {"schema", "data"} <= value.keys():
            value = {"data": value["data"]}
        values = list(value.values())
        if len(values) > 1 and all(map(is_vector, values)):
            stems = {key.rstrip("0123456789").rstrip("_").casefold() for key in value}
            if self._is_each(value, not (len(stems) == 1 and stems <= {*_STEMS})):
                return [{"word": key, "vector": each} for key, each in value.items()]
            return [*_zipped(value)]
        if values and all(isinstance(each, dict) and each for each in values):
            if is_root and (is_each := self._is_index(value)) is not None:
                if not is_each:
                    keys = dict.fromkeys(key for each in value.values() for key in each)
                    value = {key: {name: value[name].get(key) for name in value} for key in keys}
                return _by_key(value)
            if len(values) > 1 and all(any(map(is_vector, each.values())) for each in values):
                return _by_key(value)
        inner = {key: self._table(each) for key, each in value.items() if isinstance(each, dict)}
        return value | inner

    def _is_each(self, value: Mapping[str, Any], found: bool) -> bool:
        """Whether each key of an object is a row; asked for if it is not found."""
        if self.path in (EACH, TRANSPOSED):
            return self.path == EACH
        if not found:
            key = next(iter(value))
            row, column = f"{EACH}: {key} is a row", f"{TRANSPOSED}: {key} is a column"
            raise self._uncertain({EACH: row, TRANSPOSED: column})
        return found

    def _is_index(self, value: Mapping[str, Record]) -> bool | None:
        """Whether each key is a row or a column, as pandas writes both; None if it is neither."""
        inner = [set(each) for each in value.values()]
        common = set.intersection(*inner)
        every = set.union(*inner)
        is_numbered = all(map(str.isdigit, common))
        if not common or 2 * len(common) < len(every):
            return None
        if any(isinstance(_first(each), dict) for row in value.values() for each in row.values()):
            return None  # lists of records are within
        if len(value) == 1 and not is_numbered and next(iter(value)) not in _NAMES:
            return None
        if is_numbered != all(map(str.isdigit, value)):
            return not is_numbered
        rows = all(len({_kind(each[key]) for each in value.values()}) == 1 for key in common)
        columns = all(len(set(map(_kind, each.values()))) == 1 for each in value.values())
        votes = bool(common & _NAMES) - bool(value.keys() & _NAMES)
        if votes == 0:
            votes = int(rows) - int(columns)
        return False if votes < 0 else self._is_each(value, votes > 0)


def is_document(head: str) -> bool:
    """Whether a file that begins so is one JSON document, and not JSON by lines."""
    return head.lstrip()[:1] in ("[", "{") and not _has_lines(head.splitlines())


def is_json_lines(text: str) -> bool:
    """Whether a text has a JSON object in each of its first lines, whatever the file's name."""
    return text[:1] == "{" and _has_lines(lines_of(text))


def _has_lines(lines: Iterable[str]) -> bool:
    filled = filter(str.strip, lines)
    try:
        first = next(filled, "")
        second = next(filled, "")
        json.loads(first)
    except GeometryError:
        raise
    except (ValueError, RecursionError):
        return False
    return bool(second)


def _values(text: str, refuse: Callable[..., GeometryError], first_line: int = 1) -> list[Any]:
    """The objects and lists of a text, one after the other."""
    decoder = json.JSONDecoder()
    values = []
    at = _end_of_space(text, 0)
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", text.count("\n", 0, at) + 1)
            raise refuse("bad_json", line=first_line + line - 1) from error
        if not isinstance(value, dict | list):
            raise refuse("bad_json", line=first_line)
        values.append(value)
        at = _end_of_space(text, end)
    if "\\ud" in text.lower():  # only an escape can give half of a surrogate pair
        refuse_halves(json.dumps(values, ensure_ascii=False), first_line)
    return values


def _end_of_space(text: str, start: int) -> int:
    return _SPACE.match(text, start).end()  # type: ignore[union-attr]


def _record(value: Any) -> Mapping[str, Any]:
    """A value as a record: a list is a vector, or the cells of a row."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list):
        return {"text" if isinstance(value, str) else "value": value}
    if is_vector(value) and not any(isinstance(each, str | list | dict) for each in value):
        return {"vector": value}
    return {f"column {place}": each for place, each in enumerate(value, start=1)}


def _zipped(columns: Mapping[str, Sequence[Any]]) -> Iterator[Record]:
    for values in zip(*columns.values(), strict=False):
        yield flat(dict(zip(columns, values, strict=True)))


def _by_key(value: Mapping[str, Record]) -> list[Record]:
    return [{"key": key} | each for key, each in value.items()]


def _has_columns(found: Mapping[str, Any], rows: Any) -> bool:
    """Whether another list has an entry for each of the rows that is no record, as of Chroma."""
    lists = [each for each in found.values() if isinstance(each, list) and each is not rows]
    return isinstance(rows, list) and any(
        len(each) == len(rows) and not isinstance(_first(each), dict) for each in lists
    )


def _has_rows(value: Any) -> bool:
    return type(value) is list and len(value) > 1 and type(value[0]) not in (int, float)


def _bears_vectors(value: list[Any]) -> bool:
    """Whether a list is of several vectors, or of records with vectors."""
    first = _first(value)
    if isinstance(first, dict):
        return any(map(is_vector, flat(first).values()))
    return is_vector(first) and all(each is None or isinstance(each, list) for each in value)


def _is_text(field: tuple[str, Any]) -> bool:
    """Whether a field is a text: by its name, or by a space or a letter beyond ASCII within."""
    name, value = field
    last = name.rpartition(".")[2].casefold()
    if type(value) is not str or last in WEAK_NAMES:
        return False
    return last in TEXT_NAMES or " " in value.strip() or not value.isascii()


def _is_table(columns: Any, data: Any) -> bool:
    return (
        all(isinstance(each, list) for each in (columns, data))
        and all(isinstance(row, list) and len(row) == len(columns) for row in data)
        and all(isinstance(name, str) for name in columns)
    )


def _first(values: Any) -> Any:
    """The first member of a list that is not null; None of what is no list."""
    listed = values if type(values) is list else ()
    return next((each for each in listed if each is not None), None)


def is_json_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """The value of a record with one key such as $numberDouble or $oid, as MongoDB writes it."""
    if not (isinstance(value, dict) and len(value) == 1):
        return value
    [(kind, plain)] = value.items()
    if not kind.startswith("$") or isinstance(plain, dict | list):
        return value
    with suppress(ValueError, TypeError):
        return float(plain) if kind.startswith("$number") else plain
    return value


def _kind(value: Any) -> type:
    return float if is_json_number(value) else type(value)
