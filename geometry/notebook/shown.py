"""``show``: a twin cloud in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import need
from ..projection.neighbour_maps import MOST_FITTED
from .view import make_view

if TYPE_CHECKING:
    from .widget import CloudWidget


def show(
    X: Any,
    Y: Any = None,
    *,
    labels: Sequence[Any] | None = None,
    texts: Sequence[str] | None = None,
    treatment: str | None = None,
    projection: str = "mean",
    n_components: int = 2,
    names: tuple[str, str] = ("X", "Y"),
    random_state: int | None = 0,
    most_fitted: int | None = MOST_FITTED,
    language: str = "en",
) -> CloudWidget:
    """A cloud in a notebook: raw beside treated, or two sets of vectors side by side.

    The widget runs where anywidget does: Jupyter, Marimo, VS Code and Colab. A PNG stands in where
    no script runs.

    Parameters
    ----------
    X : (n, d) array of float, n > n_components
        Vectors, one a row: an array, a tensor, a data frame, or a column of vectors.
    Y : (n, e) array of float, optional
        A second set of vectors of the same rows, such as another model's.
    labels : sequence, optional
        The category of each row, which gives its colour. Without it the colour is the length of
        the vector. More than MOST_LABELS are drawn as those and "other"; so many floats are a scale
        of colours.
    texts : sequence of str, optional
        Of each row, for the tooltip.
    treatment : str, optional
        Such as "zca:lw" (``parse_treatment``), fitted on each set and drawn beside it. The slider
        moves each point along a straight line from raw to treated.
    projection : str
        A method of ``project``. The treated cloud is drawn on the axes of the raw one; a map
        ("umap", "tsne") is fitted on each.
    n_components : int
        2 or 3.
    names : (str, str)
        Of X and Y, where there are two.
    random_state : int or None
        Seed of a map, of treatments and of the rows on which trustworthiness is computed. With
        None each fit of a map gives another one, UMAP uses all cores, and the rest has the seed 0.
    most_fitted : int or None
        Of more rows, a map is fitted on a random sample of so many, and the others are placed.
        None: on all rows.
    language : str
        Of labels, such as "zh-Hant".

    Returns
    -------
    CloudWidget
        ``selection`` is the rows that the lasso has selected, and can be set. ``save`` writes one
        file of HTML.

    Raises
    ------
    MissingExtraError
        Without the extra ``notebook``, and for a map without its own.
    ValueError
        For NaN, other shapes, another number of labels, texts or rows, and unknown names.
    """
    need("notebook", "anywidget")
    from .widget import CloudWidget

    return CloudWidget(
        make_view(
            X,
            Y,
            labels=labels,
            texts=texts,
            treatment=treatment,
            projection=projection,
            n_components=n_components,
            names=names,
            random_state=random_state,
            most_fitted=most_fitted,
            language=language,
        )
    )
