"""Contrastive training's interactive part: one fragment with its pictures and numbers."""

from __future__ import annotations

from functools import partial
from html import escape

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.evaluate.best_cell import halves
from geometry.evaluate.published import published_scores
from geometry.figures.alignment_plane import PlanePath, PlanePoint, plane_figure
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.scatter import Dots, scatter_figure
from pages.common.address import is_presenting
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import axis_titles, current_theme
from pages.common.folded import folded
from pages.common.lesson import note_facts
from pages.common.live_training import (
    Training,
    follow,
    show_controls,
    show_progress,
    started,
)
from pages.common.measures import (
    BigNumber,
    Verdict,
    change_of,
    change_words,
    show_big_numbers,
    show_verdict,
)
from pages.common.messages import ENCODER_ERRORS, errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.origin import coverage_of, of_known_text, warn_of_coverage
from pages.common.scores import PUBLISHED_ON, hundred, row_name, source_words, with_interval
from pages.common.seed import SEED
from pages.common.shell import picture_place, show_question
from pages.common.uploads import chosen_corpus
from pages.common.words import _, labelled, markdown, prose

from . import PAGE
from .choices import choose_settings, pair_sentences, read_vectors, scored_pairs
from .recorded import recorded_run
from .run import ContrastRun, HeadSettings, Moment, PlaneScores, contrast_run, drawn_rows
from .scene import Scene, contrast_verdict, place_names, run_words

PLANE_HEIGHT = 430
CURVE_HEIGHT = 220
REACH = 1.06  # half-width of the frame; the vectors have length 1


def draw_plane(scene: Scene) -> None:
    """Every point, and the path of the training."""
    run = scene.run
    names = place_names(run.header.settings)
    points = [
        PlanePoint(
            place.uniformity,
            place.alignment,
            100 * place.spearman_test,
            f"{names[place.name]} {hundred(place.spearman_test)}",
            _about(place, names[place.name]),
            is_main=place.name == "trained",
        )
        for place in run.places
    ]
    moments = run.moments
    path = PlanePath(
        np.array([moment.uniformity for moment in moments]),
        np.array([moment.alignment for moment in moments]),
        np.array([100 * moment.spearman_test for moment in moments]),
        [_about_moment(moment) for moment in moments],
        _("the head as it trains"),
    )
    titles = (
        _("← better: uniformity of test sentences"),
        _("← better: alignment of test pairs"),
        _("Spearman × 100, test pairs"),
    )
    figure = plane_figure(points, path, titles, current_theme(), height=PLANE_HEIGHT)
    show_chart(
        chart_of(figure),
        key="contrast-plane",
        file_name="contrast-plane",
        alt=_("; ").join(_plain(point.about) for point in points),
    )


def _about(place: PlaneScores, name: str) -> str:
    lines = [
        f"<b>{escape(name)}</b>",
        _("Spearman × 100 on test: {score}").format(
            score=with_interval(place.spearman_test, place.low, place.high)
        ),
        _("on dev: {score}").format(score=hundred(place.spearman_dev)),
        *_measures(place),
    ]
    return "<br>".join(lines)


def _about_moment(moment: Moment) -> str:
    name = _("Step {step}").format(step=moment.step)
    lines = [
        f"<b>{name}</b>",
        _("Spearman × 100 on test: {score}").format(score=hundred(moment.spearman_test)),
        _("on dev: {score}").format(score=hundred(moment.spearman_dev)),
        *_measures(moment),
    ]
    return "<br>".join(lines)


def _measures(of: PlaneScores | Moment) -> list[str]:
    return [
        _("alignment {value}").format(value=signed(of.alignment, 3)),
        _("uniformity {value}").format(value=signed(of.uniformity, 3)),
        _("mean cosine {value}").format(value=signed(of.mean_cosine, 3)),
    ]


def _plain(about: str) -> str:
    return about.replace("<b>", "").replace("</b>", "").replace("<br>", _(", "))


def draw_cloud(scene: Scene) -> None:
    """Test sentences before and at a step, in one basis, as directions."""
    moment, start = scene.moment, scene.run.moments[0]
    sentences = _drawn_sentences(scene.run.header.settings)
    groups = [
        Dots(each.cloud[:, 0], each.cloud[:, 1], sentences, name, place)
        for each, name, place in (
            (start, _("before"), 1),
            (moment, _("step {step}").format(step=moment.step), 0),
        )
    ]
    theme = current_theme()
    titles = axis_titles("mean", 2)
    limits = (-REACH, REACH)
    figure = scatter_figure(
        groups,
        Axes(titles[0], titles[1], x_range=limits, y_range=limits),
        theme,
        height=PLANE_HEIGHT - 70,
    )
    figure.update_xaxes(zeroline=True, constrain="domain")
    figure.update_yaxes(zeroline=True, scaleanchor="x", constrain="domain")
    figure.add_shape(
        type="circle", x0=-1, y0=-1, x1=1, y1=1, line={"color": theme.grid, "width": 2}
    )
    show_chart(
        chart_of(figure),
        key="contrast-cloud",
        file_name="contrast-cloud",
        alt=_(
            "Directions of {n} test sentences before training (mean cosine {before}) and at step "
            "{step} (mean cosine {after}), with the origin and the circle of length 1."
        ).format(
            n=len(sentences),
            before=signed(start.mean_cosine, 3),
            step=moment.step,
            after=signed(moment.mean_cosine, 3),
        ),
        zoom=False,
    )


