"""Contrastive training's interactive part: one fragment with its pictures and numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder, Pairs
from geometry.data import read_bundled_pairs
from geometry.data.number_text import change, signed, with_sign
from geometry.encode.pool import DEFAULT_POOLING
from geometry.evaluate.fit_size import halves
from geometry.evaluate.published import published_scores
from geometry.figures.alignment_plane import PlanePoint, plane_figure
from geometry.figures.curves import Axes, Curve, curves_figure, scatter_figure
from pages.common import measures
from pages.common.address import is_presenting
from pages.common.controls import act_button, choose_in, layer_options, pooling_names
from pages.common.corpus_cloud import CloudSpec, encode_corpus
from pages.common.downloads import csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import axis_titles, current_theme
from pages.common.folded import show_folded
from pages.common.lesson import note_facts
from pages.common.live_training import Training, follow, show_controls, show_progress, started
from pages.common.messages import errors_shown
from pages.common.models import current_encoder
from pages.common.origin import coverage_of, layer_words, of_known_text, warn_of_coverage
from pages.common.scores import PUBLISHED_ON, hundred, row_name, source_words, with_interval
from pages.common.seed import SEED
from pages.common.shell import picture_place, show_question
from pages.common.uploads import BUNDLED, BUNDLED_NAMES, chosen_corpus, short_pair_labels
from pages.common.words import _, dotted, labelled, markdown, names, paragraph, prose

from . import PAGE
from .recorded import DEFAULTS, recorded_run
from .run import (
    ContrastRun,
    Gain,
    Header,
    HeadSettings,
    Moment,
    PairVectors,
    PlaneScores,
    contrast_run,
    drawn_rows,
)

DEV, CORPUS = "dev", "corpus"
MOST_SENTENCES = 3000  # sentences of a corpus at most; a larger one is sampled
NUMBERS = {  # by the key of a control: its setting, and the numbers that it offers
    "contrast-temperature": ("temperature", "0.02 0.05 0.1 0.2 0.5 1"),
    "contrast-dropout": ("dropout", "0 0.05 0.1 0.2 0.3 0.5"),
    "contrast-rate": ("learning_rate", "0.0001 0.0003 0.001 0.003 0.01 0.1 1 10"),
    "contrast-batch": ("batch_size", "16 32 64 128 256"),
    "contrast-steps": ("steps", "50 100 200 400 800"),
}


def choose_settings(
    encoder: Encoder, boxes: Sequence[DeltaGenerator], *, more: DeltaGenerator
) -> HeadSettings:
    last = encoder.n_layers
    text_box, layer_box, pooling_box, temperature_box, dropout_box = boxes
    texts = {DEV: _("the dev pairs’"), CORPUS: _("the corpus of the sidebar")}
    about = _("Human scores are never used in training.")
    label = _("Sentences to train on")
    text = choose_in(text_box, label, texts, key="contrast-text", help=about)
    default = str(min(DEFAULTS.layer, last))
    layer = choose_in(layer_box, _("Layer"), layer_options(last), default, key="contrast-layer")
    names = pooling_names(encoder)
    poolings = {each: names[each] for each in ("mean", "cls", "max") if each in encoder.poolings}
    pooling = choose_in(
        pooling_box, _("Pooling"), poolings, DEFAULT_POOLING, key="contrast-pooling"
    )
    about = _("Cosines are divided by it. Gao et al. (2021) use 0.05.")
    temperature = _number(temperature_box, _("Temperature τ"), "contrast-temperature", help=about)
    about = _("Share of a vector’s entries that are set to 0. Two such masks make a positive pair.")
    dropout = _number(dropout_box, "Dropout", "contrast-dropout", help=about)
    first, second, third = more.columns(3)
    sets = {code: short_pair_labels()[code] for code in BUNDLED_NAMES}
    about = _("Half of them choose the step (dev), and half measure (test).")
    pairs = choose_in(first, _("Scored pairs"), sets, BUNDLED, key="pairs", help=about)
    heads = {"linear": _("linear: Wx + b"), "tanh": "tanh(Wx + b)"}
    head = choose_in(first, _("Head"), heads, DEFAULTS.head, key="contrast-head")
    batch = _number(first, _("Sentences in a batch"), "contrast-batch")
    rate = _number(second, _("Learning rate (Adam)"), "contrast-rate")
    steps = _number(second, _("Steps"), "contrast-steps")
    with third:
        seed = st.number_input(
            _("Seed"), 0, 9999, DEFAULTS.seed, key="contrast-seed", bind="query-params"
        )
        centred = st.toggle(
            _("Subtract the mean first"),
            key="contrast-centred",
            value=DEFAULTS.centred,
            bind="query-params",
            help=_("Needed where all vectors are nearly equal, such as [CLS] of most layers."),
        )
    return HeadSettings(
        model=encoder.name,
        text=None if text == DEV else chosen_corpus().name,
        layer=int(layer),
        last_layer=last,
        pooling=pooling,
        head=head,
        centred=bool(centred),
        temperature=temperature,
        dropout=dropout,
        batch_size=int(batch),
        learning_rate=rate,
        steps=int(steps),
        seed=int(seed),
        pairs=pairs,
    )


def _number(box: DeltaGenerator, label: str, key: str, **settings: Any) -> float:
    name, options = NUMBERS[key]
    default = f"{getattr(DEFAULTS, name):g}"
    return float(choose_in(box, label, options.split(), default, key=key, **settings))


def scored_pairs(settings: HeadSettings) -> Pairs:
    return read_bundled_pairs(BUNDLED_NAMES[settings.pairs])


def pair_sentences(settings: HeadSettings) -> Corpus:
    pairs = scored_pairs(settings)
    return Corpus(pairs.name, pairs.left + pairs.right)


def read_vectors(settings: HeadSettings) -> PairVectors:
    pairs, corpus = pair_sentences(settings), None

    def vectors(texts: Corpus, layer: int, pooling: str, most: int) -> np.ndarray:
        spec = CloudSpec(unit="sentences", layer=layer, pooling=pooling, max_points=most)
        return encode_corpus(texts, spec).vectors

    every = len(pairs)
    if settings.text is not None:
        corpus = vectors(chosen_corpus(), settings.layer, settings.pooling, MOST_SENTENCES)
    return PairVectors(
        vectors(pairs, settings.layer, settings.pooling, every),
        vectors(pairs, settings.last_layer, DEFAULT_POOLING, every),
        scored_pairs(settings).gold_scores,
        corpus,
    )


@dataclass(frozen=True)
class ContrastScene:
    run: ContrastRun
    moment: Moment  # the step of the cloud and of the numbers
    settings: HeadSettings  # of the controls; those of the run may be others
    is_active: bool = False  # True while the run is being trained


def gain_words(gain: Gain) -> str:
    """A gain × 100 with its interval: +2.2 [+0.7, +3.9], without a line break."""
    text = change(100 * gain.value, 100 * gain.low, 100 * gain.high, 1)
    return text.replace(", ", ",\u00a0")


def place_names(settings: HeadSettings) -> dict[str, str]:
    return {
        "raw": _("raw, layer {layer}").format(layer=settings.layer),
        "centred": _("mean subtracted"),
        "whitened": _("whitened"),
        "flow": _("flow"),
        "last": _("last layer, mean"),
        "trained": _("trained head"),
    }


def data_words(header: Header) -> str:
    settings = header.settings
    text = settings.text or _("the dev pairs’ sentences")
    pairs = names("pairs")[settings.pairs]
    trained = _("trained on {n} sentences ({text})").format(n=f"{header.n_trained:,}", text=text)
    measured = _("measured on {n} test pairs ({pairs}), {positive} of them scored above 4")
    return dotted(
        settings.model,
        layer_words(settings.layer, settings.last_layer),
        _("pooling: {pooling}").format(pooling=pooling_names()[settings.pooling]),
        trained,
        measured.format(n=header.n_test, pairs=pairs, positive=header.n_positive),
    )


def run_words(run: ContrastRun) -> str:
    settings = run.header.settings
    about = dotted(
        data_words(run.header),
        "tanh(Wx + b)" if settings.head == "tanh" else "Wx + b",
        _("mean subtracted first") if settings.centred else _("mean not subtracted"),
        f"τ = {settings.temperature:g}",
        f"dropout {settings.dropout:g}",
        _("batch {n}").format(n=settings.batch_size),
        _("learning rate {rate}").format(rate=f"{settings.learning_rate:g}"),
        _("{n} steps").format(n=settings.steps),
        _("seed {seed}").format(seed=settings.seed),
    )
    text = _("Recorded run: {about}") if run.is_recorded else _("Your training: {about}")
    return text.format(about=about)


COMPARED_WITH = frozenset({"raw", "whitened", "centred"})  # the last is the control


def contrast_verdict(scene: ContrastScene) -> measures.Verdict:
    run = scene.run
    ending = run.ending
    gains = {} if ending is None else {gain.over: gain for gain in ending.gains}
    state = contrast_state(gains)
    measured = _("The training has no end yet, so nothing is compared.")
    control: measures.Control | measures.NoControl = measures.nothing_measured()
    basis = [data_words(run.header)]
    if ending is not None:
        chosen = _("step {step} chosen as the best on {n} dev pairs")
        basis.append(chosen.format(step=ending.step, n=run.header.n_dev))
        measured = _("A score is undefined, because all cosines are equal.")
    if ending is not None and state != "unknown":
        trained = run.place("trained")
        words = {name: f"**{gain_words(gain)}**" for name, gain in gains.items()}
        parts = [
            _(
                "Test Spearman × 100 of the trained head: **{score}**. Over the raw layer {raw}; "
                "over whitening {whitened}; over the flow {flow}."
            ).format(score=with_interval(trained.spearman_test, trained.low, trained.high), **words)
        ]
        control = measures.Control(_beside_centring(gains["centred"]))
        if ending.step == 0:
            parts.append(_("No step was better on dev than the start."))
        if run.splits:
            parts.append(_over_splits(run.splits))
            states = {contrast_state({gain.over: gain for gain in gains}) for gains in run.splits}
            state = measures.overall_state({state, *states})
        measured = paragraph(parts)
    strength = _("strength of the whitening chosen on the same dev pairs: {strength}")
    basis += [
        _("whitening, flow and mean fitted on the same sentences"),
        strength.format(strength=f"{run.place('whitened').strength or 0:g}"),
        _("95% interval: paired bootstrap over test pairs, 1,000 draws"),
    ]
    claim = _(
        "Contrastive training without labels raises the agreement of cosines with human "
        "scores, over the raw vectors and over whitening."
    )
    about = dotted(*basis)
    return measures.Verdict(claim, _("Gao et al. (2021)"), state, measured, control, about)


def contrast_state(gains: dict[str, Gain]) -> measures.State:
    """Whether the Spearman rises over both and over the control, over some, or over none."""
    if not gains.keys() >= COMPARED_WITH:
        return "unknown"
    compared = [gains[name] for name in COMPARED_WITH]
    if all(gain.low > 0 for gain in compared):
        return "holds"
    if any(gains[name].low > 0 for name in ("raw", "whitened")):
        return "partly"
    return "fails" if any(gain.high < 0 for gain in compared) else "unknown"


def _beside_centring(gain: Gain) -> str:
    text = _(
        "subtracting the mean alone, which trains nothing. The head is not clearly different "
        "from it: {gain}."
    )
    if gain.low > 0:
        text = _("subtracting the mean alone, which trains nothing. The head is above it: {gain}.")
    elif gain.high < 0:
        text = _("subtracting the mean alone, which trains nothing. The head is below it: {gain}.")
    return text.format(gain=f"**{gain_words(gain)}**")


def _over_splits(splits: Sequence[Sequence[Gain]]) -> str:
    """The gains on all splits: the least, the most, and the number of intervals above 0."""
    values = {"n": f"{len(splits)}"}
    for name in ("raw", "whitened"):
        gains = [gain for each in splits for gain in each if gain.over == name]
        moved = [100 * gain.value for gain in gains]
        clear = sum(gain.low > 0 for gain in gains)
        values[name] = _("{low} to {high}").format(
            low=with_sign(min(moved), 1), high=with_sign(max(moved), 1)
        )
        values[f"{name}_clear"] = f"{clear}"
    return _(
        "On {n} splits into dev and test, each with its own seed: over the raw layer {raw}, and "
        "{raw_clear} of {n} intervals are above 0; over whitening {whitened}, and {whitened_clear} "
        "of {n} intervals are above 0."
    ).format(**values)


CLOUD_HEIGHT = 360
CURVE_HEIGHT = 220
REACH = 1.06  # half-width of the frame; the vectors have length 1


def draw_plane(scene: ContrastScene) -> None:
    run = scene.run
    names = place_names(run.header.settings)
    points = []
    for place in run.places:
        name = names[place.name]
        label = f"{name} {hundred(place.spearman_test)}"
        at = place.uniformity, place.alignment, 100 * place.spearman_test
        points.append(PlanePoint(*at, label, _about(place, name), place.name == "trained"))
    path = []
    for each in run.moments:
        about = _about(each, _("Step {step}").format(step=each.step))
        at = each.uniformity, each.alignment, 100 * each.spearman_test
        path.append(PlanePoint(*at, "", about))
    titles = (
        _("← better: uniformity of test sentences"),
        _("← better: alignment of test pairs"),
        _("Spearman × 100, test pairs"),
    )
    name = _("the head as it trains")
    figure = plane_figure(points, path, name, titles, current_theme())
    alt = _("; ").join(point.about for point in points)
    alt = alt.replace("<b>", "").replace("</b>", "").replace("<br>", _(", "))
    show_chart(figure, key="contrast-plane", alt=alt)


def _about(of: PlaneScores | Moment, name: str) -> str:
    ends = getattr(of, "low", None), getattr(of, "high", None)  # a moment has none
    lines = [
        f"<b>{escape(name)}</b>",
        _("Spearman × 100 on test: {score}").format(score=with_interval(of.spearman_test, *ends)),
        _("on dev: {score}").format(score=hundred(of.spearman_dev)),
        _("alignment {value}").format(value=signed(of.alignment, 3)),
        _("uniformity {value}").format(value=signed(of.uniformity, 3)),
        _("mean cosine {value}").format(value=signed(of.mean_cosine, 3)),
    ]
    return "<br>".join(lines)


def draw_cloud(scene: ContrastScene) -> None:
    moment = scene.moment
    start = scene.run.moments[0]
    pairs = scored_pairs(scene.run.header.settings)
    test = halves(pairs.gold_scores, random_state=SEED)[1]
    rows = test[drawn_rows(test)]
    sentences = [escape(side[row]) for side in (pairs.left, pairs.right) for row in rows]
    now = _("step {step}").format(step=moment.step)
    groups = [
        Curve(each.cloud[:, 0], each.cloud[:, 1], name, place, about=sentences)
        for each, name, place in ((start, _("before"), 1), (moment, now, 0))
    ]
    theme = current_theme()
    limits = (-REACH, REACH)
    x, y = axis_titles("mean", 2)
    axes = Axes(x, y, x_range=limits, y_range=limits)
    figure = scatter_figure(groups, axes, theme, height=CLOUD_HEIGHT)
    figure.update_xaxes(zeroline=True, constrain="domain")
    figure.update_yaxes(zeroline=True, scaleanchor="x", constrain="domain")
    line = {"color": theme.grid, "width": 2}
    figure.add_shape(type="circle", x0=-1, y0=-1, x1=1, y1=1, line=line)
    alt = _(
        "Directions of {n} test sentences before training (mean cosine {before}) and at step "
        "{step} (mean cosine {after}), with the origin and the circle of length 1."
    ).format(
        n=len(sentences),
        before=signed(start.mean_cosine, 3),
        step=moment.step,
        after=signed(moment.mean_cosine, 3),
    )
    show_chart(figure, key="contrast-cloud", alt=alt, zoom=False)


def draw_curves(scene: ContrastScene) -> None:
    moment = scene.moment
    moments = scene.run.moments
    steps = np.array([each.step for each in moments])

    def over(name: str, title: str, place: int = 0, scale: int = 1) -> Curve:
        return Curve(steps, scale * np.array([getattr(m, name) for m in moments]), title, place)

    rank = np.arange(1, len(moment.singular_values) + 1)
    step = _("step")
    now = _("step {step}").format(step=moment.step)
    scores = [over("spearman_dev", _("dev"), 0, 100), over("spearman_test", _("test"), 1, 100)]
    before = Curve(rank, moments[0].singular_values, _("before"), 0)
    spectra = [before, Curve(rank, moment.singular_values, now, 1)]
    cosines = [over("mean_cosine", _("mean cosine"))]
    charts = {
        "loss": ([over("loss", _("loss"))], Axes(step, _("loss (nats)"))),
        "cosine": (cosines, Axes(step, _("mean cosine, test sentences"))),
        "spearman": (scores, Axes(step, _("Spearman × 100"))),
        "spectrum": (spectra, Axes(_("rank"), _("singular value (unit vectors)"), log_y=True)),
    }
    for box, (name, (curves, axes)) in zip(st.columns(4), charts.items(), strict=True):
        with box:
            first, last = curves[-1].y[0], curves[-1].y[-1]
            show_chart(
                curves_figure(curves, axes, current_theme(), height=CURVE_HEIGHT),
                key=f"contrast-{name}",
                alt=labelled(axes.y, f"{first:.3g} → {last:.3g}"),
            )


PUBLISHED = (  # (table, row)
    ("simcse_table_5", "BERT first-last"),
    ("bert_flow_table_2", "flow target"),
    ("simcse_table_b2", "whiten target all"),
    ("simcse_table_5", "unsup SimCSE"),
    ("simcse_table_5", "sup SimCSE"),
)


def show_headlines(scene: ContrastScene) -> None:
    moment = scene.moment
    start = scene.run.moments[0]
    dev = _("dev: {score}").format(score=hundred(moment.spearman_dev))
    numbers = []
    for label, name, note, decimals, scale in (
        (_("Spearman × 100, test"), "spearman_test", dev, 1, 100),
        (_("mean cosine"), "mean_cosine", _("isotropic: 0"), 3, 1),
        (_("uniformity"), "uniformity", _("isotropic: about −4"), 2, 1),
    ):
        now, first = (scale * getattr(each, name) for each in (moment, start))
        change = measures.change_words(measures.change_of(now, first, decimals))
        numbers.append(measures.BigNumber(label, signed(now, decimals), note, change))
    step = _("step {step}").format(step=moment.step)
    title = _("{step}, and the change since the start").format(step=step)
    measures.show_big_numbers(title, numbers, key="contrast-numbers")


def show_table(scene: ContrastScene) -> None:
    run = scene.run
    names = place_names(run.header.settings)
    rows = [
        {
            _("vectors"): names[place.name],
            _("Spearman × 100, test"): with_interval(place.spearman_test, place.low, place.high),
            _("Spearman × 100, dev"): hundred(place.spearman_dev),
            _("alignment"): signed(place.alignment, 3),
            _("uniformity"): signed(place.uniformity, 3),
            _("mean cosine"): signed(place.mean_cosine, 3),
        }
        for place in run.places
    ]
    st.dataframe(rows, hide_index=True, width="stretch")
    st.markdown(prose(PAGE, "measures"))
    about = run_words(run)
    with st.container(horizontal=True, gap="xsmall"):
        offer_csv(_("Download points (CSV)"), "contrast-points", partial(points_csv, run, about))
        offer_csv(_("Download steps (CSV)"), "contrast-steps", partial(steps_csv, run, about))


def show_published(scene: ContrastScene) -> None:
    header = scene.run.header
    settings = header.settings
    values = {
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
    st.markdown(prose(PAGE, "small", values))
    scores = {(score.table, score.name): score for score in published_scores(PUBLISHED_ON)}
    title = _("published, on {dataset} test").format(dataset=PUBLISHED_ON)
    columns = {
        title: [row_name(*row) for row in PUBLISHED],
        _("Spearman × 100"): [scores[row].value for row in PUBLISHED],
        _("source"): [source_words(scores[row]) for row in PUBLISHED],
    }
    st.dataframe(columns, hide_index=True, width="stretch")


MEASURES = ("spearman_test", "spearman_dev", "alignment", "uniformity", "mean_cosine")


def _numbers(of: PlaneScores | Moment, names: Sequence[str]) -> list[str]:
    return [short_number(getattr(of, name)) for name in names]


def points_csv(run: ContrastRun, about: str) -> bytes:
    rows = [[each.name, *_numbers(each, (*MEASURES, "low", "high"))] for each in run.places]
    return csv_bytes(["point", *MEASURES, "test_low", "test_high"], rows, about)


def steps_csv(run: ContrastRun, about: str) -> bytes:
    rows = [[f"{each.step}", *_numbers(each, ("loss", *MEASURES))] for each in run.moments]
    return csv_bytes(["step", "loss", *MEASURES], rows, about)


PLAYING = "contrast-playing"  # in the session: the recorded steps run by themselves
PLAY_SECONDS = 0.5  # between two of them
WANTED = "contrast-wanted"  # in the session: the settings of a training that has not started


def explore() -> None:
    control_box = st.container(key="cloud-controls")
    notes_box = st.container()
    run_box = picture_place()
    question_box = st.container()
    more = st.expander(_("More controls"), key="more-controls")
    with control_box:
        *boxes, button_box = st.columns(6)
        settings = choose_settings(current_encoder(), boxes, more=more)
        how = {"type": "primary", "width": "stretch"}
        want = st.session_state.__setitem__
        with button_box:
            act_button(_("Train"), "contrast-train", "play_arrow", want, WANTED, settings, **how)
    pairs = pair_sentences(settings)
    if settings.text is not None and chosen_corpus().sha256 == pairs.sha256:
        notes_box.warning(
            _("This corpus has the test sentences. So head, whitening and flow are fitted on them.")
        )
    with notes_box, errors_shown():
        read = (pairs,) if settings.text is None else (pairs, chosen_corpus())
        warn_of_coverage(max(map(coverage_of, read), key=lambda each: each.unknown_share))
    with run_box:
        draw = partial(_draw_training, settings)
        follow(PAGE, draw, playing=PLAYING, every=PLAY_SECONDS)
    if not is_presenting():
        with question_box:
            for question in ("plane", "dropout", "temperature", "centring"):
                show_question(PAGE, question)
    with notes_box:  # above the picture, but computed later, because encoding may take long
        _start_if_wanted(settings)


def _start_if_wanted(settings: HeadSettings) -> None:
    """Read the vectors, with progress, and start the training, unless a control has moved."""
    if st.session_state.get(WANTED) != settings:
        st.session_state.pop(WANTED, None)
        return
    with errors_shown():
        vectors = read_vectors(settings)
        del st.session_state[WANTED]
        started(PAGE, partial(contrast_run, vectors, settings))
        st.rerun()


def _draw_training(settings: HeadSettings, training: Training | None) -> None:
    """The session's training; the recorded run before its first step."""
    run = None
    is_active = training is not None and training.is_active
    if training is not None:
        show_controls(PAGE, training)
        run = ContrastRun.of(training.records)
    if run is not None and is_active:
        show_progress(run.moments[-1].step, run.header.settings.steps)
    elif is_active:
        show_progress(0, settings.steps)
        st.caption(_("The recorded run is shown until the first step of yours."))
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


