"""The limits of uploads, which ``narrow-cone.toml`` sets, and the line that states them."""

from geometry.data.limits import MEGABYTE, Limits
from geometry.hub.operator_limits import read_upload_limits

from .words import _


def upload_limits() -> Limits:
    """The limits of every upload; no control of a page raises them."""
    return read_upload_limits()


def megabytes(n_bytes: int) -> str:
    return f"{n_bytes / MEGABYTE:g}"


def table_note() -> str:
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


def shortened_note(n: int) -> str:
    return _(
        "Longer than the limit of {limit} characters: {n} texts. Only their beginnings are used."
    ).format(limit=f"{upload_limits().text_characters:,}", n=f"{n:,}")
