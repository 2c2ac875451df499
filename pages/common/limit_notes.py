"""The limits of uploads, which ``narrow-cone.toml`` sets, and the line that states them."""

from __future__ import annotations

from geometry.data.limits import MEGABYTE, Limits
from geometry.hub.operator_limits import read_upload_limits

from .words import _


def upload_limits() -> Limits:
    """The limits of every upload; no control of a page raises them."""
    return read_upload_limits()


def megabytes(n_bytes: int) -> str:
    """A limit in megabytes, as a label states it."""
    return f"{n_bytes / MEGABYTE:g}"


def table_note() -> str:
    """The limits of a corpus or of pairs, in one line."""
    limits = upload_limits()
    return _(
        "At most {rows} rows, {columns} columns and {unpacked} MB when unpacked. Texts are cut "
        "after {characters} characters."
    ).format(
        rows=f"{limits.rows:,}",
        columns=f"{limits.columns:,}",
        unpacked=megabytes(limits.unpacked_bytes),
        characters=f"{limits.text_characters:,}",
    )


def vector_note() -> str:
    """The limits of word vectors, in one line."""
    limits = upload_limits()
    return _(
        "At most {words} words of {dimensions} dimensions, and {size} MB when unpacked and in "
        "memory."
    ).format(
        words=f"{limits.words:,}",
        dimensions=f"{limits.dimensions:,}",
        size=megabytes(limits.table_bytes),
    )


def shortened_note(n: int) -> str:
    """How many texts were cut at the limit of characters."""
    return _(
        "Longer than the limit of {limit} characters: {n} texts. Only their beginnings are used."
    ).format(limit=f"{upload_limits().text_characters:,}", n=f"{n:,}")