def _show_numbers(scene: ContrastScene) -> None:
    show_headlines(scene)
    note_facts(lambda: _facts(scene))
    if scene.settings != scene.run.header.settings and not scene.is_active:
        st.markdown(
            _("The controls are at other settings than this run. Press **Train** to use them.")
        )
    st.caption(markdown(run_words(scene.run)))
    if not is_presenting():
        verdict = contrast_verdict(scene)
        settings = scene.run.header.settings
        if settings.model == current_encoder().name:
            verdict = of_known_text(verdict, pair_sentences(settings))
        measures.show_verdict(verdict, key="contrast")
    draw_curves(scene)
    if is_presenting():
        return
    show_folded(_("All measures"), "all-measures", show_table, scene, icon=":material/table:")
    label = _("What is small here, and what the paper did")
    show_folded(label, "part-small", show_published, scene, icon=":material/compare:")


def _facts(scene: ContrastScene) -> dict[str, float]:
    run = scene.run
    if run.ending is None:
        return {}
    start = run.moments[0]
    found = {"raw": start.spearman_test, "trained": run.place("trained").spearman_test}
    for gain in run.ending.gains:
        found |= {f"over_{gain.over}": gain.value, f"over_{gain.over}_low": gain.low}
        found[f"over_{gain.over}_high"] = gain.high
    return {name: 100 * value for name, value in found.items()}


