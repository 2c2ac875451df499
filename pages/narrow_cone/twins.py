"""narrow_cone's pictures: the twin cloud, with the film from raw to white."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry.encode import ArrayStore
from geometry.figures.panel import Panel, Wedge
from geometry.projection.film import Stop, film, film_knobs, nearest_in_film, place_in_film
from geometry.projection.packing import pack_cloud
from pages.common import cached
from pages.common.cached import cloud_key
from pages.common.cloud_choices import Look
from pages.common.draw.clouds import (
    alternative,
    axis_titles,
    current_theme,
    lines_below,
    point_colours,
)
from pages.common.draw.selected import keep_selection, show_selection
from pages.common.draw.twin_cloud import show_twin_cloud
from pages.common.draw.twin_message import Aside, Marks, Picture, Points, TwinCloud
from pages.common.uploads import is_own
from pages.common.words import Translate

from .neighbours import Neighbourhoods
from .numbers import provenance
from .panels import choose_row, scale_line, side_panel, side_title
from .scene import Scene, Side

GROUP = "cone"
SLIDER_STEPS = 16  # of centring and of strength


def draw_twins(scene: Scene, look: Look, near: Neighbourhoods | None, _: Translate) -> None:
    """Both clouds under one camera, what each picture keeps, and the selected points' texts."""
    key = cloud_key(scene.corpus, scene.spec)
    has_film = scene.raw.projection.method != "umap"
    panels = [side_panel(side, scene, _) for side in (scene.raw, scene.white)]
    draw = _film_cloud if has_film else _still_cloud
    show_twin_cloud(
        draw(scene, look, near, panels, _),
        current_theme(),
        _,
        key=GROUP,
        texts=scene.cloud.texts,
        on_point=choose_row,
        on_selection=partial(keep_selection, key),
        on_settled=_settle if has_film else None,
    )
    sides = zip((scene.raw, scene.white), panels, strict=True)
    for box, (side, panel) in zip(st.columns(2), sides, strict=True):
        told = [*panel.captions, *_lines(side, panel, scene, _)]
        box.caption(f"**{side_title(side, scene, _)}** · " + " · ".join(told))
    show_selection(scene.cloud, key, _)


def _lines(side: Side, panel: Panel, scene: Scene, _: Translate) -> list[str]:
    return [*lines_below(side.projection, panel, _), *scale_line(side, scene, _)]


def _film_cloud(
    scene: Scene, look: Look, near: Neighbourhoods | None, panels: Sequence[Panel], _: Translate
) -> TwinCloud:
    """Raw beside the film that ends in white; off the film's path, the scene's own picture."""
    knobs = film_knobs()
    stops, points = _film(scene)
    whitening = scene.twin.whitening
    at = place_in_film(knobs, whitening.centring, whitening.strength)
    between = _("Between: centring {s}, strength {t}")
    names = [between.format(s=f"{s:g}", t=f"{t:g}") for s, t in knobs]
    names[0], names[-1] = _("Raw"), _("White")
    white = Picture(
        range(len(stops)),
        names,
        between.format(s="{0}", t="{1}"),
        None if at is not None else _aside(scene, panels[1], _),
    )
    return _cloud(
        scene, look, near, panels, points, [Picture([0], [_("Raw")]), white], _,
        at=at, knobs=knobs, knob_steps=SLIDER_STEPS,
        nearest=nearest_in_film(knobs, whitening.centring, whitening.strength)[0],
        cones=[[Wedge(cone.axis, cone.drawn) for cone in stop.cones] for stop in stops],
        factors=[stop.factor for stop in stops],
    )  # fmt: skip


def _still_cloud(
    scene: Scene, look: Look, near: Neighbourhoods | None, panels: Sequence[Panel], _: Translate
) -> TwinCloud:
    """Two pictures that no straight way leads between."""
    raw, white = (side.projection.around_origin for side in (scene.raw, scene.white))
    points = Points.of(pack_cloud([raw, white * scene.factor], scene.reach))
    pictures = [
        Picture([place], [side_title(side, scene, _)])
        for place, side in enumerate((scene.raw, scene.white))
    ]
    return _cloud(scene, look, near, panels, points, pictures, _)


def _cloud(
    scene: Scene,
    look: Look,
    near: Neighbourhoods | None,
    panels: Sequence[Panel],
    points: Points,
    pictures: list[Picture],
    _: Translate,
    **more: object,
) -> TwinCloud:
    projection = scene.raw.projection
    sides = list(zip((scene.raw, scene.white), panels, strict=True))
    titles = [side_title(side, scene, _) for side, _panel in sides]
    told = [
        alternative(title, side.kept_vectors, panel, _)
        for title, (side, panel) in zip(titles, sides, strict=True)
    ]
    below = [
        f"{title}: " + " · ".join(_lines(side, panel, scene, _))
        for title, (side, panel) in zip(titles, sides, strict=True)
    ]
    return TwinCloud(
        points=points,
        rows_key=cloud_key(scene.corpus, scene.spec),
        pictures=pictures,
        colours=point_colours(scene.cloud, look.colour, _),
        reach=scene.reach,
        axis_titles=axis_titles(projection.method, projection.n_components, _),
        origin_label=None if projection.origin is None else _("origin"),
        name=_("Both clouds, raw and white"),
        alt=" ".join(told),
        bands=panels[0].bands,
        marks=[] if near is None else _marks(near, _),
        below=below,
        told=provenance(scene, _),
        file_name=f"narrow-cone-{projection.n_components}d",
        **more,  # type: ignore[arg-type]
    )


def _marks(near: Neighbourhoods, _: Translate) -> list[Marks]:
    return [
        Marks([near.row], "circle", _("chosen")),
        Marks(near.raw.rows.tolist(), "square", _("nearest in raw")),
        Marks(near.white.rows.tolist(), "diamond", _("nearest in white")),
    ]


def _film(scene: Scene) -> tuple[tuple[Stop, ...], Points]:
    """The stops and their packed places, worked out once a cloud, fit and view."""
    key = cloud_key(scene.corpus, scene.spec)
    raw = scene.raw.projection

    def make() -> tuple[tuple[Stop, ...], Points]:
        fitted = cached.whitening(key, scene.fit, scene.cloud.vectors)
        stops = film(scene.cloud.vectors, fitted, raw)
        return stops, Points.of(pack_cloud([stop.coordinates for stop in stops], scene.reach))

    name = ArrayStore.key("film", key, scene.fit, raw.method, raw.n_components)
    keep = cached.film_of_session if is_own(scene.corpus) else cached.film_of_all
    made: tuple[tuple[Stop, ...], Points] = keep(name, make)
    return made


def _aside(scene: Scene, panel: Panel, _: Translate) -> Aside:
    places = scene.white.projection.around_origin * scene.factor
    points = Points.of(pack_cloud([places], scene.reach))
    return Aside(points, side_title(scene.white, scene, _), panel.wedges, scene.factor)


def _settle(at: float) -> None:
    """The sliders follow the film, to their nearest step."""
    knobs = np.array(film_knobs())
    s, t = (np.interp(at, np.arange(len(knobs)), column) for column in knobs.T)
    for name, value in (("centring", s), ("strength", t)):
        st.session_state[name] = round(float(value) * SLIDER_STEPS) / SLIDER_STEPS
