"""What narrow_cone draws in each of its two pictures and says below, and both as Plotly charts."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry.encode import ArrayStore
from geometry.figures.cone import Mark, Panel, cone_figure
from pages.common.cached import cloud_key
from pages.common.cloud_choices import Look
from pages.common.draw.charts import chart_of, kept_chart, show_chart
from pages.common.draw.clouds import (
    alternative,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    point_colours,
)
from pages.common.uploads import is_own
from pages.common.words import Translate, language

from .neighbours import Neighbourhoods
from .scene import Scene, Side


def side_title(side: Side, scene: Scene, _: Translate) -> str:
    """What a panel is called: raw, white, or where between the two."""
    if side.name == "raw":
        return _("Raw")
    if scene.is_white:
        return _("White")
    whitening = scene.twin.whitening
    return _("Between: centring {s}, strength {t}").format(
        s=f"{whitening.centring:g}", t=f"{whitening.strength:g}"
    )


def side_panel(side: Side, scene: Scene, _: Translate) -> Panel:
    """A side as it is drawn, without texts and marks."""
    return cloud_panel(
        side.vectors,
        (),
        side.projection,
        scene.reach,
        _,
        scale=1.0 if side.name == "raw" else scene.factor,
        own_axis=side.name == "raw",
        d=side.kept_vectors.shape[1],
    )


def draw_panels(scene: Scene, look: Look, near: Neighbourhoods | None, _: Translate) -> None:
    """Both clouds: same points, same colours, one basis, one scale, the origin in the middle."""
    theme = current_theme()
    colours = point_colours(scene.cloud, look.colour, _)
    marks = [] if near is None else _marks(near, _)
    lines = 3 if scene.raw.projection.method == "cone" else 2
    for box, side in zip(st.columns(2), (scene.raw, scene.white), strict=True):
        panel = replace(side_panel(side, scene, _), texts=scene.cloud.texts, marks=marks)
        title = side_title(side, scene, _)

        def figure(panel: Panel = panel) -> object:
            return cone_figure(panel, colours, theme, lines=lines)

        with box:
            st.markdown(f"**{title}**")
            show_chart(
                # raw stays as it is while the sliders move white
                kept_chart(_raw_key(scene, look, near), figure, private=is_own(scene.corpus))
                if side.name == "raw"
                else chart_of(figure()),
                key=f"chart-{side.name}",
                file_name=f"narrow-cone-{side.name}",
                alt=alternative(title, side.kept_vectors, panel, _),
                on_point=choose_row,
                group="clouds",
            )
            st.caption(
                " · ".join([*lines_below(side.projection, panel, _), *scale_line(side, scene, _)])
            )
    draw_legend(colours, theme)


def _raw_key(scene: Scene, look: Look, near: Neighbourhoods | None) -> str:
    """All that raw's figure depends on."""
    rings = None if near is None else (near.row, *near.raw.rows, *near.white.rows)
    return ArrayStore.key(
        cloud_key(scene.corpus, scene.spec),
        scene.raw.projection.method,
        look,
        scene.reach,
        rings,
        st.context.theme.type,
        language(),
    )


def scale_line(side: Side, scene: Scene, _: Translate) -> list[str]:
    """By how much white is drawn larger or smaller."""
    if side.name != "white" or side.projection.origin is None:
        return []
    told = _("drawn × {factor}, so that both have one rms radius")
    return [told.format(factor=f"{scene.factor:.3g}")]


def _marks(near: Neighbourhoods, _: Translate) -> list[Mark]:
    return [
        Mark([near.row], "circle-open", _("chosen")),
        Mark(near.raw.rows.tolist(), "square-open", _("nearest in raw")),
        Mark(near.white.rows.tolist(), "diamond-open", _("nearest in white")),
    ]


def choose_row(row: int) -> None:
    """A click in a picture chooses the point."""
    st.session_state["point"] = row
    st.session_state["find"] = ""
