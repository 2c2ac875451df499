"""Errors of files and texts, and of places where a result is written."""

from typing import Any

from ..errors import GeometryError


class CorpusError(GeometryError):
    """A file or text that can't be read as a corpus or as scored pairs."""

    subject = "corpus"


class OutputError(GeometryError):
    subject = "output"


def uncertain(because: str, option: str, choices: tuple[str, ...], **details: Any) -> CorpusError:
    """The error of a file that may be read in two ways: ``option`` of ``Reading`` has to say it."""
    return CorpusError(because, option=option, choices=choices, **details)