def _drawn_sentences(settings: HeadSettings) -> list[str]:
    """Hover texts of the cloud."""
    pairs = scored_pairs(settings)
    test = halves(pairs.gold_scores, random_state=SEED)[1]
    rows = test[drawn_rows(test)]
    return [escape(side[row]) for side in (pairs.left, pairs.right) for row in rows]


def draw_curves(scene: Scene) -> None:
    """Loss, mean cosine, Spearman and spectrum as small multiples."""
    moment, moments = scene.moment, scene.run.moments
    steps = np.array([each.step for each in moments])

    def over(name: str, title: str, place: int | None = 0) -> Curve:
        values = np.array([getattr(each, name) for each in moments])
        return Curve(steps, values, title, place)

    spearman = [
        Curve(steps, 100 * curve.y, curve.name, curve.place)
        for curve in (
            over("spearman_dev", _("dev"), 0),
            over("spearman_test", _("test"), 1),
        )
    ]
    rank = np.arange(1, len(moment.singular_values) + 1)
    spectra = [
        Curve(rank, moments[0].singular_values, _("before"), 0),
        Curve(rank, moment.singular_values, _("step {step}").format(step=moment.step), 1),
    ]
    step_axis = _("step")
    charts = {
        "loss": ([over("loss", _("loss"))], Axes(step_axis, _("loss (nats)"))),
        "cosine": (
            [over("mean_cosine", _("mean cosine"))],
            Axes(step_axis, _("mean cosine, test sentences")),
        ),
        "spearman": (spearman, Axes(step_axis, _("Spearman × 100"))),
        "spectrum": (
            spectra,
            Axes(_("rank"), _("singular value (unit vectors)"), log_y=True),
        ),
    }
    for box, (name, (curves, axes)) in zip(st.columns(4), charts.items(), strict=True):
        with box:
            first, last = curves[-1].y[0], curves[-1].y[-1]
            show_chart(
                chart_of(curves_figure(curves, axes, current_theme(), height=CURVE_HEIGHT)),
                key=f"contrast-{name}",
                file_name=f"contrast-{name}",
                alt=labelled(axes.y, f"{first:.3g} → {last:.3g}"),
            )


