"""A cloud explored: colours by a file's columns; clusters of a picture and their words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, explore
from geometry.data import VectorSet
from geometry.data.columns import FileColumn
from geometry.data.number_text import signed
from geometry.explore.clusters import COMPONENTS, CONTROLS, MOST_COMPARED, NONE
from geometry.notebook.page import view_html
from geometry.notebook.view import CloudView
from geometry.palette import theme_named
from geometry.projection.packing import MOST_CODES, unpack_cloud
from geometry.projection.point_colours import MOST_COLOURED, PointColours
from geometry.projection.twin_message import TwinCloud, dots_of

from . import jobs
from .address import AWAITS_FILE, WINDOW, fills_window, of_rows, put_in_url
from .cache import Answer, Kept, kept
from .controls import choose
from .corpus_cloud import CorpusCloud, row_cells
from .downloads import csv_bytes, offer_csv, offer_made
from .draw.twin_cloud import CAMERA, has_no_webgl2, latest_camera
from .folded import folded
from .measures import label_name
from .origin import origin
from .seed import SEED
from .selected_points import found_marks, many_found, selected_rows, sent_selection
from .streamlit_internals import is_from_history
from .words import _, dotted, language, markdown, markdown_table, noted, paragraph

CLUSTERS = "clusters"  # the code of that colour
CLUSTERS_ON = "clusters-on"  # what they are found on: the picture or the vectors
COLUMN = "column-"  # the beginning of the code of a column's colour; its place follows
CLIPPED = (0.01, 0.99)  # shares between which a scale of numbers lies: one large value hides none
MOST_VALUES = 1000  # of a filter's list
MOST_LISTED = 30  # clusters of the table
MOST_GIVEN = 200_000  # points of a file of the pictures
MOST_BARS = 8  # values of a column whose counts are drawn
BINS = 32  # of the histogram of a column
SLIDER_STEPS, MOST_STEPS = 500, 10_000  # of a filter; of whole numbers each is a step up to so many
LARGEST = 1e300  # number of a slider at most
AT_ONCE = 2_000  # points whose clusters, and those of the control, are found without a job
WHERE = "where"  # the filters in the address
WHERE_OF = "where-of"  # key of the session's state: the corpus that they are of
MOST_LINKED = 4000  # characters of filters that an address may have
Chosen = list[str] | tuple[float, float]  # categories, or the ends of numbers, in a control
Named = tuple[explore.Clusters, tuple[tuple[str, ...], ...]]  # the words of each cluster


# ---- the panel ----


@dataclass(frozen=True)
class PanelPlaces:
    """Containers under the picture, or beside it in a full window: a search and buttons; parts."""

    find: DeltaGenerator
    buttons: DeltaGenerator
    parts: DeltaGenerator


def open_panel(*, has_cloud: bool = True) -> PanelPlaces:
    """The panel, empty. Without a cloud it has no full window and no search."""
    with st.container(key="explore-panel"):
        with st.container(key="explore-bar"):
            find = st.container(key="explore-find")
            buttons = st.container(key="explore-buttons", horizontal=True)
        panel = PanelPlaces(find, buttons, st.container())
    if not has_cloud:
        return panel
    is_full = fills_window()
    label = _("Leave the full window") if is_full else _("Full window")
    icon = f":material/{'close_fullscreen' if is_full else 'open_in_full'}:"
    if buttons.button(label, key="full-window", icon=icon):
        put_in_url(WINDOW, None if is_full else "1")
        st.rerun()  # the whole page
    return panel


def explored_part(
    corpus: Corpus | VectorSet, *, unit: str = "", has_picture: bool = True
) -> Explored:
    """``choose_explored`` in a part of its own, which is open in a full window."""
    label = _("Filters and sizes") if has_picture else _("Filters")
    with st.expander(label, key="filters", icon=":material/filter_alt:", expanded=fills_window()):
        if unit == "types":
            st.caption(_("Filters are of texts. Types are those of all texts."))
            return Explored()
        return choose_explored(corpus, has_picture=has_picture)


def offer_view(cloud: TwinCloud, points: CorpusCloud) -> None:
    """A button that gives the pictures with all texts as one file of HTML, without a network."""
    if cloud.n > MOST_GIVEN:
        text = _("A file of the pictures has at most {most} points, and these are {n}.")
        st.caption(text.format(most=f"{MOST_GIVEN:,}", n=f"{cloud.n:,}"))
        return
    rows = selected_rows(points.shared_key)
    marks = cloud.marks
    if not rows.size and (found := found_marks(points)):  # the file's own search selects
        rows = np.sort(found[0].rows)
        marks = [each for each in marks if each not in found]
    given = replace(cloud, selected=rows if rows.size else None, marks=marks)
    camera = latest_camera()

    def content() -> bytes:  # at a click, without a session, in the language of this run
        places = unpack_cloud(given.points.body)
        view = CloudView(given, points.cloud.texts, places, language(), camera.get(CAMERA))
        return view_html(view, f"{points.corpus.name} · {cloud.name}").encode()

    label = _("Download this view with its texts (HTML)")
    how = {"icon": ":material/ios_share:", "mime": "text/html", "key": "take-view"}
    offer_made(label, f"{cloud.file_name}.html", content, **how)


# ---- what is shown, and how large ----


@dataclass(frozen=True)
class Explored:
    """What the reader wants to see of a corpus."""

    kept: np.ndarray | None = None  # (n,) of bool, rows that the filters keep; None without one
    greys: bool = False  # the others turn grey; False leaves them out of pictures and measures
    size: int | None = None  # the column of numbers that sizes the points

    @property
    def left_in(self) -> np.ndarray | None:
        """The rows of the corpus that pictures and measures have, (n,) bool; None for all."""
        return None if self.greys or self.kept is None or self.kept.all() else self.kept

    def on(self, cloud: TwinCloud, points: CorpusCloud) -> TwinCloud:
        """The pictures with sizes, grey points, and the selection of a link or of a search."""
        about = cloud.provenance
        column = self._sizing(points)
        if column is not None and not np.isnan(column.values).all():
            _values, low, high = _clipped(column.values)
            line = _("size of the points: {name}, {low} to {high}")
            about += " · " + line.format(name=column.name, low=f"{low:.4g}", high=f"{high:.4g}")
        return replace(
            cloud, dots=self.dots(points), selected=sent_selection(points), provenance=about
        )

    def _sizing(self, points: CorpusCloud) -> FileColumn | None:
        return None if self.size is None else points.column(self.size)

    def dots(self, points: CorpusCloud) -> np.ndarray | None:
        sizing = self._sizing(points)
        shown = many_found(points)
        if self.greys and self.kept is not None:
            left_in = self.kept[points.corpus_rows]
            shown = left_in if shown is None else shown & left_in
        sizes = None
        if sizing is not None:
            values, low, high = _clipped(sizing.values)
            sizes = (values - low) / ((high - low) or 1.0)
        return dots_of(len(points.cloud), sizes=sizes, shown=shown)


def choose_explored(corpus: Corpus | VectorSet, *, has_picture: bool = True) -> Explored:
    """The filters and sizes that the reader has chosen here; all points where there is no column.

    The address has places of columns and values, so it contains nothing of a reader's own file.
    """
    # its labels come last, so that a column keeps its place
    columns = [*corpus.columns]
    labels = corpus.labels_as_column
    if labels is not None:
        columns.append(replace(labels, name=label_name(corpus)))
    if not columns:
        st.caption(_("Filters and sizes need a file with further columns."))
        put_in_url(WHERE, None)
        return Explored()
    n_of = corpus.sha256[:8]
    _read_address(columns, n_of)
    named = [column.name for column in columns].__getitem__
    label = _("Show only the points with")
    key = f"filter-by-{n_of}"
    how: dict[str, Any] = {"persist_state": "session", "placeholder": _("a column")}
    by = st.multiselect(label, range(len(columns)), key=key, format_func=named, **how)
    filters = {
        place: condition_of(columns[place], st.session_state.get(f"filter-{n_of}-{place}"))
        for place in by
    }
    for place, wanted in filters.items():
        rest = explore.rows_kept(columns, filters, without=place)
        _choose(columns[place], rest, wanted, f"filter-{n_of}-{place}")
    put_in_url(WHERE, _as_text(columns, filters) or None)
    greys = False
    has_picture &= not has_no_webgl2()  # Plotly draws no grey points and no sizes
    if filters and has_picture:
        others = {"gone": _("are left out"), "grey": _("turn grey")}
        box = st.segmented_control
        greys = choose(box, _("The other points"), others, key="others", required=True) == "grey"
    size = _choose_size(corpus) if has_picture else None
    if not filters:
        return Explored(size=size)
    kept_rows = explore.rows_kept(columns, filters)
    line = _("{n} of {all} rows pass the filters. Measures and neighbours are of these alone.")
    if greys:
        line = _("{n} of {all} rows keep their colour. Measures and neighbours are of all points.")
    st.caption(line.format(n=f"{int(kept_rows.sum()):,}", all=f"{len(kept_rows):,}"))
    return Explored(kept_rows, greys, size)


def _choose_size(corpus: Corpus | VectorSet) -> int | None:
    numbers = {
        f"{place}": column.name
        for place, column in enumerate(corpus.columns)
        if column.categories is None
    }
    if not numbers:
        return None
    sizes = {"same": _("all the same"), **numbers}
    code = choose(st.selectbox, _("Size of the points"), sizes, key="size")
    return None if code == "same" else int(code)


def _clipped(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Numbers in their clipped range, the lowest for a missing one, and the ends of the range."""
    if np.isnan(values).all():
        return np.zeros(len(values)), 0.0, 0.0
    low, high = np.nanquantile(values, CLIPPED).tolist()
    if low == high:  # nearly all are alike, and a large one hides none
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return np.clip(np.where(np.isnan(values), low, values), low, high), low, high


