"""The parts of every picture of a cloud: colours, axes, cones, captions, text alternative."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

import numpy as np
import streamlit as st

from geometry import Cloud
from geometry.explore import SearchError, find_texts
from geometry.explore.search import SECONDS
from geometry.measure.cosines import isotropic_angle_spread
from geometry.palette import SYMBOL_SIGNS, Theme, theme_named
from geometry.projection import Projection, cloud_text
from geometry.projection.panel import Band, Mark, Panel, Wedge
from geometry.projection.point_colours import MOST_LABELS, PointColours, legend_entries
from geometry.projection.twin import (
    ConeEdge,
    cone_edges,
    drawn_cones,
    frame_of,
)
from geometry.projection.twin_message import Marks
from pages.common.address import number_in_url, put_in_url
from pages.common.cache import kept
from pages.common.classroom.visit import lead, teachers_points
from pages.common.corpus_cloud import CorpusCloud
from pages.common.downloads import csv_bytes, offer_csv
from pages.common.explore_panel import CLUSTERS, COLUMN, cluster_colours, column_colours
from pages.common.measures import label_name
from pages.common.origin import unit_names
from pages.common.words import _, markdown, plotly, short_line


def current_theme() -> Theme:
    """The colours of the browser's current theme."""
    return theme_named(st.context.theme.type)


def point_colours(
    points: CorpusCloud, colour: str, places: np.ndarray | None = None
) -> PointColours:
    """Colours by label ("topic"), length, frequency, a column of the file or clusters.

    Where there are too many labels, or no picture, by length.

    places : (n, k) of a picture, whose clusters are meant
    """
    cloud = points.cloud
    if colour == CLUSTERS and places is not None:
        return cluster_colours(points, places)
    place = colour.removeprefix(COLUMN)
    if place != colour and int(place) < len(points.corpus.columns) and cloud.unit != "types":
        return column_colours(points, int(place))
    if colour == "topic" and 0 < len(set(cloud.labels or ())) <= MOST_LABELS:
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
    """Titles of the axes."""
    return cloud_text.axis_titles(view, k, _)


def lines_below(projection: Projection, panel: Panel) -> list[str]:
    """The trustworthiness of the picture and the number of points outside its frame."""
    return cloud_text.lines_below(projection, panel, _)


def cloud_panel(
    vectors: np.ndarray,
    texts: Sequence[str],
    projection: Projection,
    reach: float,
    *,
    scale: float = 1.0,
    is_framed: bool = False,
    d: int | None = None,
) -> Panel:
    """``panel_with`` the cones of the vectors, of which the cloud fills ``d`` dimensions."""
    edges = cone_edges(vectors, projection)
    d = d or vectors.shape[1]
    return panel_with(edges, d, texts, projection, reach, scale=scale, is_framed=is_framed)


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
    """The cloud to draw: around the origin, with its cone and its captions."""
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
    """The cones of a picture, each with its angle in d dimensions and the angle that is drawn."""
    return cloud_text.cone_wedges(edges, projection, d, _)


def alternative_with(title: str, n: int, cosine: float | None, panel: Panel | None) -> str:
    """Text alternative: number of points, their mean cosine, the panel's captions."""
    return cloud_text.alternative(title, n, cosine, panel.captions if panel else (), _)


def draw_legend(colours: PointColours, theme: Theme) -> None:
    """Colour and symbol of each category, once for both panels."""
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
    """A caption if there are too many labels for colours."""
    n = len(set(cloud.labels or ()))
    if n > MOST_LABELS:
        st.caption(
            _(
                "{n} different labels are more than the {limit} colours and shapes that can be "
                "distinguished, so the colour shows the length of the text."
            ).format(n=f"{n:,}", limit=MOST_LABELS)
        )


# ---- points found by their text, clicked, or selected by the lasso ----


MATCHES = 8  # points that a search lists at most
LONGEST = 160  # characters of a quoted text at most
MAX_ROWS = 500  # rows of the table at most
SELECTED = "selected-rows"


