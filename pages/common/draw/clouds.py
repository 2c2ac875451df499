"""The parts of every picture of a cloud: colours, axes, cones, captions, text alternative."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.measure.cosines import isotropic_angle_spread
from geometry.palette import SYMBOL_SIGNS, Theme, theme_named
from geometry.projection import Projection, cloud_text
from geometry.projection.panel import Band, Panel, Wedge
from geometry.projection.point_colours import MOST_LABELS, PointColours, legend_entries
from geometry.projection.twin import ConeEdge, cone_edges, drawn_cones, frame_of
from pages.common.corpus_cloud import CorpusCloud
from pages.common.explore_panel import CLUSTERS, COLUMN, cluster_colours, column_colours
from pages.common.measures import label_name
from pages.common.words import _, plotly


def current_theme() -> Theme:
    return theme_named(st.context.theme.type)


def point_colours(
    points: CorpusCloud, colour: str, places: np.ndarray | None = None
) -> PointColours:
    """Colours by label, length, frequency, a column, or the clusters of a picture's ``places``."""
    cloud = points.cloud
    if colour == CLUSTERS and places is not None:
        return cluster_colours(points, places)
    place = colour.removeprefix(COLUMN)
    if place != colour and int(place) < len(points.corpus.columns) and cloud.unit != "types":
        return column_colours(points, int(place))
    if colour == "topic" and 0 < cloud.n_labels <= MOST_LABELS:
        return PointColours.by_label(
            [label or _("no label") for label in cloud.labels or ()], label_name(points.corpus)
        )
    if colour == "frequency":
        if cloud.unit == "sentences":
            return PointColours.by_value(cloud.counts, _("mean log₁₀ count of its pieces"))
        return PointColours.by_value(np.log10(cloud.counts), _("log₁₀ count in this corpus"))
    titles = {"sentences": _("words"), "vectors": _("length of the vector")}
    title = titles.get(cloud.unit, _("characters"))
    return PointColours.by_value(cloud.lengths, title)


def axis_titles(view: str, k: int) -> list[str]:
    return cloud_text.axis_titles(view, k, _)


def lines_below(projection: Projection, panel: Panel) -> list[str]:
    return cloud_text.lines_below(projection, panel, _)


def cloud_panel(
    vectors: np.ndarray,
    texts: Sequence[str],
    projection: Projection,
    reach: float,
    *,
    d: int | None = None,
    **how: Any,
) -> Panel:
    """``panel_with`` the cones of the vectors, of which the cloud fills ``d`` dimensions."""
    edges = cone_edges(vectors, projection)
    return panel_with(edges, d or vectors.shape[1], texts, projection, reach, **how)


def panel_with(
    edges: Sequence[ConeEdge],
    d: int,
    texts: Sequence[str],
    projection: Projection,
    reach: float,
    *,
    scale: float = 1.0,  # of the coordinates
    is_framed: bool = False,  # by the cloud with its cones and the origin, not by ``reach``
) -> Panel:
    k = projection.n_components
    bands = []
    if projection.method == "cone" and k == 2:
        spread = isotropic_angle_spread(d)
        caption = _("shaded blue: 90° ± {spread}°, where 68% of random directions lie")
        bands = [Band(90 - spread, 90 + spread, caption.format(spread=f"{spread:.1f}"))]
    coordinates = projection.around_origin * scale
    has_frame = is_framed and projection.origin is not None
    return Panel(
        coordinates=coordinates,
        texts=[plotly(text) for text in texts],
        reach=reach,
        axis_titles=axis_titles(projection.method, k),
        origin_label=None if projection.origin is None else _("origin"),
        wedges=cone_wedges(edges, projection, d),
        bands=bands,
        frame=frame_of(coordinates, drawn_cones(edges, projection)) if has_frame else None,
    )


def cone_wedges(edges: Sequence[ConeEdge], projection: Projection, d: int) -> list[Wedge]:
    return cloud_text.cone_wedges(edges, projection, d, _)


def alternative_with(title: str, n: int, cosine: float | None, panel: Panel | None) -> str:
    return cloud_text.alternative(title, n, cosine, panel.captions if panel else (), _)


def draw_legend(colours: PointColours, theme: Theme) -> None:
    entries = legend_entries(colours, theme, _("other"))
    if entries:
        items = "".join(
            f'<span style="white-space:nowrap"><span style="color:{colour}">'
            f"{SYMBOL_SIGNS[symbol]}</span> {escape(name)}</span>"
            for name, colour, symbol in entries
        )
        st.html(
            f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem">{items}</div>'
        )


def note_too_many_labels(cloud: Cloud) -> None:
    n = cloud.n_labels
    if n > MOST_LABELS:
        st.caption(
            _(
                "{n} different labels are more than the {limit} colours and shapes that can be "
                "distinguished, so the colour shows the length of the text."
            ).format(n=f"{n:,}", limit=MOST_LABELS)
        )
