"""The whitening page's pictures: the twin cloud, raw and up to three more."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.figures.colours import PointColours
from geometry.projection.packing import pack_cloud
from pages.common.draw.clouds import axis_titles, current_theme
from pages.common.draw.selected import keep_selection
from pages.common.draw.twin_cloud import show_twin_cloud
from pages.common.draw.twin_message import Marks, Picture, Points, TwinCloud
from pages.common.words import Translate

from .choices import treatment_names
from .panels import (
    GROUP,
    alternative_of,
    choose_row,
    lines_of,
    panel_of,
    shown_colours,
    told_below,
)
from .scene import Scene


def draw_twins(
    scene: Scene, colour: str, chosen: int | None, told: str, _: Translate
) -> dict[str, DeltaGenerator]:
    """All pictures under one camera, and a line below each; the boxes still waited for.

    told : what the points were measured on.
    """
    cloud = scene.material.cloud
    colours = shown_colours(cloud, colour, _)
    show_twin_cloud(
        _twins(scene, colours, chosen, told, _),
        current_theme(),
        _,
        key=GROUP,
        texts=cloud.texts,
        on_point=choose_row,
        on_selection=partial(keep_selection, scene.material.key),
    )
    count = len(scene.shown) + len(scene.waiting)
    boxes = iter([box for _row in range(0, count, 2) for box in st.columns(2)])
    for one in scene.shown:
        lines = [f"**{treatment_names(_)[one.name]}**", told_below(one, panel_of(one, scene, _), _)]
        next(boxes).caption("  \n".join(lines))
    waiting = {}
    for name in scene.waiting:
        box = next(boxes)
        box.markdown(f"**{treatment_names(_)[name]}**")
        waiting[name] = box.container()
    return waiting


def _twins(
    scene: Scene, colours: PointColours, chosen: int | None, told: str, _: Translate
) -> TwinCloud:
    """Every treatment is a film of two stops: raw, and itself."""
    names = treatment_names(_)
    first = scene.shown[0]
    between = _("On the way to {name}: {share}")
    pictures = [
        Picture([0, place], [names[first.name], names[one.name]], between.format(
            name=names[one.name], share="{0}"
        ))
        if place
        else Picture([0], [names[first.name]])
        for place, one in enumerate(scene.shown)
    ]  # fmt: skip
    frames = [one.projection.around_origin * one.factor for one in scene.shown]
    origin = first.projection.origin
    return TwinCloud(
        points=Points.of(pack_cloud(frames, scene.reach)),
        rows_key=scene.material.key,
        pictures=pictures,
        colours=colours,
        reach=scene.reach,
        axis_titles=axis_titles(first.projection.method, first.projection.n_components, _),
        origin_label=None if origin is None else _("origin"),
        name=" · ".join(names[one.name] for one in scene.shown),
        alt=" ".join(alternative_of(one, scene, _) for one in scene.shown),
        at=1.0,
        knobs=((0.0,), (1.0,)),
        cones=[panel_of(one, scene, _).wedges for one in scene.shown],
        factors=[one.factor for one in scene.shown],
        marks=[] if chosen is None else [Marks([chosen], "circle", _("chosen"))],
        below=[
            f"{names[one.name]}: " + " · ".join(lines_of(one, panel_of(one, scene, _), _))
            for one in scene.shown
        ],
        told=told,
        file_name=f"whitening-{first.projection.n_components}d",
    )
