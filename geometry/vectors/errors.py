"""The error of a file of vectors that can't be read."""

from ..errors import GeometryError

MOST_NAMED = 5  # words, rows or sentences that an error or a report lists


class VectorFileError(GeometryError):
    """A file without vectors, or with other vectors than its header states."""

    subject = "vectors"


def too_large(n_rows: int, d: int, limit: int, *, beside: int = 0) -> VectorFileError:
    """The error of a table that needs more bytes than ``limit``, with ``beside`` for its words."""
    needed = 4 * n_rows * d + beside
    return VectorFileError("too_many_bytes", n=n_rows, d=d, needed=needed, limit=limit)


def refuse_dimensions(d: int, most: int, *, beside: int = 0) -> None:
    if d > most + beside:
        raise VectorFileError("too_many_dimensions", limit=most)


def refuse_unpacked(n_bytes: int, limit: int, *, of_words: bool = False) -> None:
    if n_bytes > limit:
        raise VectorFileError("unpacked" if of_words else "unpacked_set", limit=limit)