def _read_address(columns: Sequence[FileColumn], n_of: str) -> None:
    """Store the filters of the address, unless the reader has chosen some already."""
    key = f"filter-by-{n_of}"
    state = st.session_state
    text = of_rows(WHERE) if state.get(WHERE_OF, n_of) == n_of or is_from_history() else ""
    if not state.get(AWAITS_FILE):
        state[WHERE_OF] = n_of
    if is_from_history():
        state.pop(key, None)
    if key not in state and text:
        filters = filters_of(columns, text)
        state[key] = list(filters)
        for place, chosen in filters.items():
            state[f"filter-{n_of}-{place}"] = chosen


def _as_text(columns: Sequence[FileColumn], filters: Mapping[int, explore.Condition]) -> str:
    """Filters for the address, as 0:1,4;2:0.5~3: places of columns, and of values or ends."""
    parts = []
    for place, wanted in filters.items():
        names = columns[place].categories
        if names is None:
            ends = (wanted.low, wanted.high)
            said = "~".join("" if end is None else f"{end:.12g}" for end in ends)
        else:
            chosen = set(wanted.categories or ())
            places = [str(i) for i, name in enumerate(names) if name in chosen]
            said = "" if len(chosen) == len(names) else ",".join(places)
        parts.append(f"{place}:{said}")
    return ";".join(parts)


