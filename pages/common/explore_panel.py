"""A cloud explored: colours by a file's columns; clusters of a picture and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256

import numpy as np
import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet
from geometry.data.columns import FileColumn, columns_of
from geometry.data.number_text import signed
from geometry.explore import (
    Clusters,
    Condition,
    cluster_agreement,
    cluster_words,
    clusters_by_chance,
    find_clusters,
    rows_kept,
)
from geometry.explore.clusters import NONE
from geometry.projection.point_colours import MOST_COLOURED, PointColours

from .cache import kept
from .corpus_cloud import CorpusCloud
from .downloads import csv_bytes, offer_csv
from .folded import folded
from .measures import label_name
from .seed import SEED
from .words import _, markdown, markdown_table, noted, paragraph

CLUSTERS = "clusters"  # the code of that colour
COLUMN = "column-"  # the beginning of the code of a column's colour; its place follows
CLIPPED = (0.01, 0.99)  # shares between which a scale of numbers lies: one large value hides none
MOST_VALUES = 1000  # of a filter's list
MOST_LISTED = 30  # clusters of the table
Named = tuple[Clusters, tuple[tuple[str, ...], ...]]  # the words of each cluster


# ---- filters ----


def choose_filter(corpus: Corpus | VectorSet, n_of: str) -> np.ndarray | None:
    """The rows of the corpus that the reader wants to see, (n,) bool; None for all.

    Counts beside the values are of the rows that the other filters keep.
    """
    columns = _with_labels(corpus)
    if not columns:
        return None
    by = st.multiselect(
        _("Show only the points with"),
        range(len(columns)),
        format_func=lambda place: columns[place].name,
        key=f"filter-by-{n_of}",
        persist_state="session",
    )
    filters: dict[int, Condition] = {}
    for place in by:
        filters[place] = _stored(columns[place], f"filter-{n_of}-{place}")
    for place in by:
        filters[place] = _choose(columns, filters, place, f"filter-{n_of}-{place}")
    if not filters:
        return None
    kept_rows = rows_kept(columns, filters)
    st.caption(
        _("{n} of {all} rows are shown. Measures and neighbours are of these alone.").format(
            n=f"{int(kept_rows.sum()):,}", all=f"{len(kept_rows):,}"
        )
    )
    return kept_rows


def _with_labels(corpus: Corpus | VectorSet) -> list[FileColumn]:
    labels = columns_of([(label_name(corpus), corpus.labels)]) if corpus.labels else ()
    return [*labels, *corpus.columns]


def _stored(column: FileColumn, key: str) -> Condition:
    """What the reader has chosen so far; everything on the first run."""
    chosen = st.session_state.get(key)
    if column.categories is not None:
        return Condition(tuple(chosen) if chosen else column.categories)
    return Condition(low=chosen[0], high=chosen[1]) if chosen else Condition()


def _choose(
    columns: Sequence[FileColumn], filters: Mapping[int, Condition], place: int, key: str
) -> Condition:
    column = columns[place]
    others = rows_kept(columns, filters, without=place)
    if column.categories is None:
        low, high = float(np.nanmin(column.values)), float(np.nanmax(column.values))
        if low == high:
            return Condition()
        st.slider(column.name, low, high, (low, high), key=key, persist_state="session")
        return _stored(column, key)
    counts = np.bincount(column.values[others], minlength=len(column.categories))
    n_of = dict(zip(column.categories, counts.tolist(), strict=True))
    st.multiselect(
        column.name,
        column.categories[:MOST_VALUES],
        format_func=lambda name: f"{name or _('empty cell')} ({n_of[name]:,})",
        key=key,
        persist_state="session",
        placeholder=_("all values"),
    )
    return _stored(column, key)


def filtered(points: CorpusCloud, kept_rows: np.ndarray | None) -> CorpusCloud:
    """The points of these rows of the corpus, with the filter in the name of the corpus."""
    if kept_rows is None or kept_rows.all() or points.cloud.unit == "types":
        return points
    rows = np.flatnonzero(kept_rows[points.corpus_rows])
    digest = sha256(kept_rows.tobytes()).hexdigest()[:16]
    name = noted(points.corpus.name, _("filtered: {n} rows").format(n=f"{int(kept_rows.sum()):,}"))
    taken = points.take(rows, f"filter-{digest}")
    return replace(taken, corpus=replace(points.corpus, name=name))


# ---- colours, clusters ----


@kept(32)
def named_clusters(points: CorpusCloud, places: np.ndarray) -> Named:
    """The clusters of points at these places (n, k) of a picture, and their words."""
    found = find_clusters(places, seed=SEED)
    return found, cluster_words(points.cloud.texts, found.labels)


@kept(32)
def _by_chance(points: CorpusCloud, places: np.ndarray) -> int:
    return clusters_by_chance(places, named_clusters(points, places)[0])


def cluster_names(words: Sequence[Sequence[str]]) -> list[str]:
    """A name for each cluster: its number and its words."""
    return [" ".join((f"{i}", _(", ").join(each))).strip() for i, each in enumerate(words, 1)]


def cluster_colours(points: CorpusCloud, places: np.ndarray) -> PointColours:
    """A colour for each of the largest clusters of places (n, k); all other points are grey."""
    found, words = named_clusters(points, places)
    names = cluster_names(words)[:MOST_COLOURED]
    names += [""] * (MOST_COLOURED - len(names))
    is_small = (found.labels == NONE) | (found.labels >= MOST_COLOURED)
    rest = _("no cluster") if len(words) <= MOST_COLOURED else _("a smaller cluster, or none")
    codes = np.where(is_small, MOST_COLOURED, found.labels)
    return PointColours(codes, (*names, rest), _("cluster"))


def column_colours(points: CorpusCloud, place: int) -> PointColours:
    """Colours by a further column: a scale of its numbers, or its most frequent categories."""
    column = points.column(place)
    if column.categories is None:
        values, is_missing = column.values, np.isnan(column.values)
        if is_missing.all():
            return PointColours.by_value(np.zeros(len(values)), column.name)
        low, high = np.nanquantile(values, CLIPPED)
        title = column.name
        if is_missing.any():
            title = noted(title, _("{n} missing, drawn as the lowest").format(n=is_missing.sum()))
        return PointColours.by_value(np.clip(np.where(is_missing, low, values), low, high), title)
    counts = np.bincount(column.values, minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")  # of the points shown
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    names = [column.categories[code] or _("empty cell") for code in order if counts[code]]
    if len(names) > MOST_COLOURED:
        names = [*names[:MOST_COLOURED], _("other")]
    return PointColours(np.minimum(rank[column.values], MOST_COLOURED), tuple(names), column.name)


def show_clusters(
    points: CorpusCloud, pictures: Sequence[tuple[str, np.ndarray]], measured_on: str
) -> None:
    """A part with the clusters of the first picture, and what the others keep of them.

    pictures : title and places (n, k) of each.
    """
    with folded(_("Clusters in the picture"), key="clusters", icon=":material/scatter_plot:") as on:
        if not on:
            return
        (title, places), *others = pictures
        found, words = named_clusters(points, places)
        st.markdown(
            _(
                "Groups of points that lie close together in **{title}**, named by their "
                "characteristic words. Choose “clusters” as the colour to see them."
            ).format(title=title)
        )
        chance = _by_chance(points, places)
        st.markdown(_table(found, words) or _("There are no clusters in this picture."))
        st.markdown(_chance_line(len(found.sizes), chance))
        for name, elsewhere in others:
            st.markdown(_agreement_line(found, named_clusters(points, elsewhere)[0], name))
        st.caption(paragraph([*_how(found), measured_on]))
        offer_csv(
            _("Download clusters (CSV)"),
            "clusters",
            partial(_csv, points, found, words, measured_on),
        )


def _table(found: Clusters, words: Sequence[Sequence[str]]) -> str:
    if not found.sizes:
        return ""
    rows = [
        (str(place), markdown(_(", ").join(each)) or "–", f"{size:,}")
        for place, (each, size) in enumerate(zip(words, found.sizes, strict=True), 1)
    ][:MOST_LISTED]
    head = (_("cluster"), _("characteristic words"), _("points in it"))
    lines = [head, ("---:", "---", "---:"), *rows]
    if len(found.sizes) > MOST_LISTED:
        lines.append(("…", "", ""))
    return markdown_table(lines)


def _chance_line(k: int, chance: int) -> str:
    line = _(
        "Control: as many random points of one Gaussian, with the same covariance, have {k} "
        "clusters."
    ).format(k=chance)
    doubt = _("**The clusters of this picture may be chance**.")
    return paragraph([line, doubt]) if k <= chance else line


def _agreement_line(first: Clusters, second: Clusters, name: str) -> str:
    agreed = cluster_agreement(first.labels, second.labels, seed=SEED)
    if agreed.value is None or min(len(first.sizes), len(second.sizes)) < 2:
        return _(
            "**{name}**: {k} clusters; an agreement needs two clusters in both pictures."
        ).format(name=name, k=len(second.sizes))
    return _(
        "**{name}**: {k} clusters. Their agreement with the first picture (adjusted Rand index) is "
        "{value}, over {n} points that both have in a cluster. 1 means equal. Control: with "
        "shuffled clusters it is {low} to {high}."
    ).format(
        name=name,
        k=len(second.sizes),
        n=f"{agreed.n:,}",
        value=signed(agreed.value, 2),
        low=signed(agreed.low or 0.0, 2),
        high=signed(agreed.high or 0.0, 2),
    )


def _how(found: Clusters) -> list[str]:
    """How the clusters were found, and what was left out, in sentences."""
    how = _(
        "HDBSCAN on the places of {n} points; a cluster has at least {smallest} of them. "
        "{outside} points lie between clusters."
    ).format(n=f"{found.n_clustered:,}", smallest=found.smallest, outside=f"{found.n_outside:,}")
    left = len(found.labels) - found.n_clustered
    rest = _("{n} points were left out at random (seed {seed}).").format(
        n=f"{left:,}", seed=found.seed
    )
    caution = _(
        "A picture of two or three directions hides clusters of the whole space. UMAP may split a "
        "cloud that has none."
    )
    return [how, rest, caution] if left else [how, caution]


def _csv(
    points: CorpusCloud, found: Clusters, words: Sequence[Sequence[str]], measured_on: str
) -> bytes:
    """One row a point: its number, text, label, cluster and the cluster's words."""
    cloud = points.cloud
    labels = cloud.labels or ("",) * len(cloud)
    rows = [
        [
            str(row),
            text,
            label,
            "" if cluster == NONE else str(cluster + 1),
            "" if cluster == NONE else " ".join(words[cluster]),
        ]
        for row, (text, label, cluster) in enumerate(
            zip(cloud.texts, labels, found.labels.tolist(), strict=True), 1
        )
    ]
    return csv_bytes(["row", "text", "label", "cluster", "words"], rows, measured_on)
