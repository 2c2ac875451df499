"""Clusters of a picture: the words that name them, and whether another picture keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from geometry.explore import (
    Clusters,
    cluster_agreement,
    cluster_words,
    clusters_by_chance,
    find_clusters,
)
from geometry.explore.clusters import NONE
from geometry.projection.point_colours import MOST_COLOURED, PointColours

from .cache import kept
from .corpus_cloud import CorpusCloud
from .downloads import csv_bytes, offer_csv
from .folded import folded
from .seed import SEED
from .words import _, markdown, markdown_table

CLUSTERS = "clusters"  # the code of that colour
MOST_LISTED = 30  # clusters of the table
Named = tuple[Clusters, tuple[tuple[str, ...], ...]]  # the words of each cluster


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
                "characteristic words. Choose “clusters in the picture” as the colour to see them."
            ).format(title=title)
        )
        chance = _by_chance(points, places)
        st.markdown(_table(found, words) or _("There are no clusters in this picture."))
        st.markdown(_chance_line(len(found.sizes), chance))
        for name, elsewhere in others:
            st.markdown(_agreement_line(found, named_clusters(points, elsewhere)[0], name))
        st.caption(f"{_how(found)} {measured_on}")
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
        "Control: of as many random points in one round group, with the same covariance, {k} "
        "clusters are found."
    ).format(k=chance)
    if k <= chance:
        line += " " + _("**The clusters of this picture may be chance**.")
    return line


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
        value=f"{agreed.value:.2f}",
        low=f"{agreed.low:.2f}",
        high=f"{agreed.high:.2f}",
    )


def _how(found: Clusters) -> str:
    """How the clusters were found, and what was left out."""
    said = _(
        "HDBSCAN on the places of {n} points; a cluster has at least {smallest} of them. "
        "{outside} points lie between clusters."
    ).format(n=f"{found.n_clustered:,}", smallest=found.smallest, outside=f"{found.n_outside:,}")
    if left := len(found.labels) - found.n_clustered:
        said += " " + _("{n} points were left out at random (seed {seed}).").format(
            n=f"{left:,}", seed=found.seed
        )
    return " ".join(
        (
            said,
            _(
                "A picture of two or three directions hides clusters of the whole space. UMAP may "
                "split a cloud that has none."
            ),
        )
    )


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