def filters_of(columns: Sequence[FileColumn], text: str) -> dict[int, Chosen]:
    """The filters of an address; parts that don't fit these columns are left out."""
    found: dict[int, Chosen] = {}
    for part in text[:MOST_LINKED].split(";"):
        meant = re.fullmatch(r"([0-9]{1,3}):(?:([0-9,]*)|([0-9.e+-]*)~([0-9.e+-]*))", part)
        if meant is None or int(meant[1]) >= len(columns):
            continue
        place = int(meant[1])
        names = columns[place].categories
        if names is None:
            low, high = _ends(columns[place])
            ends = np.clip((_finite(meant[3], low), _finite(meant[4], high)), low, high)
            found[place] = (float(ends[0]), float(ends[1]))
        else:
            places = [int(each) for each in (meant[2] or "").split(",") if each and len(each) < 10]
            found[place] = [names[i] for i in places if i < len(names)]
    return found


def _finite(text: str | None, otherwise: float) -> float:
    with suppress(ValueError):
        value = float(text or "")
        return value if np.isfinite(value) else otherwise
    return otherwise


def condition_of(column: FileColumn, chosen: Any) -> explore.Condition:
    """What a filter's control has chosen, of the type Chosen; None, before it is drawn, for all."""
    if column.categories is not None:
        return explore.Condition(tuple(chosen) if chosen else column.categories)
    if chosen is None or tuple(chosen) == _ends(column):
        return explore.Condition()
    return explore.Condition(low=chosen[0], high=chosen[1])


def _ends(column: FileColumn) -> tuple[float, float]:
    """The least and the largest number of a column, as far as a browser has numbers."""
    low, high = np.clip((np.nanmin(column.values), np.nanmax(column.values)), -LARGEST, LARGEST)
    return float(low), float(high)


