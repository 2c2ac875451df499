"""``show``: a twin cloud in a notebook."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from ..errors import need
from .view import make_view

if TYPE_CHECKING:
    from .widget import CloudWidget


def show(*vectors: Any, **how: Any) -> CloudWidget:
    """A cloud in a notebook: raw beside treated, or two sets of vectors side by side.

    The widget runs where anywidget does: Jupyter, Marimo, VS Code and Colab. A PNG stands in where
    no script runs. Its ``selection`` is the rows that the lasso has selected, and can be set.
    ``save`` writes one file of HTML. Raises MissingExtraError without the extra ``notebook``.

    Parameters
    ----------
    *vectors
        One set of vectors, or two of the same rows.
    **how
        As in ``make_view``: labels, texts, treatment, projection, names, language and others.
    """
    need("notebook", "anywidget")
    from .widget import CloudWidget

    return CloudWidget(make_view(*vectors, **how))


show.__signature__ = signature(make_view).replace(return_annotation="CloudWidget")  # type: ignore[attr-defined]
