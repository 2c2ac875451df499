"""Results as a notebook shows them, and as a data frame."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..errors import need

DIGITS = 4  # significant ones, in a notebook


class Framed:
    """A result with rows: ``to_frame`` gives them to pandas, a notebook shows them as a table."""

    def _records(self) -> Sequence[Mapping[str, Any]]:
        raise NotImplementedError

    def to_frame(self) -> Any:
        need("notebook", "pandas")
        import pandas

        return pandas.DataFrame.from_records(list(self._records()))

    def _repr_html_(self) -> str:
        """The rows as an HTML table, in the notebook's own colours."""
        records = self._records()
        names = list(records[0]) if records else []
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = ([escape(_printed(record[name])) for name in names] for record in records)
        body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _printed(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)
