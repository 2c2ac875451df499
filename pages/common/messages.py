"""Error messages in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from geometry import ModelFilesError
from geometry.errors import GeometryError
from geometry.hub import DataSetError
from geometry.measure.intervals import MIN_ROWS

from .escape import markdown
from .words import _

# errors of an encoder at work
ENCODER_ERRORS = (ModelFilesError, ValueError, OSError, MemoryError, RuntimeError)


def error_text(error: Exception) -> str:
    """What is wrong, the limit and the remedy. An error of another library is quoted."""
    if not isinstance(error, GeometryError):
        reason = markdown(str(error).rstrip(".") or type(error).__name__)
        return _(
            "A library failed ({reason}). Nothing was lost. Try again, with other settings or "
            "less text."
        ).format(reason=reason)
    if not isinstance(error, DataSetError):
        return error.sentence(_, markdown)
    return f"{error.sentence(_, markdown)} " + _(
        "Without a network you can still use the project’s pairs and uploads."
    )


def show_error(error: Exception) -> None:
    """The error's text in a red box."""
    st.error(error_text(error))


@contextmanager
def encoder_errors_shown() -> Iterator[None]:
    """A context that ends at an error of the encoder and shows it."""
    try:
        yield
    except ENCODER_ERRORS as error:
        show_error(error)


def cancelled_download() -> str:
    """The message after a reader cancelled a download."""
    return _("Cancelled. An interrupted download resumes when you start again.")


def too_few_for_interval(n: int) -> str:
    """The message where n points are too few for an interval."""
    words = _("An interval needs {least} points or more, and {n} are shown.")
    return words.format(least=MIN_ROWS, n=n)
