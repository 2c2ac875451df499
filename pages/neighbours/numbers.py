"""The numbers under the picture, the table of hubs, and the downloads."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from geometry.data.number_text import change, estimate, signed, with_sign
from geometry.measure.intervals import Estimate
from pages.common.big_numbers import BigNumber, show_big_numbers
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.escape import markdown, markdown_table, short_line
from pages.common.glosses import explained_caption
from pages.common.words import _, prose

from . import PAGE
from .provenance import provenance
from .query import row_numbers
from .scene import Scene

LONGEST = 160  # characters of a text in the table at most


def with_ends(each: Estimate, decimals: int = 2, *, sign: bool = False) -> str:
    """A value with its interval, if it has one.

    Parameters
    ----------
    each : Estimate
    decimals : int
    sign : bool
        True also prints a plus.
    """
    show = change if sign else estimate
    return show(each.value, each.low, each.high, decimals)


def show_headlines(scene: Scene) -> None:
    """The share of neighbours that stay, the hubness, and the largest hub."""
    found = scene.changes
    jaccard, before, after = found.jaccard, found.before, found.after
    raw = _("raw: {value}")
    numbers = [
        BigNumber(
            _("overlap of the lists, all points (Jaccard)"),
            f"{jaccard.value:.0%}",
            "" if jaccard.low is None else f"[{jaccard.low:.0%}, {jaccard.high or 0:.0%}]",
        ),
        BigNumber(
            _("hubness (skewness of k-occurrence)"),
            signed(after.hubness.value, 2),
            raw.format(value=signed(before.hubness.value, 2)),
            with_ends(found.hubness, sign=True),
        ),
        BigNumber(
            _("most frequent neighbour: of how many points"),
            f"{after.occurrences.max():,}",
            raw.format(value=f"{before.occurrences.max():,}"),
            with_sign(float(after.occurrences.max() - before.occurrences.max()), 0),
        ),
    ]
    show_big_numbers(_("Neighbours of all points"), numbers, key="neighbour-numbers")
    explained_caption(provenance(scene))


def show_hubs(scene: Scene) -> None:
    """The ten largest hubs of the raw points, with their counts as neighbours before and after."""
    rows, cloud, found = scene.measured_rows, scene.points.cloud, scene.changes
    head = [_("the ten largest hubs, raw"), _("raw"), _("after"), _("cosine to the mean, raw")]
    lines = [head, ["---", "---:", "---:", "---:"]]
    X = scene.points.vectors[rows]
    mean = X.mean(axis=0, dtype=np.float64)
    for place in found.before.hubs():
        row = rows[place]
        x = X[place].astype(np.float64)
        lengths = float(np.linalg.norm(x) * np.linalg.norm(mean))
        lines.append(
            [
                markdown(short_line(cloud.texts[row], LONGEST)),
                f"{found.before.occurrences[place]:,}",
                f"{found.after.occurrences[place]:,}",
                signed(float(x @ mean) / lengths, 3) if lengths else "—",
            ]
        )
    st.markdown(markdown_table(lines))
    never = [int(np.sum(side.occurrences == 0)) for side in (found.before, found.after)]
    st.caption(prose(PAGE, "hubs", {"k": found.k, "never": never[0], "never_after": never[1]}))


def offer_lists(scene: Scene) -> None:
    """A download of the two lists."""
    table = partial(lists_csv, scene, provenance(scene))
    offer_csv(_("Download both lists (CSV)"), "neighbours", table)


def offer_points(scene: Scene) -> None:
    """A download of the counts of every point."""
    table = partial(points_csv, scene, provenance(scene))
    offer_csv(_("Download all points (CSV)"), "neighbours-points", table)


def lists_csv(scene: Scene, basis: str) -> bytes:
    """A row for each neighbour of the query.

    basis : corpus, model and settings in words.
    """
    rankings = scene.rankings
    cloud, numbers = scene.points.cloud, row_numbers(scene.points.cloud)
    lines = []
    for name, ranked in (("raw", rankings.before), (scene.after, rankings.after)):
        for place, row in enumerate(ranked.rows):
            lines.append(
                [
                    name,
                    str(place + 1),
                    str(numbers[row] + 1),
                    cloud.texts[row],
                    "" if cloud.labels is None else cloud.labels[row],
                    short_number(ranked.cosines[place]),
                    str(ranked.ranks_there[place]),
                ]
            )
    head = ["list", "rank", "row", "text", "label", "cosine", "rank_in_other_list"]
    return csv_bytes(head, lines, f"{rankings.query.text} · {basis}")


def points_csv(scene: Scene, basis: str) -> bytes:
    """A row for each measured point: its overlap, and how often it is a neighbour.

    basis : corpus, model and settings in words.
    """
    cloud, numbers, found = scene.points.cloud, row_numbers(scene.points.cloud), scene.changes
    lines = [
        [
            str(numbers[row] + 1),
            cloud.texts[row],
            "" if cloud.labels is None else cloud.labels[row],
            short_number(found.jaccards[place]),
            str(found.before.occurrences[place]),
            str(found.after.occurrences[place]),
        ]
        for place, row in enumerate(scene.measured_rows)
    ]
    head = ["row", "text", "label", "jaccard", "k_occurrence_raw", "k_occurrence_after"]
    return csv_bytes(head, lines, basis)
