"""The controls before a page's cloud, and the parts below it, that several pages have."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Cloud, Corpus
from geometry.data import VectorSet
from geometry.figures.layout import figure_rows
from geometry.projection.point_colours import MOST_LABELS
from geometry.projection.twin_message import TwinCloud

from .cloud_choices import Look, choose_place, choose_special, choose_unit
from .compare_two import show_two
from .corpus_cloud import MOST_DRAWN, OF_VECTORS, CloudSpec, CorpusCloud, warn_of_cache
from .downloads import csv_bytes, points_csv, short_number
from .draw.clouds import show_cloud
from .explore_panel import Explored, PanelPlaces, offer_view, show_clusters
from .messages import errors_shown
from .models import current_encoder
from .origin import coverage_of, warn_of_coverage
from .selected_points import choose_row, store_selection
from .words import _


def choose_spec(
    corpus: Corpus | VectorSet,
    *,
    more: DeltaGenerator,  # the place of the toggle of special tokens
    boxes: Sequence[DeltaGenerator] = (),
) -> CloudSpec:
    """Unit, layer and pooling of texts in three ``boxes``; of vectors there is no choice."""
    if isinstance(corpus, VectorSet):
        return OF_VECTORS
    encoder = current_encoder()
    unit_box, layer_box, pooling_box = boxes or st.columns(3)
    with unit_box:
        unit = choose_unit(encoder, ("sentences", "tokens", "types"))
    layer, pooling = choose_place(encoder, unit, layer_box, pooling_box)
    with more:
        special = choose_special(encoder, unit, pooling)
    return CloudSpec(unit, layer, pooling, special, MOST_DRAWN)


def show_explored(
    cloud: TwinCloud,
    points: CorpusCloud,
    explored: Explored,
    *,
    key: str,
    on_settled: Callable[[Sequence[float]], None] | None = None,
) -> TwinCloud:
    if points.cloud.n_labels > MOST_LABELS and points.corpus.labels_as_column is None:
        said = _(
            "{n} different labels are more than the {limit} colours and shapes that can be "
            "distinguished, so the colour shows the length of the text."
        )
        st.caption(said.format(n=f"{points.cloud.n_labels:,}", limit=MOST_LABELS))
    cloud = explored.on(cloud, points)
    select = partial(store_selection, points.shared_key)
    clicks: dict[str, Any] = {"on_point": choose_row, "on_selection": select}
    show_cloud(cloud, key=key, texts=points.cloud.texts, on_settled=on_settled, **clicks)
    return cloud


def show_parts(
    panel: PanelPlaces,
    corpus: Corpus | VectorSet,
    points: CorpusCloud,
    explored: Explored,
    look: Look,
    chosen: int | None,
    cloud: TwinCloud,
    places: Mapping[str, np.ndarray],  # of the points, by picture
) -> None:
    with panel.parts, errors_shown():
        is_linear = not look.is_map and look.view != "cone"  # whose radius is a length
        show_clusters(points, list(places.items()), cloud.provenance, is_linear=is_linear)
        show_two(corpus, points, look, explored, chosen)
    with panel.buttons:
        offer_view(cloud, points)


def warn_of_reading(corpus: Corpus | VectorSet) -> None:
    if isinstance(corpus, Corpus):
        with errors_shown():
            warn_of_coverage(coverage_of(corpus))
    warn_of_cache()


def figures_csv(figures: Mapping[str, Any], measured_on: str) -> bytes:
    """The points, bars or entries of Plotly figures by name."""
    head, rows = figure_rows(figures)
    text = [[v if isinstance(v, str) else short_number(v) for v in row] for row in rows]
    return csv_bytes(head, text, measured_on)


def places_csv(cloud: Cloud, places: Mapping[str, np.ndarray], measured_on: str) -> bytes:
    columns = [f"{name}_{axis}" for name, at in places.items() for axis in "xyz"[: at.shape[1]]]
    return points_csv(cloud, columns, np.hstack(list(places.values())), measured_on)
