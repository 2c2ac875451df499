"""A twin cloud; in a browser without WebGL2 its pictures, flat, by Plotly."""

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from geometry.figures.cone import cone_figure
from geometry.projection.packing import unpack_cloud
from geometry.projection.panel import Panel
from geometry.projection.twin_message import Picture, TwinCloud
from pages.common.words import markdown, plotly

from .charts import share_texts, show_chart
from .clouds import current_theme, draw_legend
from .twin_cloud import has_no_webgl2, show_twin_cloud

HEIGHT, SMALL_HEIGHT = 440, 220  # px of two charts in a row, of more


def show_cloud(
    cloud: TwinCloud,
    *,
    key: str,
    texts: Sequence[str],
    on_point: Callable[[int], None] | None = None,
    on_selection: Callable[[Sequence[int] | np.ndarray], None] | None = None,
    on_settled: Callable[[Sequence[float]], None] | None = None,
) -> None:
    """As ``show_twin_cloud``, where that can be drawn. Charts are at the stop of the numbers."""
    theme = current_theme()
    if not has_no_webgl2():
        show_twin_cloud(
            cloud,
            theme,
            key=key,
            texts=texts,
            on_point=on_point,
            on_selection=on_selection,
            on_settled=on_settled,
        )
        return
    stop, slider = int(cloud.at or 0), f"{key}-slider"

    def slid() -> None:
        if on_settled is not None:
            on_settled([st.session_state[slider]])

    if on_settled is not None and len(cloud.knobs) > 1:
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
                on_point=on_point,
                on_selection=on_selection,
                texts=key,
                # the key of the rows: row numbers of another cloud mean other points
                group=f"{key}-{cloud.rows_key}",
            )
    draw_legend(cloud.colours, theme)


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
