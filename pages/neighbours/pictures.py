"""The pictures: both lists with lines between them, and the cosines of pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.histogram import HistogramWords, cosine_histogram_figure
from geometry.figures.point_colours import PointColours, look_of
from geometry.figures.slopes import Item, SlopeWords, slopes_figure
from geometry.measure.cosines import isotropic_cosine_shares
from geometry.palette import Theme
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.cosine_histogram import EDGES, SAMPLE_ROWS, cosine_histogram
from pages.common.draw.charts import Chart, chart_of, show_chart
from pages.common.draw.clouds import current_theme, draw_legend, point_colours
from pages.common.draw.selected import choose_row
from pages.common.escape import markdown, plotly, short_line
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_words
from pages.common.words import _, language

from .ranking import NeighbourList, SearchedClouds
from .scene import Scene

LONGEST = 300  # characters of a text in the picture at most

Histograms = tuple[np.ndarray, np.ndarray, int, int]  # shares before and after, pairs, dimensions


def draw_rankings(scene: Scene) -> None:
    """Both lists; a click on a point makes it the query."""
    rankings, texts = scene.rankings, scene.points.cloud.texts
    colours = point_colours(scene.points, "topic")
    before, after = (_items(ranked, scene, colours) for ranked in (rankings.before, rankings.after))
    words = SlopeWords(
        before=_("Raw"),
        after=plotly(treatment_words(scene.after)),
        stays=_("stays"),
        leaves=_("leaves"),
        enters=_("enters"),
        beyond=_("not among the {k} nearest").format(k=len(rankings.after.rows)),
        shares=_own_topic(scene),
    )
    st.markdown(
        _("Nearest to **{text}**: {n} of the {k} are the same after the treatment.").format(
            text=markdown(short_line(rankings.query.text, LONGEST)),
            n=len(rankings.before.rows) - len(rankings.left),
            k=len(rankings.before.rows),
        )
    )
    rows = [*rankings.before.rows, *rankings.after.rows]
    show_chart(
        chart_of(slopes_figure(before, after, words, current_theme())),
        key="neighbour-lists",
        file_name="neighbours",
        alt=" ".join(
            [
                _("Raw: {texts}.").format(
                    texts="; ".join(short_line(texts[row], LONGEST) for row in rankings.before.rows)
                ),
                _("After the treatment: {texts}.").format(
                    texts="; ".join(short_line(texts[row], LONGEST) for row in rankings.after.rows)
                ),
            ]
        ),
        on_point=partial(_choose, rows),
        zoom=False,
    )
    draw_legend(colours, current_theme())


def _own_topic(scene: Scene) -> tuple[str, str]:
    """How many of each list have the query's own label; "" without labels or for a typed text."""
    labels, query = scene.points.cloud.labels, scene.rankings.query
    if labels is None or query.row is None or not labels[query.row]:
        return "", ""
    own = labels[query.row]
    before, after = (
        _("{n} of {k} of its label, “{label}”").format(
            label=plotly(short_line(own, LONGEST)),
            n=sum(labels[row] == own for row in rows),
            k=len(rows),
        )
        for rows in (scene.rankings.before.rows, scene.rankings.after.rows)
    )
    return before, after


def _choose(rows: list[int], place: int) -> None:
    if place < len(rows):
        choose_row(rows[place])


def _items(ranked: NeighbourList, scene: Scene, colours: PointColours) -> list[Item]:
    cloud, theme = scene.points.cloud, current_theme()
    about = _("cosine {cosine} · rank {here} · rank {there} in the other list")
    items = []
    for place, (row, cosine) in enumerate(zip(ranked.rows, ranked.cosines, strict=True)):
        there = f"{ranked.ranks_there[place]:,}"
        words = about.format(cosine=signed(cosine, 3), here=place + 1, there=there)
        if cloud.labels is not None:
            words = f"{plotly(short_line(cloud.labels[row], LONGEST))} · {words}"
        look = ("", "circle") if colours.names is None else look_of(colours.codes[row], theme)
        text = plotly(short_line(cloud.texts[row], LONGEST))
        items.append(Item(row, text, signed(cosine, 2), words, *look))
    return items


@kept(100)
def histograms(points: CorpusCloud, clouds: SearchedClouds) -> Histograms:
    """Shares of the cosines of pairs, of the same points raw and treated.

    Raises UndefinedMeasure for a row of zeros.
    """
    X = points.vectors
    if len(X) > SAMPLE_ROWS:
        X = X[np.sort(np.random.default_rng(SEED).choice(len(X), SAMPLE_ROWS, replace=False))]
    Z = clouds.apply(X)
    before, pairs = cosine_histogram(X)
    return before, cosine_histogram(Z)[0], pairs, Z.shape[1]


def draw_histogram(scene: Scene) -> None:
    """The cosines of pairs, raw and treated, and those of isotropic directions."""
    before, after, pairs, _d = histograms(scene.points, scene.clouds)
    name = treatment_words(scene.after)
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    st.markdown(_("How similar are two points?"))
    show_chart(
        _histogram_chart(scene.points, scene.clouds, name, current_theme(), language()),
        key="neighbour-cosines",
        file_name="neighbours-cosines",
        alt=_("Cosines of {n} pairs. Mean: raw {raw}, {name} {white}.").format(
            n=f"{pairs:,}",
            raw=signed(float(before @ middle), 2),
            white=signed(float(after @ middle), 2),
            name=name,
        ),
    )


@kept(128)
def _histogram_chart(
    points: CorpusCloud, clouds: SearchedClouds, name: str, theme: Theme, _language: str
) -> Chart:
    before, after, _pairs, d = histograms(points, clouds)
    words = HistogramWords(
        raw=_("Raw"),
        white=plotly(name),
        reference=_("isotropic, d = {d}").format(d=d),
        x=_("cosine of two points"),
        y=_("share of the pairs"),
    )
    reference = isotropic_cosine_shares(EDGES, d)
    figure = cosine_histogram_figure(before, after, reference, EDGES, words, theme, height=330)
    return chart_of(figure.update_xaxes(dtick=0.5))  # the column is narrow
