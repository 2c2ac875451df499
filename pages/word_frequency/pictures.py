"""The pictures: length against rank, and the cloud by SVD and by PCA, coloured by frequency."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate.published import PublishedTable, published_tables
from geometry.figures.cone import cone_figure
from geometry.figures.point_colours import PointColours
from geometry.figures.ranks import Level, levels_figure, ranks_figure
from geometry.projection.packing import pack_cloud
from geometry.projection.twin import common_scale
from pages.common.address import is_presenting
from pages.common.draw.charts import chart_of, share_texts, show_chart
from pages.common.draw.clouds import current_theme, lines_below, panel_with
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import Picture, Points, TwinCloud
from pages.common.escape import markdown, plotly
from pages.common.words import _

from .provenance import provenance
from .scene import Scene, drawn_rows, pictures_of
from .verdicts import PUBLISHED_ENDS, PUBLISHED_ROWS, direction_sentence

GROUP = "words"
HEIGHT, COSINES_HEIGHT = 380, 240
PUBLISHED = "bert_flow_table_1"


def published() -> PublishedTable:
    """BERT-flow's Table 1."""
    return next(table for table in published_tables() if table.key == PUBLISHED)


def draw_lengths(scene: Scene) -> None:
    """Length against rank."""
    words = scene.words
    ends = zip(
        PUBLISHED_ENDS, PUBLISHED_ENDS[1:], published().rows[PUBLISHED_ROWS[0]], strict=False
    )
    figure = ranks_figure(
        words.lengths,
        [plotly(text) for text in words.texts],
        (
            _("mean of a bin, with its 95% interval"),
            [
                Level(each.start + 1, each.stop, each.norm.value, each.norm.low, each.norm.high)
                for each in scene.measures.bins
            ],
        ),
        [
            (
                _("BERT-base, published: Li et al. (2020)"),
                [Level(a, b, value) for a, b, value in ends if value is not None],
            )
        ],
        current_theme(),
        titles=(
            _("rank of the word (1 is the most frequent)"),
            _("length of the vector (ℓ₂ norm)"),
            _("share of the words of these ranks"),
        ),
        height=HEIGHT,
    )
    show_chart(
        chart_of(figure),
        key="word-lengths",
        file_name="word-frequency-lengths",
        alt=direction_sentence(scene.measures.direction).replace("**", ""),
    )
    st.markdown(
        _(
            "Each bar is the mean length of the words of these ranks: solid here, dotted as "
            "published for BERT-base."
        )
    )


def draw_cosines(scene: Scene) -> None:
    """The mean cosine of each bin."""
    bins = [(each, each.cosine) for each in scene.measures.bins if each.cosine is not None]
    if not bins:
        return
    levels = [
        Level(each.start + 1, each.stop, cosine.value, cosine.low, cosine.high)
        for each, cosine in bins
    ]
    values = ", ".join(
        f"{each.start + 1:,}–{each.stop:,}: {signed(cosine.value, 3)}" for each, cosine in bins
    )
    title = _("mean cosine of pairs")
    show_chart(
        chart_of(
            levels_figure(
                (_("mean of a bin, with its 95% interval"), levels),
                [(_("isotropic: {value}").format(value="0"), [Level(1, levels[-1].stop, 0)])],
                current_theme(),
                titles=(_("rank of the word (1 is the most frequent)"), title),
                height=COSINES_HEIGHT,
            )
        ),
        key="word-cosines",
        file_name="word-frequency-cosines",
        alt=f"{title} · {values}",
    )
    st.caption(_("Mean cosine over all pairs of words of one bin, each word counted once."))


def draw_clouds(scene: Scene) -> None:
    """The same words by SVD, around the origin, and by PCA, around their mean.

    The bins give the colours: most words are rare, so a scale would show one colour.
    """
    words = scene.words
    rows = drawn_rows(words)
    (svd, of_svd), (pca, of_pca) = pictures_of(words, rows)
    texts = [words.texts[row] for row in rows]
    bounds = [(each.start, each.stop) for each in scene.measures.bins]
    if bounds[-1][1] < len(words):  # words that are drawn and not measured
        bounds.append((bounds[-1][1], len(words)))
    colours = PointColours(
        np.searchsorted([stop for _start, stop in bounds], rows, side="right"),
        tuple(_("ranks {ranks}").format(ranks=f"{start + 1:,}–{stop:,}") for start, stop in bounds),
        _("ranks"),
    )
    reach = common_scale(svd, svd)[1]
    titles = (_("SVD (uncentred)"), _("PCA (centred)"))
    d = words.vectors.shape[1]
    panels = [
        panel_with(edges, d, (), each, reach) for each, edges in ((svd, of_svd), (pca, of_pca))
    ]
    below = [
        f"{title}: " + " · ".join(lines_below(picture, panel))
        for title, picture, panel in zip(titles, (svd, pca), panels, strict=True)
    ]
    # PCA places the points around their mean
    frames = [svd.around_origin, pca.coordinates]
    alt = _("{n} words by SVD and by PCA, coloured by frequency.").format(n=f"{len(rows):,}")
    if has_no_webgl2():
        share_texts(GROUP, [plotly(text) for text in texts])
        for box, title, panel in zip(st.columns(2), titles, panels, strict=True):
            with box:
                st.markdown(f"**{title}**")
                show_chart(
                    chart_of(cone_figure(panel, colours, current_theme(), height=HEIGHT, lines=0)),
                    key=f"words-{title[:3].lower()}",
                    file_name="word-frequency-cloud",
                    alt=alt,
                    texts=GROUP,
                )
    else:
        show_twin_cloud(
            TwinCloud(
                points=Points.of(pack_cloud(frames, reach)),
                rows_key=words.content_key,
                pictures=[Picture([place], [title]) for place, title in enumerate(titles)],
                colours=colours,
                reach=reach,
                axis_titles=[_("direction {i}").format(i=i) for i in (1, 2)],
                origin_label=_("origin (PCA: the mean)"),
                name=_("Words by frequency"),
                alt=alt,
                below=below,
                provenance=provenance(scene),
                file_name="word-frequency",
                is_large=is_presenting(),
            ),
            current_theme(),
            key=GROUP,
            texts=texts,
        )
    st.caption(markdown(" · ".join(below)))
