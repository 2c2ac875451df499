"""Both clouds of narrow_cone, as one twin cloud or as two Plotly charts, with the lines below."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from geometry.figures.cone import cone_figure
from geometry.figures.panel import Mark, Panel
from geometry.projection import Projection
from geometry.projection.film import (
    STRENGTHS,
    Stop,
    film,
    film_knobs,
    nearest_in_film,
    place_in_film,
)
from geometry.projection.packing import pack_cloud
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import (
    alternative_with,
    axis_titles,
    cloud_panel,
    cone_wedges,
    current_theme,
    draw_legend,
    lines_below,
    note_too_many_labels,
    point_colours,
)
from pages.common.draw.find_point import chosen_marks, found_rows
from pages.common.draw.selected import choose_row, store_selection
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import SIDE, Aside, Marks, Picture, Points, TwinCloud
from pages.common.escape import plotly
from pages.common.words import _, language

from .choices import SLIDER_STEPS, knob_names, store_film_settings
from .provenance import provenance
from .scene import Scene, Side, full_whitening, measured

GROUP = "cone"
SIDE_ABOVE_LISTS = 270  # pixels; the neighbours of a chosen point are on the first screen
CENTRED = 1  # index of the film's stop after centring
FULL_FILM = 200_000  # points; a film of more has fewer stops
COARSE_STRENGTHS = 2  # stops of strength above 0 in such a film


def draw_pictures(scene: Scene) -> None:
    """Both clouds: same points, same colours, one basis, one scale, the origin in the middle."""
    panels = [_panel(side, scene) for side in (scene.raw, scene.white)]
    (_draw_charts if has_no_webgl2() else _draw_twins)(scene, panels)
    note_too_many_labels(scene.points.cloud)


def picture_notes(side: Side, scene: Scene) -> list[str]:
    """The cone's angles, the trustworthiness and the scale of a picture."""
    panel = _panel(side, scene)
    return [*panel.captions, *_trust_lines(side, panel, scene)]


def side_title(side: Side, scene: Scene) -> str:
    """The title of a picture: raw, centred, whitened, or the settings between."""
    whitening = scene.whitening
    return _("Raw") if side.name == "raw" else _place_name(whitening.centring, whitening.strength)


def _place_name(centring: float, strength: float) -> str:
    """The name of settings of the film."""
    names = {(0.0, 0.0): _("Raw"), (1.0, 0.0): _("Centred"), (1.0, 1.0): _("Whitened")}
    between = _("Between: centring {s}, strength {t}")
    return names.get((centring, strength)) or between.format(s=f"{centring:g}", t=f"{strength:g}")


def _panel(side: Side, scene: Scene) -> Panel:
    """The panel of a side, without texts and marks."""
    scale = 1.0 if side.name == "raw" else scene.factor
    return _drawn(side, side.projection, scene.reach, scale, language())


# for each stop of the sliders, as the alternatives
@kept(1000)
def _drawn(side: Side, projection: Projection, reach: float, scale: float, code: str) -> Panel:
    """The panel at a scale, in a language."""
    return cloud_panel(side.vectors, (), projection, reach, scale=scale, is_framed=True, d=side.d)


def _alternative(side: Side, scene: Scene, panel: Panel) -> str:
    """The picture in words."""
    cosine = measured(side)["mean_cosine"].value
    return alternative_with(side_title(side, scene), len(scene.points.cloud), cosine, panel)


def _trust_lines(side: Side, panel: Panel, scene: Scene) -> list[str]:
    """Trustworthiness, and the factor by which the whitened picture is enlarged."""
    lines = lines_below(side.projection, panel)
    if side.name == "white" and side.projection.origin is not None:
        scale = _("drawn × {factor}, so that both have the same rms radius")
        lines.append(scale.format(factor=f"{scene.factor:.3g}"))
    return lines


# Plotly charts


def _draw_charts(scene: Scene, panels: list[Panel]) -> None:
    theme = current_theme()
    cloud = scene.points.cloud
    colours = point_colours(scene.points, scene.look.colour)
    lines = 3 if scene.raw.projection.method == "cone" else 2
    sides = zip((scene.raw, scene.white), panels, strict=True)
    for box, (side, bare) in zip(st.columns(2), sides, strict=True):
        texts = [plotly(text) for text in cloud.texts]
        panel = replace(bare, texts=texts, marks=_chart_marks(scene))
        title = side_title(side, scene)
        figure = cone_figure(panel, colours, theme, lines=lines)
        with box:
            st.markdown(f"**{title}**")
            show_chart(
                chart_of(figure),
                key=f"chart-{side.name}",
                file_name=f"narrow-cone-{side.name}",
                alt=_alternative(side, scene, panel),
                on_point=choose_row,
                group="clouds",
            )
    draw_legend(colours, theme)


def _chart_marks(scene: Scene) -> list[Mark]:
    near, rows = scene.near, found_rows(scene.points)
    found = [Mark(rows, "x-thin-open", _("found"))] if rows else []
    if near is None:
        return found
    return [
        *found,
        Mark([near.row], "circle-open", _("chosen point")),
        Mark(near.raw.rows.tolist(), "square-open", _("nearest before whitening")),
        Mark(near.white.rows.tolist(), "diamond-open", _("nearest after whitening")),
    ]


