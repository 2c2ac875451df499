"""A reader's own data: their encoding, their picture and their counts."""

from __future__ import annotations

from collections import Counter
from functools import partial

import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet
from geometry.errors import GeometryError
from geometry.figures.cone import cone_figure
from geometry.measure import mean_cosine
from geometry.projection.packing import pack_cloud
from geometry.projection.twin import common_scale
from pages.common.cloud_choices import choose_layer, choose_pooling
from pages.common.corpus_cloud import (
    MOST_DRAWN,
    OF_VECTORS,
    CloudSpec,
    CorpusCloud,
    coverage_of,
    encode_corpus,
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
from pages.common.measures import measure_label
from pages.common.messages import show_error
from pages.common.models import current_encoder
from pages.common.origin import origin
from pages.common.page_list import page_labels, page_path
from pages.common.words import Translate, prose

from . import PAGE
from .scene import Scene

VIEW, COMPONENTS = "mean", 2
HEIGHT = 520  # px
PLOTLY_POINTS = 3000  # points that Plotly draws at most, a sample of a larger cloud


def encode_own(corpus: Corpus | VectorSet, _: Translate) -> CorpusCloud | None:
    """The cloud of the data, with progress and cancel; None after an error message."""
    spec = OF_VECTORS if isinstance(corpus, VectorSet) else _choose_place(_)
    try:
        return encode_corpus(corpus, spec, _)
    except GeometryError as error:
        show_error(error, _)
        return None
    except (MemoryError, OSError, RuntimeError, ValueError) as error:
        reason = markdown(str(error) or type(error).__name__)
        st.error(
            _(
                "The texts could not be encoded ({reason}). Nothing was lost. Try again, with "
                "fewer texts if there was not enough memory."
            ).format(reason=reason)
        )
        return None


def _choose_place(_: Translate) -> CloudSpec:
    """The layer and the pooling of the picture and of the diagnosis."""
    encoder = current_encoder()
    layer_box, pooling_box = st.columns(2)
    with pooling_box:
        pooling = choose_pooling(encoder.poolings, "sentences", _)
    with layer_box:
        layer = choose_layer(encoder, "sentences", _, disabled=pooling == "own")
    if pooling == "own":
        layer = str(encoder.n_layers)
    return CloudSpec(
        unit="sentences",
        layer=int(layer) if layer.isdigit() else layer,
        pooling=pooling,
        max_points=MOST_DRAWN,
    )


def draw_cloud(scene: Scene, _: Translate) -> None:
    """The raw cloud around the origin, with its cones."""
    points = scene.points
    if has_no_webgl2():
        points = points.sample(PLOTLY_POINTS)
    cloud, line = points.cloud, cloud_line(points, _)
    if len(cloud) <= COMPONENTS:
        st.info(
            _(
                "A picture in {k} dimensions needs at least {least} texts, and there are {n}. "
                "The numbers below are valid all the same."
            ).format(k=COMPONENTS, least=COMPONENTS + 1, n=len(cloud))
        )
        return
    picture = points.project_in_job(VIEW, COMPONENTS, _)
    colours, theme = point_colours(points, "topic", _), current_theme()
    reach = common_scale(picture, picture)[1]
    panel = cloud_panel(points.vectors, (), picture, reach, _)
    below = [*lines_below(picture, panel, _), line]
    alt = f"{alternative(_('Raw'), points.vectors, panel, _)} {line}"
    if has_no_webgl2():
        show_chart(
            chart_of(cone_figure(panel, colours, theme, height=HEIGHT, lines=2)),
            key="own_cloud",
            file_name="narrow-cone-your-corpus",
            alt=alt,
        )
        draw_legend(colours, theme, _)
    else:
        twin = TwinCloud(
            points=Points.of(pack_cloud([picture.around_origin], reach)),
            rows_key=points.key,
            pictures=[Picture([0], [_("Raw")])],
            colours=colours,
            reach=reach,
            axis_titles=axis_titles(VIEW, COMPONENTS, _),
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
                _,
                key="own-cloud",
                texts=cloud.texts,
                on_selection=partial(store_selection, points.key),
            )
    st.caption(markdown(" · ".join(below)))
    show_selection(cloud, points.key, _)
    note_too_many_labels(cloud, _)
    offer_csv(
        _("Download points (CSV)"),
        "your-corpus",
        lambda: points_csv(cloud, ["x", "y"], picture.around_origin, line),
    )


def show_counts(scene: Scene, _: Translate) -> None:
    """The mean cosine, and counts of texts, of cut texts and of unknown tokens."""
    points, corpus = scene.points, scene.points.corpus
    counts = {measure_label("mean_cosine", _): f"{mean_cosine(points.cloud.vectors):.3f}"}
    if points.model is None:
        n = len(points.cloud)
        counts |= {
            _("vectors"): f"{n:,}",
            _("numbers of each"): f"{points.vectors.shape[1]:,}",
            _("rows of zeros, left out"): f"{points.n_zero:,}",
        }
    else:
        coverage = coverage_of(corpus, _)
        counts |= {
            _("number of texts"): f"{len(corpus):,}",
            _("duplicates, kept"): f"{duplicates(corpus):,}",
            _("blank lines, left out"): f"{corpus.n_blank:,}",
            _("texts cut"): f"{coverage.truncated:,}",
            _("unknown tokens"): f"{coverage.unknown_share:.1%}",
        }
    for label, value in counts.items():
        st.metric(label, value)


def show_more(_: Translate) -> None:
    """Links to the pages that show cures in pictures and on scored pairs."""
    st.markdown(prose(PAGE, "more"))
    with st.container(horizontal=True):
        for page in ("whitening", "sentence_similarity"):
            st.page_link(
                page_path(page), label=page_labels(_)[page], icon=":material/arrow_forward:"
            )


def duplicates(corpus: Corpus) -> int:
    """The number of texts that repeat an earlier one."""
    return sum(count - 1 for count in Counter(corpus.texts).values())


def cloud_line(points: CorpusCloud, _: Translate) -> str:
    """What the picture and the numbers were measured on."""
    parts = [
        *origin(points, _),
        _("raw (not centred, no treatment)"),
        _("seed {seed}").format(seed=points.spec.seed),
    ]
    return " · ".join(parts)