def choose_point(points: CorpusCloud) -> int | None:
    """The chosen row: by search here, by a click in a picture, or from the address."""
    query = st.text_input(
        _("Find a point by its text"),
        key="find",
        bind="query-params",
        placeholder=_("a word of the text"),
        help=_(
            "A word or phrase; a regular expression between slashes, as /colou?r/; or the number "
            "of a row, as #12. Every hit is marked in the pictures."
        ),
    )
    try:
        rows, row = found_rows(points), chosen_row(points)
    except SearchError as error:
        st.warning(_problem(error))
        return chosen_row(points)
    if not query.strip():
        return row
    if not rows:
        st.info(_("No text contains “{query}”.").format(query=short(query)))
        return row
    shown = 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(rows) > MATCHES:
            last = -(-len(rows) // MATCHES)
            page = st.number_input(_("Part of the list"), 1, last, key="found-part", width=140)
            shown = MATCHES * (page - 1)
        if st.button(_("Select all {n}").format(n=f"{len(rows):,}"), key="select-found"):
            store_selection(points.shared_key, rows)
    listed = rows[shown : shown + MATCHES]
    row = st.selectbox(
        _("{n} found; {first} to {last}").format(
            n=f"{len(rows):,}", first=shown + 1, last=shown + len(listed)
        ),
        listed,
        index=listed.index(row) if row in listed else 0,
        format_func=lambda row: points.cloud.texts[row],
    )
    st.session_state["point"] = row
    put_in_url("point", str(row))
    return row


def _problem(error: SearchError) -> str:
    if error.code == "slow":
        return _(
            "This regular expression took longer than {seconds} s and was ended. Write a simpler "
            "one, or search for a phrase."
        ).format(seconds=f"{SECONDS:g}")
    return _("This is not a regular expression. Search for a phrase without the slashes.")


def found_rows(points: CorpusCloud) -> list[int]:
    """The rows whose text is meant; none without a search. Raises SearchError."""
    return _found(points, st.session_state.get("find", ""))


@kept(16)
def _found(points: CorpusCloud, query: str) -> list[int]:
    rows: list[int] = find_texts(points.cloud.texts, query).tolist()
    return rows


def chosen_marks(points: CorpusCloud, chosen: int | None) -> list[Marks]:
    """Rings around the points that the search found, the teacher's selection and the chosen one."""
    try:
        rows = found_rows(points)
    except SearchError:  # ``choose_point`` says so
        rows = []
    found = [Marks(rows, "dot", _("found"))] if rows else []
    if shown := teachers_points(points.shared_key):
        found.append(Marks(list(shown), "circle", _("selected by the teacher")))
    return found if chosen is None else [*found, Marks([chosen], "circle", _("chosen point"))]


def chart_marks(marks: Sequence[Marks]) -> list[Mark]:
    """The same marks on a Plotly chart, for a browser without WebGL2."""
    symbols = {"dot": "x-thin", "circle": "circle", "square": "square", "diamond": "diamond"}
    return [Mark(each.rows, f"{symbols[each.shape]}-open", each.caption) for each in marks]


def short(text: str) -> str:
    """The text on one line, cut, as Markdown."""
    return markdown(short_line(text, LONGEST))


def chosen_row(points: CorpusCloud) -> int | None:
    """The last row that was clicked, or else the row in the address.

    A row chosen in another cloud is dropped, because it is another point here.
    """
    key = points.shared_key
    if st.session_state.setdefault("point-of", key) != key:
        st.session_state["point-of"] = key
        st.session_state["point"] = None
    elif "point" not in st.session_state:
        st.session_state["point"] = number_in_url("point")
    row: int | None = st.session_state.get("point")
    row = None if row is None or row >= len(points.cloud) else row
    put_in_url("point", None if row is None else str(row))
    return row


def choose_row(row: int) -> None:
    """Choose the clicked point and clear the search by text."""
    st.session_state["point"] = row
    st.session_state["find"] = ""


def store_selection(key: str, rows: Sequence[int] | np.ndarray) -> None:
    """Store the selected rows with the ``shared_key`` of their cloud."""
    st.session_state[SELECTED] = (key, np.asarray(rows, dtype=np.int64))
    lead()


def show_selection(cloud: Cloud, key: str) -> None:
    """The texts of the selected points, and the count of each label."""
    of, rows = st.session_state.get(SELECTED, ("", ()))
    rows = np.asarray(rows, dtype=np.int64)
    if of != key or not rows.size:
        return
    with st.expander(_("Points selected: {n}").format(n=f"{len(rows):,}"), key="selected-points"):
        if cloud.labels is not None:
            names, counts = np.unique(np.asarray(cloud.labels)[rows], return_counts=True)
            order = np.argsort(-counts, kind="stable")
            st.caption(markdown(" · ".join(f"{names[i]} {counts[i]}" for i in order)))
        table = [{_("text"): cloud.texts[row]} for row in rows[:MAX_ROWS]]
        if cloud.labels is not None:
            for line, row in zip(table, rows, strict=False):
                line[_("label")] = cloud.labels[row]
        st.dataframe(table, height=240, width="stretch")
        if len(rows) > MAX_ROWS:
            st.caption(_("The first {n} are listed.").format(n=MAX_ROWS))
        offer_csv(_("Download selection (CSV)"), "selection", partial(selection_csv, cloud, rows))


def selection_csv(cloud: Cloud, rows: np.ndarray) -> bytes:
    """A row for each selected point: its row from 1, text and label; all of them."""
    lines = [
        [
            str(cloud.sources[row] + 1 if cloud.unit in ("sentences", "vectors") else row + 1),
            cloud.texts[row],
            "" if cloud.labels is None else cloud.labels[row],
        ]
        for row in rows
    ]
    return csv_bytes(["row", "text", "label"], lines, unit_names()[cloud.unit])