# The twin cloud


def _draw_twins(scene: Scene, panels: list[Panel]) -> None:
    """Both clouds under one camera."""
    points = scene.points
    has_film = scene.raw.projection.method != "umap"
    show_twin_cloud(
        (_film_cloud if has_film else _still_cloud)(scene, panels),
        current_theme(),
        key=GROUP,
        texts=points.cloud.texts,
        on_point=choose_row,
        on_selection=partial(store_selection, points.key),
        on_settled=store_film_settings,
    )


def _film_cloud(scene: Scene, panels: list[Panel]) -> TwinCloud:
    """Raw beside the film from raw to whitened, and a picture of settings that the film lacks."""
    raw = scene.raw.projection
    stops, points = _film(scene.points, scene.fit, raw, scene.reach)
    knobs = _knobs(scene.points)
    whitening = scene.whitening
    at = place_in_film(knobs, whitening.centring, whitening.strength)
    names = [_place_name(s, t) for s, t in knobs]
    landmarks = (0, CENTRED, len(knobs) - 1)
    d = scene.raw.d
    white = Picture(
        range(len(stops)),
        names,
        _("Between: centring {s}, strength {t}").format(s="{0}", t="{1}"),
        None if at is not None else _aside(scene, panels[1]),
    )
    return _twin_cloud(
        scene, panels, points, [Picture([0], [_("Raw")]), white],
        at=at, knobs=knobs, landmarks=[(stop, names[stop]) for stop in landmarks],
        nearest=nearest_in_film(knobs, whitening.centring, whitening.strength)[0],
        cones=[cone_wedges(stop.cones, raw, d) for stop in stops],
        frames=[stop.frame for stop in stops],
        factors=[stop.factor for stop in stops]
    )  # fmt: skip


def _still_cloud(scene: Scene, panels: list[Panel]) -> TwinCloud:
    """Two pictures without a film, such as UMAP."""
    raw, white = (side.projection.around_origin for side in (scene.raw, scene.white))
    points = Points.of(pack_cloud([raw, white * scene.factor], scene.reach))
    pictures = [
        Picture([place], [side_title(side, scene)])
        for place, side in enumerate((scene.raw, scene.white))
    ]
    return _twin_cloud(scene, panels, points, pictures)


def _twin_cloud(
    scene: Scene, panels: list[Panel], points: Points, pictures: list[Picture], **more: object
) -> TwinCloud:
    projection = scene.raw.projection
    sides = list(zip((scene.raw, scene.white), panels, strict=True))
    titles = [side_title(side, scene) for side, _panel in sides]
    return TwinCloud(
        points=points,
        rows_key=scene.points.key,
        pictures=pictures,
        colours=point_colours(scene.points, scene.look.colour),
        reach=scene.reach,
        axis_titles=axis_titles(projection.method, projection.n_components),
        origin_label=None if projection.origin is None else _("origin"),
        name=_("Both clouds, raw and whitened"),
        values=(scene.whitening.centring, scene.whitening.strength),
        knob_names=knob_names(),
        knob_steps=SLIDER_STEPS,
        alt=" ".join(_alternative(side, scene, panel) for side, panel in sides),
        bands=panels[0].bands,
        marks=_twin_marks(scene),
        below=[
            f"{title}: " + " · ".join(_trust_lines(side, panel, scene))
            for title, (side, panel) in zip(titles, sides, strict=True)
        ],
        provenance=provenance(scene),
        file_name=f"narrow-cone-{projection.n_components}d",
        is_large=is_presenting(),
        turns=True,
        side=SIDE if scene.near is None else SIDE_ABOVE_LISTS,
        **more,  # type: ignore[arg-type]
    )


def _twin_marks(scene: Scene) -> list[Marks]:
    near, marks = scene.near, chosen_marks(scene.points, scene.chosen)
    if near is None:
        return marks
    return [
        *marks,
        Marks(near.raw.rows.tolist(), "square", _("nearest before whitening")),
        Marks(near.white.rows.tolist(), "diamond", _("nearest after whitening")),
    ]


def _knobs(points: CorpusCloud) -> tuple[tuple[float, float], ...]:
    """The film's stops: fewer for very many points, because a stop of a million takes 4 MB."""
    return film_knobs(COARSE_STRENGTHS if len(points.cloud) > FULL_FILM else STRENGTHS)


# a film has ten pictures; one of 100,000 points takes 0.4 MB
@kept(24)
def _film(
    points: CorpusCloud, fit: str, raw: Projection, reach: float
) -> tuple[tuple[Stop, ...], Points]:
    """The film's stops and packed coordinates, computed once for each cloud, fit and view."""
    stops = film(points.vectors, full_whitening(points, fit), raw, _knobs(points))
    return stops, Points.of(pack_cloud([stop.coordinates for stop in stops], reach))


def _aside(scene: Scene, panel: Panel) -> Aside:
    places = scene.white.projection.around_origin * scene.factor
    points = Points.of(pack_cloud([places], scene.reach))
    title = side_title(scene.white, scene)
    return Aside(points, title, panel.wedges, scene.factor, panel.frame)
