"""The whitening page's pictures in three dimensions: the twin cloud, raw and up to three more."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.figures.colours import MOST_LABELS, PointColours
from geometry.figures.panel import Panel
from geometry.packing import pack_cloud
from geometry.twin import cone_edges

from .cone_panels import alternative, axis_titles, cloud_panel, current_theme, point_colours
from .lab_choices import treatment_names
from .lab_panels import GROUP, choose_row, told_below
from .lab_scene import Scene, Shown
from .selected import keep_selection
from .twin_cloud import show_twin_cloud
from .twin_message import Marks, Picture, Points, TwinCloud
from .words import Translate


def draw_twins(
    scene: Scene, colour: str, chosen: int | None, told: str, _: Translate
) -> dict[str, DeltaGenerator]:
    """All pictures under one camera, and a line below each; the boxes still waited for.

    told : what the points were measured on.
    """
    cloud = scene.material.cloud
    has_few = 0 < len(set(cloud.labels or ())) <= MOST_LABELS
    colours = point_colours(cloud, colour if has_few or colour != "topic" else "length", _)
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
        panel = _panel(one, scene, _)
        lines = [f"**{treatment_names(_)[one.name]}**", told_below(one, panel, _)]
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
    alts = [
        alternative(names[one.name], one.treated.kept, _panel(one, scene, _), _)
        for one in scene.shown
    ]
    origin = first.projection.origin
    return TwinCloud(
        points=Points.of(pack_cloud(frames, scene.reach)),
        rows_key=scene.material.key,
        pictures=pictures,
        colours=colours,
        reach=scene.reach,
        axis_titles=axis_titles(first.projection.method, 3, _),
        origin_label=None if origin is None else _("origin"),
        name=" · ".join(names[one.name] for one in scene.shown),
        alt=" ".join(alts),
        at=1.0,
        knobs=((0.0,), (1.0,)),
        cones=[cone_edges(one.treated.vectors, one.projection) for one in scene.shown],
        marks=[] if chosen is None else [Marks([chosen], "circle", _("chosen"))],
        told=told,
        file_name="whitening-3d",
    )


def _panel(one: Shown, scene: Scene, _: Translate) -> Panel:
    return cloud_panel(
        one.treated.vectors,
        (),
        one.projection,
        scene.reach,
        _,
        scale=one.factor,
        own_axis=one.name == "raw",
        d=one.treated.kept.shape[1],
    )
