"""A reader's own corpus, encoded: what was read of it, and a first picture."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from geometry import Cloud, Corpus, ModelFilesError
from geometry.encode.precision import PrecisionError
from geometry.figures.colours import MOST_LABELS
from geometry.figures.cone import cone_figure
from geometry.measure import mean_cosine
from geometry.projection.twin import one_scale
from pages.common.cached import CloudSpec, cloud, cloud_key, coverage, encoder, projection
from pages.common.coverage_notes import show_coverage
from pages.common.downloads import offer_csv, points_csv
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import (
    alternative,
    cloud_panel,
    current_theme,
    draw_legend,
    lines_below,
    point_colours,
    tell_too_many_labels,
)
from pages.common.measures import measure_label
from pages.common.messages.model_errors import model_line, tell_model_error
from pages.common.words import Translate

VIEW, COMPONENTS = "mean", 2


def first_look() -> CloudSpec:
    """Layer 4, where the bundled encoder has its usual cone; a smaller model's last."""
    return CloudSpec(unit="sentences", layer=min(4, encoder().n_layers), pooling="mean")


def own_corpus() -> Corpus | None:
    """The corpus chosen in the sidebar where it is one of this session's own, else None."""
    uploads: dict[str, Corpus] = st.session_state.get("uploads", {})
    return uploads.get(st.session_state.get("corpus", ""))


def encoded(corpus: Corpus, _: Translate) -> Cloud | None:
    """The corpus as sentence vectors, with progress and cancel; None after saying what failed."""
    try:
        return cloud(corpus, first_look(), _)
    except PrecisionError as error:
        tell_model_error(error, _)
        return None
    except (ModelFilesError, MemoryError, OSError, RuntimeError, ValueError) as error:
        reason = str(error) or type(error).__name__
        st.error(
            _(
                "The texts could not be encoded ({reason}). Nothing was lost: try again, with "
                "fewer texts if memory was short."
            ).format(reason=reason)
        )
        return None


def tell_unread(corpus: Corpus, _: Translate) -> None:
    """Texts cut and tokens unknown, said before the picture that they concern."""
    show_coverage(coverage(corpus), _)


def draw_cloud(points: Cloud, corpus: Corpus, _: Translate) -> None:
    """The raw cloud around the origin, with the cone that holds it."""
    if len(points) <= COMPONENTS:
        st.info(
            _(
                "A picture in {k} dimensions needs at least {least} texts, and there are {n}. "
                "The numbers below hold all the same."
            ).format(k=COMPONENTS, least=COMPONENTS + 1, n=len(points))
        )
        return
    picture = projection(cloud_key(corpus, first_look()), VIEW, COMPONENTS, points.vectors)
    labels = set(points.labels or ())
    colours = point_colours(points, "topic" if len(labels) <= MOST_LABELS else "length", _)
    theme = current_theme()
    panel = cloud_panel(points.vectors, points.texts, picture, one_scale(picture, picture)[1], _)
    show_chart(
        chart_of(cone_figure(panel, colours, theme, lines=2)),
        key="own_cloud",
        file_name="narrow-cone-your-corpus",
        alt=f"{alternative(_('Raw'), points.vectors, panel, _)} {_cloud_line(points, _)}",
    )
    draw_legend(colours, theme)
    st.caption(" · ".join([*lines_below(picture, panel, _), _cloud_line(points, _)]))
    tell_too_many_labels(points, _)
    offer_csv(
        _("Take the points away (CSV)"),
        "your-corpus",
        lambda: points_csv(points, ["x", "y"], picture.around_origin, _cloud_line(points, _)),
    )


def show_counts(corpus: Corpus, points: Cloud, _: Translate) -> None:
    """How many texts, what was left out or doubled, what the model read, how narrow it is."""
    read = coverage(corpus)
    counts = {
        _("texts"): f"{len(corpus):,}",
        _("duplicates, kept"): f"{duplicates(corpus):,}",
        _("blank lines, left out"): f"{corpus.n_blank:,}",
        _("texts cut"): f"{read.truncated:,}",
        _("unknown tokens"): f"{read.unknown_share:.1%}",
        measure_label("mean_cosine", _): f"{mean_cosine(points.vectors):.3f}",
    }
    with st.container(horizontal=True, gap="large"):
        for label, value in counts.items():
            st.metric(label, value, width="content")
    st.caption(_cloud_line(points, _))


def duplicates(corpus: Corpus) -> int:
    """Texts that stand in the corpus already, above them."""
    return sum(count - 1 for count in Counter(corpus.texts).values())


def _cloud_line(points: Cloud, _: Translate) -> str:
    return _(
        "{shown} of {n} texts, {model}, layer {layer}, {pooling} pooling, raw: not centred, "
        "no transform; seed {seed}."
    ).format(
        shown=f"{len(points):,}",
        n=f"{points.n_available:,}",
        model=model_line(encoder(), _),
        layer=first_look().layer,
        pooling=first_look().pooling,
        seed=first_look().seed,
    )
