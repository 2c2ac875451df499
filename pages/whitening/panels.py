"""The pictures of the whitening page: the same points, one basis, one scale, raw first."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Cloud
from geometry.encode import ArrayStore
from geometry.figures.colours import MOST_LABELS, PointColours
from geometry.figures.cone import Mark, Panel, cone_figure
from pages.common import cached
from pages.common.controls import put_in_url
from pages.common.draw.charts import kept_chart, share_texts, show_chart
from pages.common.draw.clouds import (
    alternative,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    point_colours,
)
from pages.common.draw.selected import keep_selection
from pages.common.uploads import is_own
from pages.common.words import Translate, language, prose

from .choices import treatment_names
from .scene import Material, Scene, Shown

GROUP = "lab"
HEIGHT = 440
EMPTIED = 8.0  # a cloud that is drawn larger than this has next to nothing in the picture's axes


def draw_pictures(
    scene: Scene, colour: str, chosen: int | None, _: Translate
) -> dict[str, DeltaGenerator]:
    """All pictures, two a row; returns the boxes of those that are still waited for."""
    cloud = scene.material.cloud
    share_texts(GROUP, cloud.texts)
    colours = shown_colours(cloud, colour, _)
    count = len(scene.shown) + len(scene.waiting)
    boxes = iter([box for _row in range(0, count, 2) for box in st.columns(2)])
    for one in scene.shown:
        with next(boxes):
            _picture(one, scene, colours, chosen, _)
    waiting = {}
    for name in scene.waiting:
        with next(boxes):
            st.markdown(f"**{treatment_names(_)[name]}**")
            waiting[name] = st.container()
    draw_legend(colours, current_theme())
    return waiting


def shown_colours(cloud: Cloud, colour: str, _: Translate) -> PointColours:
    """By topic only where there are labels, and no more than can be told apart."""
    has_few = 0 < len(set(cloud.labels or ())) <= MOST_LABELS
    return point_colours(cloud, colour if has_few or colour != "topic" else "length", _)


def _picture(
    one: Shown, scene: Scene, colours: PointColours, chosen: int | None, _: Translate
) -> None:
    marks = [] if chosen is None else [Mark([chosen], "circle-open", _("chosen"))]
    panel = replace(panel_of(one, scene, _), marks=marks)
    key = ArrayStore.key(_key(one, scene), colours.title, chosen, st.context.theme.type)
    title = treatment_names(_)[one.name]
    st.markdown(f"**{title}**")
    show_chart(
        kept_chart(
            key,
            # captions stand below: most treatments have none, and room for them would be empty
            lambda: cone_figure(panel, colours, current_theme(), height=HEIGHT, lines=0),
            private=is_own(scene.material.corpus),
        ),
        key=f"lab-{one.name}",
        file_name=f"whitening-{one.name}",
        alt=alternative_of(one, scene, _),
        on_point=choose_row,
        on_selection=partial(keep_selection, scene.material.key),
        texts=GROUP,
        group=f"{GROUP}-{scene.material.key}",  # rows lassoed in one cloud are others in another
    )
    st.caption(told_below(one, panel, _))


def panel_of(one: Shown, scene: Scene, _: Translate) -> Panel:
    """The picture without its marks; kept, because a step of a slider leaves most as they were."""
    panel: Panel = cached.lab_value(
        f"{_key(one, scene)}/panel",
        lambda: cloud_panel(
            one.treated.vectors,
            (),
            one.projection,
            scene.reach,
            _,
            scale=one.factor,
            own_axis=one.name == "raw",
            d=one.treated.kept.shape[1],
        ),
    )
    return panel


def alternative_of(one: Shown, scene: Scene, _: Translate) -> str:
    """The picture in words; kept as ``panel_of``."""
    title, panel = treatment_names(_)[one.name], panel_of(one, scene, _)
    told: str = cached.lab_value(
        f"{_key(one, scene)}/alt", lambda: alternative(title, one.treated.kept, panel, _)
    )
    return told


def _key(one: Shown, scene: Scene) -> str:
    """All that a picture without marks depends on, but for colours."""
    projection = one.projection
    return ArrayStore.key(
        one.key, projection.method, projection.n_components, scene.reach, language()
    )


def told_below(one: Shown, panel: Panel, _: Translate) -> str:
    """What the treatment is, and how far to trust its picture."""
    about = [] if one.name == "raw" else [prose("whitening", f"about-{one.name}", about_values())]
    return "  \n".join([*about, " · ".join([*panel.captions, *lines_of(one, panel, _)])])


def lines_of(one: Shown, panel: Panel, _: Translate) -> list[str]:
    """How far to trust the picture, what its frame leaves out, by how much it is drawn larger."""
    if one.is_emptied:  # neighbours at one place are nothing to trust
        return [
            _(
                "all points at the origin: this treatment has emptied the axes of this view of all "
                "but rounding"
            )
        ]
    return [*lines_below(one.projection, panel, _), *_scale(one, _)]


def about_values() -> dict[str, str]:
    """What the lines about the treatments quote."""
    from geometry.data.corpus import read_bundled_pairs

    return {"pairs": f"{len(read_bundled_pairs()):,}"}


def _scale(one: Shown, _: Translate) -> list[str]:
    if one.name == "raw" or one.projection.origin is None:
        return []
    told = _("drawn × {factor}, so that all have one rms radius")
    if one.factor > EMPTIED:
        told = _(
            "drawn × {factor}, so that all have one rms radius: this treatment has all but emptied "
            "the axes of this view"
        )
    return [told.format(factor=f"{one.factor:.3g}")]


def chosen_point(material: Material) -> int | None:
    """The ringed row: the last one clicked, or from the URL. A row of another cloud is none."""
    if st.session_state.setdefault("point-of", material.key) != material.key:
        st.session_state["point-of"] = material.key
        st.session_state["point"] = None
    elif "point" not in st.session_state and st.query_params.get("point", "").isdigit():
        st.session_state["point"] = int(st.query_params["point"])
    row: int | None = st.session_state.get("point")
    row = None if row is None or row >= len(material.cloud) else row
    put_in_url("point", None if row is None else str(row))
    return row


def choose_row(row: int) -> None:
    """A click in a picture chooses the point."""
    st.session_state["point"] = row