def _choose(column: FileColumn, others: np.ndarray, wanted: explore.Condition, key: str) -> None:
    """The control of a filter, with what the other filters keep, (n,) bool."""
    label = markdown(column.name)
    if column.categories is None:
        low, high = _ends(column)
        if low == high:
            st.caption(_("{name}: all rows have {value}.").format(name=label, value=f"{low:g}"))
            return
        is_whole = np.array_equal(column.values, np.round(column.values), equal_nan=True)
        step = 1.0 if is_whole and high - low < MOST_STEPS else (high - low) / SLIDER_STEPS
        form = "%.0f" if step == 1 else "%.4g"
        how: dict[str, Any] = {"format": form, "persist_state": "session"}
        st.slider(label, low, high, (low, high), step, key=key, **how)
        _draw_histogram(column, others, wanted)
        return
    counts = np.bincount(column.values[others], minlength=len(column.categories))
    how = {"persist_state": "session", "key": key, "placeholder": _("all values")}
    empty = _("empty cell")
    # no counts: Streamlit drops a chosen value whose text has changed
    st.multiselect(label, column.categories[:MOST_VALUES], format_func=lambda v: v or empty, **how)
    _draw_counts(column, counts, wanted)


def _draw_histogram(column: FileColumn, others: np.ndarray, wanted: explore.Condition) -> None:
    values = column.values[others & ~np.isnan(column.values)]
    counts, edges = np.histogram(values, bins=BINS, range=_ends(column))
    middle = (edges[:-1] + edges[1:]) / 2
    low = -np.inf if wanted.low is None else wanted.low
    high = np.inf if wanted.high is None else wanted.high
    most = max(int(counts.max()), 1)
    theme = theme_named(st.context.theme.type)
    colours = np.where((low <= middle) & (middle <= high), theme.accent, theme.other)
    bars = "".join(
        f'<div style="height:{height:.1f}%;background:{colour}"></div>'
        for height, colour in zip(100 * counts / most, colours, strict=True)
    )
    about = _("{name}: {n} rows that the other filters keep, at most {most} in a bar")
    about = about.format(name=column.name, n=f"{len(values):,}", most=f"{most:,}")
    st.html(f'<div class="bars" role="img" aria-label="{escape(about)}">{bars}</div>')


def _draw_counts(column: FileColumn, counts: np.ndarray, wanted: explore.Condition) -> None:
    theme = theme_named(st.context.theme.type)
    names = column.categories or ()
    most = max(int(counts.max()), 1)
    rows = []
    for i in np.argsort(-counts, kind="stable")[:MOST_BARS].tolist():
        colour = theme.accent if names[i] in (wanted.categories or ()) else theme.other
        bar = f'<div style="width:{100 * counts[i] / most:.1f}%;background:{colour}"></div>'
        rows.append(f"<tr><td>{escape(names[i] or _('empty cell'))}<td>{bar}<td>{counts[i]:,}</tr>")
    st.html(f'<table class="counts">{"".join(rows)}</table>')


def filtered(points: CorpusCloud, kept_rows: np.ndarray | None) -> CorpusCloud:
    if kept_rows is None:
        return points
    rows = np.flatnonzero(kept_rows[points.corpus_rows])
    taken = points.take(rows, f"filter-{sha256(kept_rows.tobytes()).hexdigest()[:16]}")
    if points.cloud.n_available == len(points.cloud):  # else it stays a sample
        taken = replace(taken, cloud=replace(taken.cloud, n_available=len(rows)))
    return replace(taken, corpus=_named_filtered(points.corpus, kept_rows))


def filtered_corpus(corpus: Corpus, kept_rows: np.ndarray | None) -> Corpus:
    """These rows of the corpus alone, with the filter in its name: they are encoded again."""
    if kept_rows is None:
        return corpus
    return _named_filtered(corpus.take(np.flatnonzero(kept_rows)), kept_rows)


def _named_filtered(corpus: Corpus, kept_rows: np.ndarray) -> Corpus:
    note = _("filtered: {n} rows").format(n=f"{int(kept_rows.sum()):,}")
    return replace(corpus, name=noted(corpus.name, note))


# ---- colours, clusters ----


def named_clusters(points: CorpusCloud, places: np.ndarray) -> Named:
    """The clusters of points at these places (n, k) of a picture, or of vectors; their words."""
    return _in_job(_clusters, points, places)


