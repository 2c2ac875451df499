"""A reader's own data: their picture and their counts."""

from __future__ import annotations

from collections import Counter
from functools import partial

import streamlit as st

from geometry import Corpus
from geometry.figures.cone import cone_figure
from geometry.projection.packing import pack_cloud
from geometry.projection.twin import common_scale
from pages.common.corpus_cloud import (
    CorpusCloud,
    coverage_of,
)
from pages.common.downloads import offer_csv, points_csv
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import (
    alternative,
    axis_titles,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    note_too_many_labels,
    point_colours,
)
from pages.common.draw.selected import show_selection, store_selection
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import Picture, Points, TwinCloud
from pages.common.escape import markdown
from pages.common.measures import measure_label, print_value
from pages.common.origin import origin
from pages.common.page_list import page_labels, page_path
from pages.common.words import _, prose

from . import PAGE
from .scene import COMPONENTS, VIEW, Scene

HEIGHT = 520  # px


def draw_cloud(scene: Scene) -> None:
    """The raw cloud around the origin, with its cones."""
    points, picture = scene.drawn, scene.picture
    cloud, line = points.cloud, cloud_line(points)
    if picture is None:
        st.info(
            _(
                "A picture in {k} dimensions needs at least {least} texts, and there are {n}. "
                "The numbers below are valid all the same."
            ).format(k=COMPONENTS, least=COMPONENTS + 1, n=len(cloud))
        )
        return
    colours, theme = point_colours(points, "topic"), current_theme()
    reach = common_scale(picture, picture)[1]
    panel = cloud_panel(points.vectors, (), picture, reach)
    below = [*lines_below(picture, panel), line]
    alt = f"{alternative(_('Raw'), points.vectors, panel)} {line}"
    if has_no_webgl2():
        show_chart(
            chart_of(cone_figure(panel, colours, theme, height=HEIGHT, lines=2)),
            key="own_cloud",
            file_name="narrow-cone-your-corpus",
            alt=alt,
        )
        draw_legend(colours, theme)
    else:
        twin = TwinCloud(
            points=Points.of(pack_cloud([picture.around_origin], reach)),
            rows_key=points.key,
            pictures=[Picture([0], [_("Raw")])],
            colours=colours,
            reach=reach,
            axis_titles=axis_titles(VIEW, COMPONENTS),
            origin_label=_("origin"),
            name=_("Raw"),
            alt=alt,
            cones=[panel.wedges],
            factors=[1.0],
            below=below[:-1],
            provenance=line,
            file_name="narrow-cone-your-corpus",
        )
        with st.container(key="own_cloud"):
            show_twin_cloud(
                twin,
                theme,
                key="own-cloud",
                texts=cloud.texts,
                on_selection=partial(store_selection, points.key),
            )
    st.caption(markdown(" · ".join(below)))
    show_selection(cloud, points.key)
    note_too_many_labels(cloud)
    offer_csv(
        _("Download points (CSV)"),
        "your-corpus",
        lambda: points_csv(cloud, ["x", "y"], picture.around_origin, line),
    )


def show_counts(scene: Scene) -> None:
    """The mean cosine, and counts of texts, of cut texts and of unknown tokens."""
    points, corpus = scene.points, scene.points.corpus
    counts = {measure_label("mean_cosine"): print_value("mean_cosine", scene.mean_cosine.value)}
    if points.model is None:
        n = len(points.cloud)
        counts |= {
            _("vectors"): f"{n:,}",
            _("numbers of each"): f"{points.vectors.shape[1]:,}",
            _("rows of zeros, left out"): f"{points.n_zero:,}",
        }
    else:
        coverage = coverage_of(corpus)
        counts |= {
            _("number of texts"): f"{len(corpus):,}",
            _("duplicates, kept"): f"{duplicates(corpus):,}",
            _("blank lines, left out"): f"{corpus.n_blank:,}",
            _("texts cut"): f"{coverage.truncated:,}",
            _("unknown tokens"): f"{coverage.unknown_share:.1%}",
        }
    for label, value in counts.items():
        st.metric(label, value)


def show_more() -> None:
    """Links to the pages that show cures in pictures and on scored pairs."""
    st.markdown(prose(PAGE, "more"))
    with st.container(horizontal=True):
        for page in ("whitening", "sentence_similarity"):
            st.page_link(
                page_path(page), label=page_labels()[page], icon=":material/arrow_forward:"
            )


def duplicates(corpus: Corpus) -> int:
    """The number of texts that repeat an earlier one."""
    return sum(count - 1 for count in Counter(corpus.texts).values())


def cloud_line(points: CorpusCloud) -> str:
    """What the picture and the numbers were measured on."""
    parts = [
        *origin(points),
        _("raw (not centred, no treatment)"),
        _("seed {seed}").format(seed=points.spec.seed),
    ]
    return " · ".join(parts)
