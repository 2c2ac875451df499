"""Three numbers, the table of all points, the published rows and the downloads."""

from __future__ import annotations

import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate.published import published_scores
from pages.common.big_numbers import BigNumber, change_of, show_big_numbers
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.escape import markdown
from pages.common.scores import PUBLISHED_ON, hundred, row_name, source_words, with_interval
from pages.common.words import _, prose

from . import PAGE
from .run import ContrastRun
from .scene import Scene
from .words import place_names, run_words

PUBLISHED = (  # (table, row)
    ("simcse_table_5", "BERT first-last"),
    ("bert_flow_table_2", "flow target"),
    ("simcse_table_b2", "whiten target all"),
    ("simcse_table_5", "unsup SimCSE"),
    ("simcse_table_5", "sup SimCSE"),
)


def show_headlines(scene: Scene) -> None:
    """Spearman, mean cosine and uniformity at the step of the cloud, with their change."""
    moment, start = scene.moment, scene.run.moments[0]
    name = _("step {step}").format(step=moment.step)
    numbers = [
        BigNumber(
            _("Spearman × 100, test"),
            hundred(moment.spearman_test),
            _("dev: {score}").format(score=hundred(moment.spearman_dev)),
            change_of(100 * moment.spearman_test, 100 * start.spearman_test, 1),
        ),
        BigNumber(
            _("mean cosine"),
            signed(moment.mean_cosine, 3),
            _("isotropic: 0"),
            change_of(moment.mean_cosine, start.mean_cosine, 3),
        ),
        BigNumber(
            _("uniformity"),
            signed(moment.uniformity, 2),
            _("isotropic: about −4"),
            change_of(moment.uniformity, start.uniformity, 2),
        ),
    ]
    show_big_numbers(
        _("{step}, and the change since the start").format(step=name),
        numbers,
        key="contrast-numbers",
    )


def show_settings(scene: Scene) -> None:
    """What the numbers depend on, and whether the controls are at other settings."""
    if scene.settings != scene.run.header.settings and not scene.is_active:
        st.markdown(
            _("The controls are at other settings than this run. Press **Train** to use them.")
        )
    st.caption(markdown(run_words(scene.run)))


def show_table(scene: Scene) -> None:
    """All points with all measures."""
    run = scene.run
    names = place_names(run.header.settings)
    st.dataframe(
        [
            {
                _("vectors"): names[place.name],
                _("Spearman × 100, test"): with_interval(
                    place.spearman_test, place.low, place.high
                ),
                _("Spearman × 100, dev"): hundred(place.spearman_dev),
                _("alignment"): signed(place.alignment, 3),
                _("uniformity"): signed(place.uniformity, 3),
                _("mean cosine"): signed(place.mean_cosine, 3),
            }
            for place in run.places
        ],
        hide_index=True,
        width="stretch",
    )


def show_published(scene: Scene) -> None:
    """What is small here, and the scores that papers print."""
    st.markdown(prose(PAGE, "small", small_values(scene.run)))
    scores = {(score.table, score.name): score for score in published_scores(PUBLISHED_ON)}
    title = _("published, on {dataset} test").format(dataset=PUBLISHED_ON)
    st.dataframe(
        [
            {
                title: row_name(scores[row]),
                _("Spearman × 100"): scores[row].value,
                _("source"): source_words(scores[row]),
            }
            for row in PUBLISHED
        ],
        hide_index=True,
        width="stretch",
    )


def small_values(run: ContrastRun) -> dict[str, str]:
    """The values in the comparison with the paper."""
    header, settings = run.header, run.header.settings
    return {
        "n": f"{header.n_trained:,}",
        "parameters": f"{header.n_parameters:,}",
        "batch": f"{settings.batch_size}",
        "dropout": f"{settings.dropout:g}",
        "temperature": f"{settings.temperature:g}",
        "steps": f"{settings.steps}",
        "rate": f"{settings.learning_rate:g}",
        "pairs": f"{header.n_test}",
        "dev": f"{header.n_dev}",
    }


def offer_downloads(scene: Scene) -> None:
    """The points and the steps as CSV."""
    run, about = scene.run, run_words(scene.run)
    with st.container(horizontal=True, gap="xsmall"):
        offer_csv(_("Download points (CSV)"), "contrast-points", lambda: points_csv(run, about))
        offer_csv(_("Download steps (CSV)"), "contrast-steps", lambda: steps_csv(run, about))


MEASURES = ("spearman_test", "spearman_dev", "alignment", "uniformity", "mean_cosine")


def points_csv(run: ContrastRun, about: str) -> bytes:
    """One row a point of the plane."""
    rows = [
        [place.name, *(short_number(getattr(place, name)) for name in (*MEASURES, "low", "high"))]
        for place in run.places
    ]
    return csv_bytes(["point", *MEASURES, "test_low", "test_high"], rows, about)


def steps_csv(run: ContrastRun, about: str) -> bytes:
    """One row a recorded step."""
    rows = [
        [f"{moment.step}", *(short_number(getattr(moment, name)) for name in ("loss", *MEASURES))]
        for moment in run.moments
    ]
    return csv_bytes(["step", "loss", *MEASURES], rows, about)