def _choose_scene(run: ContrastRun, settings: HeadSettings, *, is_active: bool) -> ContrastScene:
    """The run and one of its recorded steps, on a slider; the last step while it trains."""
    steps = {moment.step: moment for moment in run.moments}
    step = max(steps)
    if len(steps) > 1 and not is_active:
        # one key for each list of steps: a value that is not in the list would be an error
        key = f"contrast-step-{len(steps)}-{max(steps)}-{run.is_recorded}"
        if st.session_state.get(PLAYING) and key in st.session_state:
            later = [each for each in steps if each > st.session_state[key]]
            st.session_state[PLAYING] = bool(later)  # the last step is the end
            st.session_state[key] = min(later, default=max(steps))
        is_playing = bool(st.session_state.get(PLAYING))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            label, icon = (_("Stop"), "stop") if is_playing else (_("Play"), "play_arrow")
            act_button(label, "play", icon, _toggle_play, key, min(steps))
            step = st.select_slider(
                _("Step"), list(steps), value=step, key=key, persist_state="session"
            )
    return ContrastScene(run, steps[step], settings, is_active)


def _toggle_play(key: str, first: int) -> None:
    st.session_state[PLAYING] = not st.session_state.get(PLAYING)
    if st.session_state[PLAYING]:
        st.session_state[key] = first
