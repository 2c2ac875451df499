"""The pictures of the whitening page: the same points, one basis, one scale, raw first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from geometry import ArrayStore
from geometry.figures.colours import MOST_LABELS
from geometry.figures.cone import Mark, cone_figure

from .charts import kept_chart, share_texts, show_chart
from .cone_panels import (
    alternative,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    point_colours,
)
from .lab_choices import treatment_names
from .lab_scene import Scene, Shown
from .uploads import is_own
from .words import Translate, language, prose

GROUP = "lab"
CAPTION_LINES = 2
HEIGHT = 360
EMPTIED = 8.0  # a cloud that is drawn larger than this has next to nothing in the picture's axes


def draw_pictures(scene: Scene, colour: str, chosen: int | None, _: Translate) -> dict[str, object]:
    """All pictures, two a row; returns the boxes of those that are still waited for."""
    theme = current_theme()
    cloud = scene.material.cloud
    has_few = 0 < len(set(cloud.labels or ())) <= MOST_LABELS
    colours = point_colours(cloud, colour if has_few or colour != "topic" else "length", _)
    share_texts(GROUP, cloud.texts)
    places = [*scene.shown, *scene.waiting, *scene.refused]
    boxes = [box for _row in range(0, len(places), 2) for box in st.columns(2)]
    waiting: dict[str, object] = {}
    for place, box in zip(places, boxes, strict=False):
        with box:
            if isinstance(place, Shown):
                _picture(place, scene, colours, theme, colour, chosen, _)
            elif place in scene.waiting:
                st.markdown(f"**{treatment_names(_)[place]}**")
                waiting[place] = st.container()
            else:
                _tell_refused(place, scene, _)
    draw_legend(colours, theme)
    return waiting


def _picture(
    one: Shown,
    scene: Scene,
    colours: object,
    theme: object,
    colour: str,
    chosen: int | None,
    _: Translate,
) -> None:
    title = treatment_names(_)[one.name]
    marks = [] if chosen is None else [Mark([chosen], "circle-open", _("chosen"))]
    panel = cloud_panel(
        one.treated.vectors,
        (),
        one.projection,
        scene.reach,
        _,
        scale=one.factor,
        marks=marks,
        own_axis=one.name == "raw",
        d=one.treated.kept.shape[1],
    )
    key = ArrayStore.key(
        one.key,
        one.projection.method,
        panel.coordinates.shape,
        scene.reach,
        one.factor,
        chosen,
        colour,
        st.context.theme.type,
        language(),
    )
    st.markdown(f"**{title}**")
    show_chart(
        kept_chart(
            key,
            lambda: cone_figure(panel, colours, theme, height=HEIGHT, lines=CAPTION_LINES),  # type: ignore[arg-type]
            private=is_own(scene.material.corpus),
        ),
        key=f"lab-{one.name}",
        file_name=f"whitening-{one.name}",
        alt=alternative(title, one.treated.kept, panel, _),
        on_point=_choose,
        on_selection=_select,
        texts=GROUP,
        group=GROUP,
    )
    about = [] if one.name == "raw" else [prose("whitening", f"about-{one.name}", about_values())]
    below = " · ".join([*lines_below(one.projection, panel, _), *_scale(one, _)])
    st.caption("  \n".join([*about, below]))


def about_values() -> dict[str, str]:
    """What the lines about the treatments quote."""
    from geometry.corpus import read_bundled_pairs

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


def _tell_refused(name: str, scene: Scene, _: Translate) -> None:
    st.markdown(f"**{treatment_names(_)[name]}**")
    st.warning(prose("whitening", "rank-deficient", refusal_values(name, scene, _)))


def refusal_values(name: str, scene: Scene, _: Translate) -> dict[str, str]:
    """Why a treatment has no picture."""
    ranks = [one.treatment.rank for one in scene.shown if one.treatment.rank is not None]
    return {
        "name": treatment_names(_)[name],
        "rank": f"{min(ranks)}" if ranks else "?",
        "d": f"{scene.material.cloud.vectors.shape[1]}",
    }


def _choose(row: int) -> None:
    st.session_state["point"] = row
    st.session_state["find"] = ""


def _select(rows: Sequence[int]) -> None:
    st.session_state["lab-rows"] = tuple(rows)


def show_selection(scene: Scene, _: Translate) -> None:
    """The texts of the points that were lassoed, and how their labels are spread."""
    rows = [row for row in st.session_state.get("lab-rows", ()) if row < len(scene.material.cloud)]
    if not rows:
        return
    cloud = scene.material.cloud
    with st.expander(_("{n} points selected").format(n=f"{len(rows):,}"), key="lab-selected"):
        if cloud.labels is not None:
            names, counts = np.unique([cloud.labels[row] for row in rows], return_counts=True)
            order = np.argsort(-counts, kind="stable")
            st.caption(" · ".join(f"{names[i]} {counts[i]}" for i in order))
        table = [{_("text"): cloud.texts[row]} for row in rows]
        if cloud.labels is not None:
            for line, row in zip(table, rows, strict=True):
                line[_("label")] = cloud.labels[row]
        st.dataframe(table, height=240, width="stretch")
