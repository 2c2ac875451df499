"""Error messages in the reader's language."""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import ModelFilesError, process
from geometry.errors import GeometryError
from geometry.hub import DataSetError
from geometry.measure.intervals import MIN_ROWS

from .words import _, markdown, paragraph

# errors of an encoder at work
ENCODER_ERRORS = (ModelFilesError, ValueError, OSError, MemoryError, RuntimeError)
OWN_MODULES = ("geometry.", "pages.")
_LOG = logging.getLogger(__name__)


def error_text(error: Exception) -> str:
    """What is wrong, the limit and the remedy. An error of another library is quoted."""
    if isinstance(error, GeometryError):
        said = error.sentence(_, markdown)
        offline = _("Without a network you can still use the project’s pairs and uploads.")
        return paragraph([said, offline]) if isinstance(error, DataSetError) else said
    if not isinstance(error, ENCODER_ERRORS) or _is_ours(error):
        return _(
            "This can’t be shown, because of a fault in this program. Your data are still here, "
            "and the server’s log names the fault."
        )
    said = _(
        "A library failed ({reason}). Nothing was lost. Try again, with other settings or less "
        "text."
    )
    return said.format(reason=markdown(str(error).rstrip(".") or type(error).__name__))


def _is_ours(error: Exception) -> bool:
    """Whether our own code refused an argument: a ValueError raised in a module of this project."""
    frames = [frame for frame, _line in traceback.walk_tb(error.__traceback__)]
    module = frames[-1].f_globals.get("__name__", "") if frames else ""
    # an error of another process is raised again here, without its frames
    is_passed_on = module == process.__name__
    return type(error) is ValueError and module.startswith(OWN_MODULES) and not is_passed_on


def show_error(error: Exception) -> None:
    """The error's text in a red box. The log has a line about an error without a sentence."""
    if not isinstance(error, GeometryError):
        places = traceback.extract_tb(error.__traceback__)[-4:]
        path = " > ".join(f"{place.name}:{place.lineno}" for place in places)
        _LOG.error("%s: %s, in %s", type(error).__name__, " ".join(str(error).split()), path)
    st.error(error_text(error))


def show_failure(error: Exception) -> bool:
    """Show an error that no page has handled, in place of Streamlit's box; returns True."""
    st.container(key="failure").error(error_text(error))
    return True


@contextmanager
def errors_shown(place: DeltaGenerator | None = None) -> Iterator[None]:
    try:
        yield
    except ENCODER_ERRORS as error:
        with place or nullcontext():
            show_error(error)


def cancelled_download() -> str:
    return _("Cancelled. Files that had arrived completely are not downloaded twice.")


def too_few_for_interval(n: int) -> str:
    words = _("An interval needs {least} points or more, and {n} are shown.")
    return words.format(least=MIN_ROWS, n=n)
