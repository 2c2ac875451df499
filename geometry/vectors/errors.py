"""The error of a file of vectors that can't be read."""

from ..errors import GeometryError

MOST_NAMED = 5  # words, rows or sentences that an error or a report lists


class VectorFileError(GeometryError):
    """A file without vectors, or with other vectors than its header states."""

    subject = "vectors"


def refuse_dimensions(d: int, most: int, *, beside: int = 0) -> None:
    if d > most + beside:
        raise VectorFileError("too_many_dimensions", limit=most)


def refuse_unpacked(n_bytes: int, limit: int, *, of_words: bool = False) -> None:
    if n_bytes > limit:
        raise VectorFileError("unpacked" if of_words else "unpacked_set", limit=limit)
