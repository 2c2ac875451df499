"""Vectors as a twin cloud: raw beside treated, or two sets of vectors of the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.translations import ENGLISH, Translate, catalogue, languages, paragraph, text_tables
from ..errors import need
from ..evaluate.specs import parse_treatment
from ..linalg.rows import UndefinedMeasure, float_rows
from ..measure import mean_cosine
from ..palette import DARK, LIGHT
from ..projection import Projection, project
from ..projection.cloud_text import CLOUD_TEXT, alternative, axis_titles, cone_wedges, lines_below
from ..projection.neighbour_maps import MOST_FITTED
from ..projection.packing import pack_cloud
from ..projection.panel import Panel
from ..projection.point_colours import MOST_LABELS, PointColours
from ..projection.projection import match_radius, settle, turned_like
from ..projection.twin import common_scale, cone_edges, frame_of
from ..projection.twin_message import (
    MOST_TEXTS,
    Picture,
    Points,
    TwinCloud,
    message_of,
    short_text,
    theme_colours,
)
from ..transform import fit_treatment
from ..transform.treatments import TREATMENTS

if TYPE_CHECKING:
    from .widget import CloudWidget

# Also on the pages, which translate them.
VIEW_TEXT = text_tables("axis_labels")["view"]


@dataclass(frozen=True)
class CloudView:
    """A twin cloud with its texts, ready to be shown."""

    cloud: TwinCloud  #: the pictures
    texts: Sequence[str] | None  #: of each row; None where the rows have no texts
    places: Sequence[np.ndarray]  #: the points of each picture as it is first shown
    language: str = ENGLISH  #: code of the language of labels
    camera: Sequence[float] | None = None  #: the first one, as in the address; None for the usual

    @property
    def n(self) -> int:
        return self.cloud.n

    def text_of(self, row: int) -> str:
        """What a tooltip says of a row; its number from 0 where it has no text."""
        return str(row) if self.texts is None else short_text(str(self.texts[row]))

    def description(self, most_texts: int | None = MOST_TEXTS) -> dict[str, Any]:
        """What the browser needs besides the arrays, for JSON. None: the texts of all rows."""
        name = f"texts-{self.cloud.rows_key}"
        translate = catalogue(self.language).gettext
        message = message_of(self.cloud, LIGHT, name, translate)
        has_texts = most_texts is None or self.n <= most_texts
        return {
            "message": {**message, "settles": False, "camera": self.camera},
            "themes": {"light": theme_colours(LIGHT), "dark": theme_colours(DARK)},
            "texts": [self.text_of(row) for row in range(self.n)] if has_texts else {},
            "selected": [] if self.cloud.selected is None else self.cloud.selected.tolist(),
        }


@dataclass(frozen=True)
class _Cloud:
    """Vectors to draw, the same in the directions that they fill, and where they are drawn."""

    title: str
    vectors: np.ndarray
    filled: np.ndarray
    at: Projection


def make_view(
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
    language: str = ENGLISH,
) -> CloudView:
    """The pictures of a cloud: raw beside treated, or two sets of vectors side by side.

    Raises ValueError for NaN, other shapes, another number of labels, texts or rows, and unknown
    names; MissingExtraError for a map without its extra.

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
    texts : sequence of str, optional, of each row, for the tooltip
    treatment : str, optional
        Such as "zca:lw" (``parse_treatment``), fitted on each set and drawn beside it. The slider
        moves each point along a straight line from raw to treated.
    projection : str
        A method of ``project``. The treated cloud is drawn on the axes of the raw one; a map
        ("umap", "tsne") is fitted on each.
    n_components : int, 2 or 3
    names : (str, str), of X and Y, where there are two
    random_state : int or None
        Seed of a map, of treatments and of the rows on which trustworthiness is computed. With
        None each fit of a map gives another one, UMAP uses all cores, and the rest has the seed 0.
    most_fitted : int or None
        Of more rows, a map is fitted on a random sample of so many, and the others are placed.
        None: on all rows.
    language : str, of labels, such as "zh-Hant"
    """
    if language not in languages():
        raise ValueError(f"language must be one of {', '.join(languages())}; got {language!r}")
    translate = catalogue(language).gettext
    spec = parse_treatment("none" if treatment is None else treatment)
    if X is None:
        raise ValueError("expected vectors as rows, shape (n, d); got None")
    if len(names) != 2:  # or a text
        raise ValueError(f"names must be two texts; got {names!r}")
    sets = [float_rows(each, at_least=n_components + 1) for each in (X, Y) if each is not None]
    n = len(sets[0])
    for what, given in (("Y", sets[-1]), ("labels", labels), ("texts", texts)):
        if given is not None and len(given) != n:
            raise ValueError(f"{what}: {len(given):,} for {n:,} rows of X; give one for each row")
    stops = [translate(TREATMENTS["raw"].label)]
    if spec.is_fitted:
        label = translate(TREATMENTS[spec.name].label)
        stops.append(translate(VIEW_TEXT["noted"]).format(text=label, note=spec.text))
    how: dict[str, Any] = {"method": projection, "n_components": n_components}
    how |= {"random_state": random_state, "most_fitted": most_fitted}
    clouds: list[_Cloud] = []  # of each set the raw one, then the treated one
    for number, rows in enumerate(sets):
        former = clouds[0].at if clouds else None
        raw = _like(former, project(rows, **how))
        name = names[number] if len(sets) > 1 else stops[0]
        clouds.append(_Cloud(name, rows, rows, raw))
        if spec.is_fitted:
            title = f"{name} · {stops[1]}" if len(sets) > 1 else stops[1]
            fitted = fit_treatment(spec.name, rows, random_state=random_state or 0)
            treated = spec.turn(fitted, rows.shape[1]).apply(rows)
            Z = treated.vectors
            if raw.axes is None:
                at = _like(raw, project(Z, **how))
            else:
                at = settle(raw.apply(Z), rows, Z)
            clouds.append(_Cloud(title, Z, treated.retained, at))
    first = clouds[0].at
    reach = max(common_scale(first, each.at)[1] for each in clouds)
    drawings = [_drawing(each, first, reach, translate) for each in clouds]
    panels, factors, below, alts = zip(*drawings, strict=True)
    pictures: list[Picture] = []
    for place, each in enumerate(clouds):
        has_way = place % len(stops) and first.axes is not None  # from the raw cloud before it
        path = [place - 1, place] if has_way else [place]
        between = translate(VIEW_TEXT["between"]).format(name=each.title, share="{0}")
        pictures.append(Picture(path, [clouds[stop].title for stop in path], between))
    size = translate(VIEW_TEXT["size"])
    about = [size.format(n=f"{len(each):,}", d=f"{each.shape[1]:,}") for each in sets]
    if spec.is_fitted:
        about.append(f"{spec.text} {translate(VIEW_TEXT['fit']).format(n=f'{n:,}')}")
    seeded = translate(VIEW_TEXT["no-seed" if random_state is None else "seed"])
    about += [f"projection={projection}", seeded.format(seed=random_state)]
    has_film = any(len(picture.path) > 1 for picture in pictures)
    has_origin = first.origin is not None
    colours = _colours(labels, sets[0], translate)
    places = [panel.coordinates for panel in panels]
    points = Points.of(pack_cloud(places, reach))
    cloud = TwinCloud(
        points=points,
        rows_key=points.name,
        pictures=pictures,
        colours=colours,
        reach=reach,
        axis_titles=axis_titles(projection, n_components, translate),
        origin_label=translate(CLOUD_TEXT["origin"]) if has_origin else None,
        name=" · ".join(each.title for each in clouds),
        alt=paragraph(alts),
        at=1.0 if has_film else 0.0,
        knobs=((0.0,), (1.0,)) if has_film else ((),),
        cones=[panel.wedges for panel in panels],
        frames=[panel.frame for panel in panels if panel.frame is not None],
        factors=factors if has_origin else (),
        below=below,
        provenance=" · ".join(about),
        landmarks=[*enumerate(stops)] if has_film else (),
        film_name=" → ".join(stops) if has_film else "",
    )
    own_texts = None if texts is None else [str(text) for text in texts]
    return CloudView(cloud, own_texts, places, language)


def _like(first: Projection | None, picture: Projection) -> Projection:
    """The picture of the second set, turned as the first is: signs of axes; of a map a rotation."""
    if first is None:
        return picture
    if picture.axes is not None:
        return turned_like(first, picture)
    left, _, right = np.linalg.svd(picture.around_origin.T @ first.around_origin)
    return replace(picture, coordinates=picture.around_origin @ (left @ right))


def _drawing(
    cloud: _Cloud, first: Projection, reach: float, translate: Translate
) -> tuple[Panel, float, str, str]:
    """The picture at the rms radius of the first, its factor, caption and alternative."""
    at = cloud.at
    factor = match_radius(first.around_origin, at.around_origin)
    edges = cone_edges(cloud.vectors, at)
    coordinates = at.around_origin * factor
    has_origin = at.origin is not None
    wedges = cone_wedges(edges, at, cloud.filled.shape[1], translate)
    frame = frame_of(coordinates, edges) if has_origin else None
    # texts and titles are those of the twin cloud
    panel = Panel(coordinates, (), reach, (), None, wedges=wedges, frame=frame)
    lines = lines_below(at, panel, translate)
    if has_origin and factor != 1:
        lines.append(translate(VIEW_TEXT["factor"]).format(factor=f"{factor:.3g}"))
    try:
        cosine = mean_cosine(cloud.filled)
    except UndefinedMeasure:
        cosine = None
    alt = alternative(cloud.title, len(coordinates), cosine, panel.captions, translate)
    below = translate(VIEW_TEXT["line"]).format(name=cloud.title, value=" · ".join(lines))
    return panel, factor, below, alt


def _colours(labels: Sequence[Any] | None, X: np.ndarray, translate: Translate) -> PointColours:
    """By label, the rarest of more than MOST_LABELS as one; else by the vectors' lengths.

    More than MOST_LABELS different floats are a scale; whole numbers are classes.
    """
    if labels is None:
        return PointColours.by_value(np.linalg.norm(X, axis=1), translate(VIEW_TEXT["length"]))
    given = np.asarray(labels)
    if given.dtype.kind == "f" and len(np.unique(given)) > MOST_LABELS:
        if not np.isfinite(given).all():
            raise ValueError("labels that are numbers must be finite; got NaN or infinity")
        return PointColours.by_value(given, translate(VIEW_TEXT["label"]))
    names = [str(label) for label in labels]
    common = [name for name, _count in Counter(names).most_common()]
    if len(common) > MOST_LABELS:
        rest = translate("other")
        kept = set(common[: MOST_LABELS - 1])
        names = [name if name in kept else rest for name in names]
    return PointColours.by_label(names, translate(VIEW_TEXT["label"]))


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
