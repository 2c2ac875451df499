"""The picture of a cloud: colours, axes, cones, captions, text alternative.

In a browser without WebGL2, Plotly draws a twin cloud's pictures flat.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from geometry.figures.cone import cone_figure
from geometry.measure.cosines import isotropic_angle_spread
from geometry.palette import SYMBOL_SIGNS, Theme, theme_named
from geometry.projection import Projection, cloud_text
from geometry.projection.packing import unpack_cloud
from geometry.projection.panel import Band, Panel
from geometry.projection.point_colours import MOST_LABELS, PointColours, legend_entries
from geometry.projection.twin import ConeEdge, cone_edges, frame_of
from geometry.projection.twin_message import Picture, TwinCloud
from pages.common.corpus_cloud import CorpusCloud
from pages.common.explore_panel import CLUSTERS, COLUMN, cluster_colours, column_colours
from pages.common.measures import label_name
from pages.common.words import _, markdown, plotly

from .charts import share_texts, show_chart
from .twin_cloud import has_no_webgl2, show_twin_cloud

HEIGHT, SMALL_HEIGHT = 440, 220  # px of two charts in a row, of more

axis_titles = partial(cloud_text.axis_titles, translate=_)
lines_below = partial(cloud_text.lines_below, translate=_)
cone_wedges = partial(cloud_text.cone_wedges, translate=_)


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
        return column_colours(points.column(int(place)))
    labels = points.corpus.labels_as_column
    if colour == "topic" and cloud.n_labels > MOST_LABELS and labels is not None:
        taken = labels.take(points.corpus_rows)
        return column_colours(replace(taken, name=label_name(points.corpus)))
    if colour == "topic" and 0 < cloud.n_labels <= MOST_LABELS:
        found = points.label_colours
        names = tuple(name or _("no label") for name in found.names or ())
        return replace(found, names=names, title=label_name(points.corpus))
    if colour == "frequency":
        if cloud.unit == "sentences":
            return PointColours.by_value(cloud.counts, _("mean log₁₀ count of its pieces"))
        return PointColours.by_value(np.log10(cloud.counts), _("log₁₀ count in this corpus"))
    titles = {"sentences": _("words"), "vectors": _("length of the vector")}
    title = titles.get(cloud.unit, _("characters"))
    return PointColours.by_value(cloud.lengths, title)


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
        frame=frame_of(coordinates, edges) if has_frame else None,
    )


def alternative_with(title: str, n: int, cosine: float | None, panel: Panel | None) -> str:
    return cloud_text.alternative(title, n, cosine, panel.captions if panel else (), _)


def draw_legend(colours: PointColours) -> None:
    entries = legend_entries(colours, current_theme(), _("other"))
    items = "".join(
        f'<span style="white-space:nowrap"><span style="color:{colour}">'
        f"{SYMBOL_SIGNS[symbol]}</span> {escape(name)}</span>"
        for name, colour, symbol in entries
    )
    style = "display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem"
    if items:
        st.html(f'<div style="{style}">{items}</div>')


def show_cloud(
    cloud: TwinCloud,
    *,
    key: str,
    texts: Sequence[str],
    on_settled: Callable[[Sequence[float]], None] | None = None,
    **chosen: Any,  # on_point and on_selection
) -> None:
    """As ``show_twin_cloud``, where that can be drawn. Charts are at the stop of the numbers."""
    theme = current_theme()
    if not has_no_webgl2():
        show_twin_cloud(cloud, theme, key=key, texts=texts, on_settled=on_settled, **chosen)
        return
    stop = int(cloud.at or 0)
    if on_settled is not None and len(cloud.knobs) > 1:
        slider = f"{key}-slider"

        def slid() -> None:
            on_settled([st.session_state[slider]])

        st.session_state[slider] = stop
        st.slider(cloud.film_name, 0, len(cloud.knobs) - 1, key=slider, on_change=slid)
    share_texts(key, [plotly(text) for text in texts])
    stops = [min(stop, len(picture.path) - 1) for picture in cloud.pictures]
    panels = [_panel(cloud, picture, at) for picture, at in zip(cloud.pictures, stops, strict=True)]
    lines = max(len(panel.captions) for panel in panels)
    columns = 2 if len(panels) in (1, 2, 4) else 4
    boxes = [box for _row in range(0, len(panels), columns) for box in st.columns(columns)]
    for place, panel in enumerate(panels):
        with boxes[place]:
            st.markdown(f"**{markdown(cloud.pictures[place].names[stops[place]])}**")
            height = HEIGHT if columns == 2 else SMALL_HEIGHT
            show_chart(
                cone_figure(panel, cloud.colours, theme, height=height, lines=lines),
                key=f"{key}-{place}",
                file_name=f"{cloud.file_name}-{place}",
                alt=cloud.alt,
                texts=key,
                # the key of the rows: row numbers of another cloud mean other points
                group=f"{key}-{cloud.rows_key}",
                **chosen,
            )
    draw_legend(cloud.colours)


def _panel(cloud: TwinCloud, picture: Picture, stop: int) -> Panel:
    frame = picture.path[stop]
    return Panel(
        unpack_cloud(cloud.points.body)[frame],
        (),
        cloud.reach,
        cloud.axis_titles,
        picture.origin or cloud.origin_label,
        wedges=cloud.cones[frame] if cloud.cones else (),
        bands=cloud.bands,
        marks=cloud.marks,
        frame=cloud.frames[frame] if cloud.frames else None,
    )
