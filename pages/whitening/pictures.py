"""The pictures of the whitening page: the same points, one basis, one scale, raw first."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from geometry.figures.cone import cone_figure
from geometry.figures.panel import Mark, Panel
from geometry.figures.point_colours import PointColours
from geometry.projection.packing import pack_cloud
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.draw.charts import chart_of, share_texts, show_chart
from pages.common.draw.clouds import (
    alternative_with,
    axis_titles,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    note_too_many_labels,
    point_colours,
)
from pages.common.draw.find_point import chosen_marks
from pages.common.draw.selected import choose_row, store_selection
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import Picture, Points, TwinCloud
from pages.common.escape import plotly
from pages.common.treatment_names import treatment_names
from pages.common.words import _, language, prose

from . import PAGE
from .headlines import measured
from .provenance import provenance
from .scene import ScaledProjection, Scene, TreatedCloud

GROUP = "whitening"
HEIGHT = 440
EMPTIED = 8.0  # a larger factor means almost no variance along the picture's axes


def draw_pictures(scene: Scene) -> None:
    """Draw all pictures: the same points, one basis, one scale."""
    (_draw_charts if has_no_webgl2() else _draw_twins)(scene)
    note_too_many_labels(scene.sets.cloud)


def _draw_charts(scene: Scene) -> None:
    """The pictures as Plotly charts, for a browser without WebGL2."""
    share_texts(GROUP, [plotly(text) for text in scene.sets.cloud.texts])
    colours = point_colours(scene.sets.points, scene.look.colour)
    boxes = [box for _row in range(0, len(scene.pictures), 2) for box in st.columns(2)]
    for box, picture in zip(boxes, scene.pictures, strict=False):
        with box:
            _draw_chart(picture, scene, colours)
    draw_legend(colours, current_theme())


def _draw_chart(picture: TreatedCloud, scene: Scene, colours: PointColours) -> None:
    key = scene.sets.points.key
    marks = [] if scene.chosen is None else [Mark([scene.chosen], "circle-open", _("chosen point"))]
    panel = replace(_panel(picture, scene), marks=marks)
    st.markdown(f"**{treatment_names()[picture.name]}**")
    show_chart(
        # captions are below the chart: most treatments have none, so no line is reserved
        chart_of(cone_figure(panel, colours, current_theme(), height=HEIGHT, lines=0)),
        key=f"whitening-{picture.name}",
        file_name=f"whitening-{picture.name}",
        alt=_alternative(picture, scene),
        on_point=choose_row,
        on_selection=partial(store_selection, key),
        texts=GROUP,
        # the key of the cloud: row numbers of another cloud mean other points
        group=f"{GROUP}-{key}",
    )


def _draw_twins(scene: Scene) -> None:
    """The pictures under one camera."""
    show_twin_cloud(
        _twin_cloud(scene),
        current_theme(),
        key=GROUP,
        texts=scene.sets.cloud.texts,
        on_point=choose_row,
        on_selection=partial(store_selection, scene.sets.points.key),
    )


def _twin_cloud(scene: Scene) -> TwinCloud:
    """The message to the browser: each treatment is an animation from raw to treated."""
    names = treatment_names()
    raw = scene.pictures[0]
    between = _("to {name}: {share}")
    pictures = [Picture([0], [names[raw.name]])]
    for place, picture in enumerate(scene.pictures[1:], start=1):
        name = names[picture.name]
        stops = [names[raw.name], name]
        pictures.append(Picture([0, place], stops, between.format(name=name, share="{0}")))
    frames = [picture.projection.around_origin * picture.factor for picture in scene.pictures]
    panels = [_panel(picture, scene) for picture in scene.pictures]
    projection = raw.projection
    return TwinCloud(
        points=Points.of(pack_cloud(frames, scene.reach)),
        rows_key=scene.sets.points.key,
        pictures=pictures,
        colours=point_colours(scene.sets.points, scene.look.colour),
        reach=scene.reach,
        axis_titles=axis_titles(projection.method, projection.n_components),
        origin_label=None if projection.origin is None else _("origin"),
        name=" · ".join(names[picture.name] for picture in scene.pictures),
        alt=" ".join(_alternative(picture, scene) for picture in scene.pictures),
        at=1.0,
        knobs=((0.0,), (1.0,)),
        cones=[panel.wedges for panel in panels],
        factors=[picture.factor for picture in scene.pictures],
        marks=chosen_marks(scene.sets.points, scene.chosen),
        below=[
            f"{names[picture.name]}: " + " · ".join(_trust_lines(picture, panel))
            for picture, panel in zip(scene.pictures, panels, strict=True)
        ],
        provenance=provenance(scene),
        file_name=f"whitening-{projection.n_components}d",
        is_large=is_presenting(),
    )


def _panel(picture: TreatedCloud, scene: Scene) -> Panel:
    """The panel of a picture, without marks."""
    return _drawn(picture, picture.scaled, scene.reach, language())


# a step of a slider changes only some of them
@kept(2000)
def _drawn(picture: TreatedCloud, at: ScaledProjection, reach: float, code: str) -> Panel:
    """The panel in a language."""
    treated = picture.treated
    return cloud_panel(
        treated.vectors, (), at.projection, reach, scale=at.factor, d=treated.retained.shape[1]
    )


def _alternative(picture: TreatedCloud, scene: Scene) -> str:
    """The picture in words."""
    title, cosine = treatment_names()[picture.name], measured(picture)["mean_cosine"].value
    return alternative_with(title, len(scene.sets.cloud), cosine, _panel(picture, scene))


def about(picture: TreatedCloud, scene: Scene) -> str:
    """The treatment's description and the trustworthiness of its picture."""
    panel, said = _panel(picture, scene), []
    if picture.name != "raw":
        said = [prose(PAGE, f"about-{picture.name}", about_values())]
    return "  \n".join([*said, " · ".join([*panel.captions, *_trust_lines(picture, panel)])])


def about_values() -> dict[str, str]:
    """Values for the lines about the treatments."""
    from geometry.data.pairs import read_bundled_pairs

    return {"pairs": f"{len(read_bundled_pairs()):,}"}


def _trust_lines(picture: TreatedCloud, panel: Panel) -> list[str]:
    """Trustworthiness, points outside the frame, and the factor of the enlargement."""
    if picture.is_emptied:  # trustworthiness has no meaning if all points are at one place
        return [
            _(
                "all points at the origin: this treatment leaves only rounding along the axes of "
                "this view"
            )
        ]
    return [*lines_below(picture.projection, panel), *_scale_line(picture)]


def _scale_line(picture: TreatedCloud) -> list[str]:
    if picture.name == "raw" or picture.projection.origin is None:
        return []
    line = _("drawn × {factor}, so that all have the same rms radius")
    if picture.factor > EMPTIED:
        line = _(
            "drawn × {factor}, so that all have the same rms radius. This treatment leaves "
            "almost no variance along the axes of this view."
        )
    return [line.format(factor=f"{picture.factor:.3g}")]