def _in_job(function: Kept[..., Answer], points: CorpusCloud, places: np.ndarray) -> Answer:
    n, k = places.shape
    what = _("Finding clusters among {n} points").format(n=f"{n:,}")
    is_quick = n <= AT_ONCE and k <= 3
    return jobs.kept_or_made(function, points, places, what=what, at_once=is_quick, passing=True)


@kept(32)
def _clusters(points: CorpusCloud, places: np.ndarray) -> Named:
    found = explore.find_clusters(places, seed=SEED)
    return found, explore.cluster_words(points.cloud.texts, found.labels)


@kept(32)
def _by_chance(points: CorpusCloud, places: np.ndarray) -> tuple[float, float, float]:
    return explore.share_by_chance(places, _clusters(points, places)[0])


def _clustered(points: CorpusCloud, places: np.ndarray) -> np.ndarray:
    return points.vectors if st.session_state.get(CLUSTERS_ON) == "vectors" else places


@kept(32)
def _merged(
    points: CorpusCloud, places: np.ndarray, elsewhere: np.ndarray
) -> tuple[tuple[int, ...], ...]:
    return explore.merged_clusters(elsewhere, _clusters(points, places)[0].labels)


def cluster_names(words: Sequence[Sequence[str]]) -> list[str]:
    return [" ".join((f"{i}", _(", ").join(each))).strip() for i, each in enumerate(words, 1)]


def cluster_colours(points: CorpusCloud, places: np.ndarray) -> PointColours:
    found, words = named_clusters(points, _clustered(points, places))
    names = cluster_names(words)[: MOST_CODES - 1]
    rest = max(len(names), MOST_COLOURED)
    padding = [""] * (rest - len(names))
    codes = np.where((found.labels == NONE) | (found.labels >= rest), rest, found.labels)
    none = _("no cluster") if len(words) <= MOST_COLOURED else _("a smaller cluster, or none")
    return PointColours(codes, (*names, *padding, none), _("cluster"), n_named=len(names))