# ---- numbers ----


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
            change_words(change_of(100 * moment.spearman_test, 100 * start.spearman_test, 1)),
        ),
        BigNumber(
            _("mean cosine"),
            signed(moment.mean_cosine, 3),
            _("isotropic: 0"),
            change_words(change_of(moment.mean_cosine, start.mean_cosine, 3)),
        ),
        BigNumber(
            _("uniformity"),
            signed(moment.uniformity, 2),
            _("isotropic: about −4"),
            change_words(change_of(moment.uniformity, start.uniformity, 2)),
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
                title: row_name(*row),
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


# ---- the fragment ----


PLAYING = "contrast-playing"  # in the session: the recorded steps run by themselves
PLAY_SECONDS = 0.5  # between two of them
WANTED = "contrast-wanted"  # in the session: the settings of a training that has not started


def explore() -> None:
    """Controls, the run that is shown, questions and further controls."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    run_box, question_box = picture_place(), st.container()
    more = st.expander(_("More controls"), key="more-controls")
    with control_box:
        *boxes, button_box = st.columns(6)
        settings = choose_settings(current_encoder(), boxes, more=more)
        with button_box:
            st.button(
                _("Train"),
                key="contrast-train",
                type="primary",
                icon=":material/play_arrow:",
                width="stretch",
                on_click=_want,
                args=(settings,),
            )
    pairs = pair_sentences(settings)
    if settings.text is not None and chosen_corpus().sha256 == pairs.sha256:
        notes_box.warning(
            _("This corpus has the test sentences. So head, whitening and flow are fitted on them.")
        )
    with notes_box, errors_shown():
        read = (pairs,) if settings.text is None else (pairs, chosen_corpus())
        warn_of_coverage(max(map(coverage_of, read), key=lambda each: each.unknown_share))
    with run_box:
        draw = partial(_draw_training, settings=settings)
        follow(PAGE, draw, playing=PLAYING, every=PLAY_SECONDS)
    if not is_presenting():
        with question_box:
            for question in ("plane", "dropout", "temperature", "centring"):
                show_question(PAGE, question)
    with notes_box:  # above the picture, but computed later, because encoding may take long
        _start_if_wanted(settings)


def _want(settings: HeadSettings) -> None:
    st.session_state[WANTED] = settings


def _start_if_wanted(settings: HeadSettings) -> None:
    """Read the vectors, with progress, and start the training, unless a control has moved."""
    if st.session_state.get(WANTED) != settings:
        st.session_state.pop(WANTED, None)
        return
    try:
        vectors = read_vectors(settings)
    except ENCODER_ERRORS as error:
        show_error(error)
        return
    del st.session_state[WANTED]
    started(PAGE, partial(contrast_run, vectors, settings))
    st.rerun()


def _draw_training(training: Training | None, settings: HeadSettings) -> None:
    """The session's training; the recorded run before its first step."""
    run = None
    if training is not None:
        show_controls(PAGE, training)
        run = ContrastRun.of(training.records)
        if training.is_active:
            n = (run.header.settings if run else settings).steps
            show_progress(run.moments[-1].step if run else 0, n)
        if run is None and training.is_active:
            st.caption(_("The recorded run is shown until the first step of yours."))
    is_active = training is not None and training.is_active
    plane_box, cloud_box = st.columns([3, 2])
    with cloud_box:
        cloud, slider = st.container(), st.container()
    with slider:
        scene = _choose_scene(run or recorded_run(), settings, is_active=is_active)
    with plane_box:
        draw_plane(scene)
    with cloud:
        draw_cloud(scene)
    _show_numbers(scene)


def _show_numbers(scene: Scene) -> None:
    """Below the pictures: numbers, verdict, curves, tables."""
    show_headlines(scene)
    note_facts(lambda: _facts(scene))
    show_settings(scene)
    if not is_presenting():
        show_verdict(_verdict(scene), key="contrast")
    draw_curves(scene)
    if is_presenting():
        return
    with folded(_("All measures"), key="all-measures", icon=":material/table:") as is_open:
        if is_open:
            show_table(scene)
            st.markdown(prose(PAGE, "measures"))
            offer_downloads(scene)
    with folded(
        _("What is small here, and what the paper did"), key="part-small", icon=":material/compare:"
    ) as is_open:
        if is_open:
            show_published(scene)


def _facts(scene: Scene) -> dict[str, float]:
    """Test Spearman × 100 of the start and of the best step, and the gains, for the lesson."""
    ending, start = scene.run.ending, scene.run.moments[0]
    if ending is None:
        return {}
    found = {"raw": start.spearman_test, "trained": ending.trained.spearman_test}
    for gain in ending.gains:
        found |= {f"over_{gain.over}": gain.value, f"over_{gain.over}_low": gain.low}
        found[f"over_{gain.over}_high"] = gain.high
    return {name: 100 * value for name, value in found.items()}


def _verdict(scene: Scene) -> Verdict:
    """The verdict; "not enough data" if the model of the run does not know the pairs' text."""
    verdict, settings = contrast_verdict(scene), scene.run.header.settings
    if settings.model != current_encoder().name:
        return verdict
    return of_known_text(verdict, pair_sentences(settings))


def _choose_scene(run: ContrastRun, settings: HeadSettings, *, is_active: bool) -> Scene:
    """The run and one of its recorded steps, on a slider; the last step while it trains."""
    steps = {moment.step: moment for moment in run.moments}
    step = max(steps)
    if len(steps) > 1 and not is_active:
        # one key for each list of steps: a value that is not in the list would be an error
        key = f"contrast-step-{len(steps)}-{max(steps)}-{run.is_recorded}"
        _advance(key, list(steps))
        is_playing = bool(st.session_state.get(PLAYING))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                _("Stop") if is_playing else _("Play"),
                key="play",
                icon=":material/stop:" if is_playing else ":material/play_arrow:",
                on_click=_toggle_play,
                args=(key, min(steps)),
            )
            step = st.select_slider(
                _("Step"), list(steps), value=step, key=key, persist_state="session"
            )
    return Scene(run, steps[step], settings, is_active)


def _toggle_play(key: str, first: int) -> None:
    """Start at the first step, or stop."""
    st.session_state[PLAYING] = not st.session_state.get(PLAYING)
    if st.session_state[PLAYING]:
        st.session_state[key] = first


def _advance(key: str, steps: list[int]) -> None:
    """While playing: go to the next step; after the last one it stops."""
    if not st.session_state.get(PLAYING) or key not in st.session_state:
        return
    place = steps.index(st.session_state[key]) + 1
    if place < len(steps):
        st.session_state[key] = steps[place]
    else:
        st.session_state[PLAYING] = False
