"""The pictures: an animation through the layers, and every layer small beside it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from geometry.figures.cone import cone_figure
from geometry.figures.panel import Mark, Panel
from geometry.palette import Theme
from geometry.projection.packing import pack_cloud
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.controls import layer_words
from pages.common.corpus_cloud import CorpusCloud
from pages.common.draw.charts import Chart, chart_of, share_texts, show_chart
from pages.common.draw.clouds import (
    alternative_with,
    axis_titles,
    current_theme,
    draw_legend,
    lines_below,
    note_too_many_labels,
    panel_with,
    point_colours,
)
from pages.common.draw.find_point import chosen_marks
from pages.common.draw.selected import choose_row, store_selection
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import (
    UNIT_REACH,
    Picture,
    Points,
    TwinCloud,
    spread_stops,
)
from pages.common.escape import plotly
from pages.common.words import _, language

from .choices import slide_to_layer, store_layer
from .film import Film
from .provenance import provenance
from .scene import Scene

GROUP = "layers"
SMALL_HEIGHT = 220


def draw_pictures(scene: Scene) -> None:
    """Every layer at one scale, with the origin in the middle; all points are within distance 1."""
    (_draw_charts if has_no_webgl2() else _draw_twins)(scene)
    note_too_many_labels(scene.first.cloud)


def layer_title(scene: Scene, layer: int | None = None) -> str:
    """The title of a layer; by default that of the numbers."""
    title = layer_words(scene.layer if layer is None else layer, scene.film.last)
    return title[:1].upper() + title[1:]


def captions(scene: Scene) -> list[str]:
    """The cone's angles at the layer of the numbers, and its picture's trustworthiness."""
    panel = _panel(scene.film, scene.layer, language())
    return [*panel.captions, *lines_below(scene.still.picture, panel)]


@kept(256)
def _panel(film: Film, layer: int, _language: str) -> Panel:
    """The panel of a layer, without texts and marks."""
    still, d = film.stills[layer], film.first.vectors.shape[1]
    return panel_with(still.edges, d, (), still.picture, UNIT_REACH)


@kept(24)
def _points(film: Film) -> Points:
    return Points.of(pack_cloud([picture.around_origin for picture in film.pictures], UNIT_REACH))


def _alternative(scene: Scene, layer: int) -> str:
    cosine = scene.film.stills[layer].headlines["mean_cosine"].value
    title, n = layer_title(scene, layer), len(scene.first.cloud)
    return alternative_with(title, n, cosine, _panel(scene.film, layer, language()))


def _draw_twins(scene: Scene) -> None:
    show_twin_cloud(
        _twin_cloud(scene),
        current_theme(),
        key=GROUP,
        texts=scene.first.cloud.texts,
        on_point=choose_row,
        on_selection=partial(store_selection, scene.first.key),
        on_settled=store_layer,
    )


def _twin_cloud(scene: Scene) -> TwinCloud:
    """The message to the browser: an animation of all layers, then a picture of each layer."""
    points, stills = scene.first, scene.film.stills
    last, first = scene.film.last, stills[0].picture
    layers = range(last + 1)
    film = Picture(
        layers,
        [layer_title(scene, layer) for layer in layers],
        _("Between two layers: {layer}").format(layer="{0}"),
    )
    each = [Picture([layer], [_("layer {layer}").format(layer=layer)]) for layer in layers]
    stages = spread_stops(last + 1)
    return TwinCloud(
        points=_points(scene.film),
        rows_key=points.key,
        pictures=[film, *each] if last else [film],
        colours=point_colours(points, scene.choice.look.colour),
        reach=UNIT_REACH,
        axis_titles=axis_titles(first.method, first.n_components),
        origin_label=_("origin"),
        name=_("The same points at every layer"),
        film_name=_("From the first layer to the last"),
        at=float(scene.layer),
        values=(float(scene.layer),),
        knobs=[(float(layer),) for layer in layers],
        knob_steps=1,
        landmarks=[(stage, f"{stage}") for stage in stages] if last else (),
        alt=_alternative(scene, scene.layer),
        cones=[_panel(scene.film, layer, language()).wedges for layer in layers],
        marks=chosen_marks(points, scene.chosen),
        below=captions(scene),
        provenance=provenance(scene),
        file_name=f"layers-{first.n_components}d",
        is_large=is_presenting(),
        has_lead=True,
    )


def _draw_charts(scene: Scene) -> None:
    """A Plotly chart for each layer, for a browser without WebGL2."""
    points, look = scene.first, scene.choice.look
    slide_to_layer(scene.layer, scene.film.last)
    share_texts(GROUP, [plotly(text) for text in points.cloud.texts])
    theme = current_theme()
    look_now = (look.colour, scene.chosen, theme, language())
    n_layers = scene.film.last + 1
    boxes = [box for _row in range(0, n_layers, 4) for box in st.columns(4)]
    for layer, box in zip(range(n_layers), boxes, strict=False):
        title = layer_title(scene, layer)
        with box:
            st.markdown(f"**{title}**" if layer == scene.layer else title)
            show_chart(
                _chart(scene.film, layer, points, *look_now),
                key=f"layers-{layer}",
                file_name=f"layers-{layer}",
                alt=_alternative(scene, layer),
                on_point=choose_row,
                on_selection=partial(store_selection, points.key),
                texts=GROUP,
                group=f"{GROUP}-{points.key}",
            )
    draw_legend(point_colours(points, look.colour), theme)


@kept(128)
def _chart(
    film: Film,
    layer: int,
    points: CorpusCloud,
    colour: str,
    chosen: int | None,
    theme: Theme,
    language: str,
) -> Chart:
    """A layer; the colours may show the labels of the points, which the film does not name."""
    marks = [] if chosen is None else [Mark([chosen], "circle-open", _("chosen point"))]
    panel = replace(_panel(film, layer, language), marks=marks)
    colours = point_colours(points, colour)
    return chart_of(cone_figure(panel, colours, theme, height=SMALL_HEIGHT, lines=0))