def column_colours(column: FileColumn) -> PointColours:
    """Colours by a column of the points: a scale of numbers, or the most frequent categories."""
    if column.categories is None:
        title = column.name
        missing = np.isnan(column.values)
        if n := int(missing.sum()):
            title = noted(title, _("{n} missing, drawn as the lowest").format(n=f"{n:,}"))
        values, low, high = _clipped(column.values)
        beyond = (column.values < low).any(), (column.values > high).any()
        ends = ("≤ " if beyond[0] else "", "≥ " if beyond[1] else "")
        return PointColours(values, None, title, ends=ends, missing=missing)
    counts = np.bincount(column.values, minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")  # of the points shown
    rank = np.argsort(order)
    names = [column.categories[code] or _("empty cell") for code in order if counts[code]]
    if len(names) > MOST_COLOURED:
        names = [*names[:MOST_COLOURED], _("other")]
    return PointColours(np.minimum(rank[column.values], MOST_COLOURED), tuple(names), column.name)


def show_clusters(
    points: CorpusCloud,
    pictures: Sequence[tuple[str, np.ndarray]],  # title and places (n, k) of each
    measured_on: str,
    *,
    is_linear: bool,
) -> None:
    """A part with the clusters of the first picture, and what the others keep of them."""
    with folded(_("Clusters in the picture"), key="clusters", icon=":material/scatter_plot:") as on:
        if not on:
            return
        (title, places), *others = pictures
        k = min(COMPONENTS, points.vectors.shape[1])
        of = {"picture": _("the picture"), "vectors": _("{k} principal components").format(k=k)}
        choose(st.segmented_control, _("Clusters of"), of, key=CLUSTERS_ON, required=True)
        if _clustered(points, places) is not places:
            title = of["vectors"]
            places = points.vectors
            others = list(pictures)
            is_linear = True
            measured_on = dotted(*origin(points))  # which may be another layer than the picture's
        found, words = named_clusters(points, places)
        about = _(
            "Groups of points that lie close together in **{title}**, named by their "
            "characteristic words. Choose “clusters” as the colour to see them."
        )
        st.markdown(about.format(title=title))
        if not found.sizes:
            st.markdown(_("There are no clusters in this picture."))
            return
        st.markdown(_table(found, words))
        if is_linear:
            chance = _in_job(_by_chance, points, places)
            st.markdown(_chance_line(found.n_clustered, *chance))
        else:
            st.markdown(_bent_line(found.share, of["vectors"]))
        mixed = _(
            "In **{picture}**, these clusters are mixed, with at least half of the neighbours "
            "in each other that a random mixture has: {names}."
        )
        for name, elsewhere in others:
            st.markdown(_agreement_line(found, named_clusters(points, elsewhere)[0], name))
            for group in _merged(points, places, elsewhere):
                named = markdown(_("; ").join(cluster_names(words)[each] for each in group))
                st.markdown(mixed.format(picture=name, names=named))
        st.caption(markdown(paragraph([*_how(found), measured_on])))
        table = partial(_csv, points, found, words, dotted(title, measured_on))
        offer_csv(_("Download clusters (CSV)"), "clusters", table)


def _table(found: explore.Clusters, words: Sequence[Sequence[str]]) -> str:
    head = (_("cluster"), _("characteristic words"), _("points in it"))
    lines = [head, ("---:", "---", "---:")]
    for place, (each, size) in enumerate(zip(words, found.sizes, strict=True), 1):
        lines.append((str(place), markdown(_(", ").join(each)) or "–", f"{size:,}"))
    if len(found.sizes) > MOST_LISTED:
        lines[2 + MOST_LISTED :] = [("…", "", "")]
    return markdown_table(lines)


def _bent_line(share: float, vectors: str) -> str:
    said = _(
        "{share} of the points lie in clusters. **This view can make clusters of a cloud that has "
        "none**, so this share has no control. Choose “{vectors}” above: the share there has one."
    )
    return said.format(share=f"{share:.0%}", vectors=vectors)


def _chance_line(n: int, share: float, low: float, high: float) -> str:
    line = _(
        "{share} of the points lie in clusters. Control: in {n} clouds of as many random points of "
        "one Gaussian, with the same covariance, it is {low} to {high}."
    ).format(share=f"{share:.0%}", n=CONTROLS, low=f"{low:.0%}", high=f"{high:.0%}")
    doubt = _("**The clusters of this picture may be chance**.")
    sample = _("Both are of {n} points, drawn at random.").format(n=f"{MOST_COMPARED:,}")
    more = [sample] if n > MOST_COMPARED else []
    return paragraph([line, *more, doubt] if share <= high else [line, *more])


def _agreement_line(first: explore.Clusters, second: explore.Clusters, name: str) -> str:
    agreed = explore.cluster_agreement(first.labels, second.labels, seed=SEED)
    if agreed.value is None or min(len(first.sizes), len(second.sizes)) < 2:
        return _(
            "**{name}**: {k} clusters; an agreement needs two clusters in both pictures."
        ).format(name=name, k=len(second.sizes))
    return _(
        "**{name}**: {k} clusters. Their agreement with those above (adjusted Rand index) is "
        "{value}, over {n} points ({share} of all) that both have in a cluster. 1 means equal. "
        "Control: with shuffled clusters it is {low} to {high}."
    ).format(
        name=name,
        k=len(second.sizes),
        n=f"{agreed.n:,}",
        share=f"{agreed.n / len(first.labels):.0%}",
        value=signed(agreed.value, 2),
        low=signed(agreed.low or 0.0, 2),
        high=signed(agreed.high or 0.0, 2),
    )


def _how(found: explore.Clusters) -> list[str]:
    how = _(
        "HDBSCAN on {n} points; a cluster has at least {smallest} of them. "
        "{outside} points lie between clusters."
    ).format(n=f"{found.n_clustered:,}", smallest=found.smallest, outside=f"{found.n_outside:,}")
    left = len(found.labels) - found.n_clustered
    rest = _("{n} points were left out at random (seed {seed}).")
    if found.n_labelled == len(found.labels):
        rest = _(
            "The {n} others have the cluster of their nearest one of these, drawn by seed {seed}."
        )
    rest = rest.format(n=f"{left:,}", seed=found.seed)
    caution = _("A picture of two or three directions hides clusters of the whole space.")
    return [how, rest, caution] if left else [how, caution]


def _csv(
    points: CorpusCloud, found: explore.Clusters, words: Sequence[Sequence[str]], measured_on: str
) -> bytes:
    rows = row_cells(points.cloud, range(len(points.cloud)))
    for row, cluster in zip(rows, found.labels.tolist(), strict=True):
        row += ["", ""] if cluster == NONE else [str(cluster + 1), " ".join(words[cluster])]
    return csv_bytes(["row", "text", "label", "cluster", "words"], rows, measured_on)
