"""Error messages in the reader's language."""

from __future__ import annotations

import streamlit as st

from geometry import DataSetError
from geometry.errors import GeometryError

from .escape import markdown
from .words import Translate


def error_text(error: Exception, _: Translate) -> str:
    """What is wrong, the limit and the remedy. Other errors give their own message."""
    if not isinstance(error, GeometryError):
        reason = markdown(str(error).rstrip("."))
        return _("The encoder can't be used, so there is no picture. {reason}.").format(
            reason=reason
        )
    if not isinstance(error, DataSetError):
        return error.sentence(_, markdown)
    return f"{error.sentence(_, markdown)} " + _(
        "Without a network you can still use the project’s pairs and uploads."
    )


def show_error(error: Exception, _: Translate) -> None:
    """The error's text in a red box."""
    st.error(error_text(error, _))
