"""Degeneration's interactive part: pictures, numbers, claims, and the lessons below them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import streamlit as st

from geometry.data.number_text import signed, with_sign
from geometry.figures.arrows import arrows_figure
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.measure.cone import NARROW
from geometry.projection.packing import pack_cloud
from geometry.projection.point_colours import PointColours
from geometry.projection.twin_message import UNIT_REACH, Picture, Points, TwinCloud, spread_stops
from geometry.training.runs import GROUPS, History, Run, Theory
from geometry.training.softmax import DEGREES, MOST_STEPS, NAMES, SoftmaxToy
from pages.common import measures
from pages.common.address import is_presenting, put_in_url
from pages.common.controls import act_button, choose
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import send_plane, show_chart
from pages.common.draw.clouds import current_theme, show_cloud
from pages.common.lesson import note_facts
from pages.common.live_training import Training, follow, show_controls, show_progress, started
from pages.common.shell import show_question
from pages.common.streamlit_internals import is_from_history
from pages.common.words import (
    _,
    aligned_table,
    code,
    dotted,
    labelled,
    markdown,
    noted,
    paragraph,
    prose,
)

from . import PAGE
from . import scene as trained
from .optimizers import growth_of, show_optimizers
from .run import TrainingSettings, train
from .scene import DegenerationScene, group_names, optimizer_names, provenance, run_name, shown_word

SMALL_HEIGHT = 240


def draw_pictures(scene: DegenerationScene) -> None:
    history = scene.history
    text = history.text
    n = len(history.steps)
    pictures = []
    has_lead = len(history.runs) > 2
    for place, run in enumerate(history.runs):
        name = run_name(run)
        titles = [_("{name}, step {step}").format(name=name, step=step) for step in history.steps]
        if has_lead and place > 0:  # a small picture has a short title
            titles = [_short_name(run)] * n
        pictures.append(Picture(range(place * n, (place + 1) * n), titles, name))
    groups = tuple(group_names().values())
    cloud = TwinCloud(
        points=_points(history) if scene.versions is None else _recorded_points(),
        rows_key=text.name,
        pictures=pictures,
        colours=PointColours(text.groups.astype(int), groups, _("tokens")),
        reach=UNIT_REACH,
        axis_titles=[_("mean direction"), _("principal direction of the rest")],
        origin_label=_("origin"),
        name=_("Embeddings while a model is trained"),
        film_name=_("From the first step to the last"),
        at=float(scene.at),
        values=() if scene.is_live else (float(scene.at),),
        knobs=[(float(place),) for place in range(n)],
        knob_steps=1,
        landmarks=[(at, f"{history.steps[at]}") for at in (spread_stops(n) if n > 1 else ())],
        alt=alternative(scene),
        provenance=provenance(scene),
        file_name="degeneration",
        is_large=is_presenting(),
        has_lead=has_lead,
    )
    texts = [
        _("{word} ({n}×)").format(word=shown_word(word), n=f"{count:,}")
        for word, count in zip(text.words, text.counts.tolist(), strict=True)
    ]
    settled = None if scene.is_live else trained.store_step
    show_cloud(cloud, key="degeneration", texts=texts, on_settled=settled)


def _points(history: History) -> Points:
    frames = history.places.reshape(-1, *history.places.shape[2:])
    return Points.of(pack_cloud(list(frames), UNIT_REACH))


@cache  # a fifth of the page's time
def _recorded_points() -> Points:
    return _points(trained.recorded_scene().history)


def _short_name(run: Run) -> str:
    if run.model != "language":
        return run_name(run)
    return f"γ = {run.gamma:g}" if run.optimizer == "adam" else optimizer_names()[run.optimizer]


def alternative(scene: DegenerationScene) -> str:
    """The picture in words: the mean cosine of each group of words of each model."""
    models = [
        labelled(run_name(run), _cosines(scene, place).replace("**", ""))
        for place, run in enumerate(scene.history.runs)
    ]
    said = _("Step {step}, mean cosine. {models}.")
    return said.format(step=scene.step, models=_("; ").join(models))


def show_curves(scene: DegenerationScene) -> None:
    labels = {
        "cosine": _("Mean cosine"),
        "loss": _("Loss"),
        "norm": _("Mean length"),
        "spectrum": _("Spectrum"),
    }
    what = choose(st.segmented_control, _("Curves"), labels, key="chart")
    history = scene.history
    limits = {
        "cosine": (float(min(history.cosine.min(), 0.0)) - 0.03, 1.0),
        "spectrum": (0.0, 1.05),
    }
    axes = Axes(
        _("rank of the singular value") if what == "spectrum" else _("step"),
        _("Loss (nats)") if what == "loss" else labels[what],
        y_range=limits.get(what),
    )
    for place, box in enumerate(st.columns(len(history.runs))):
        curves = _curves_of(scene, place, what)
        name = run_name(history.runs[place])
        ends = [f"{each.name} {each.y[0]:.3g} → {each.y[-1]:.3g}" for each in curves]
        with box:
            st.markdown(f"**{markdown(name)}**")
            show_chart(
                curves_figure(curves, axes, current_theme(), height=SMALL_HEIGHT),
                key=f"degeneration-curve-{place}",
                file_name=f"degeneration-{what}",
                alt=labelled(name, _("; ").join([labels[what], *ends])),
            )
    notes = {
        "loss": _("Losses of different models are not comparable. The penalty is not included."),
        "spectrum": _(
            "Singular values of the whole matrix, uncentred, relative to the largest: at the start "
            "and at step {step}."
        ).format(step=scene.step),
        "norm": _("Each model has a scale of its own."),
        "cosine": _("Of all pairs of {unseen} never-seen tokens, rare and frequent words.").format(
            unseen=history.text.n_unseen
        ),
    }
    st.caption(notes[what])


def _curves_of(scene: DegenerationScene, run: int, what: str) -> list[Curve]:
    history = scene.history
    steps = history.steps.astype(float)
    if what == "spectrum":
        spectra = history.singular_values[[0, scene.at], run]
        ranks = np.arange(1, spectra.shape[1] + 1, dtype=float)
        names = [_("step {step}").format(step=step) for step in (history.steps[0], scene.step)]
        return [
            Curve(ranks, spectra[place] / spectra[place][0], name, place)
            for place, name in enumerate(names)
        ]
    if what == "loss":
        return [Curve(steps, history.loss[:, run], _("Loss"), 0)]
    values = {"cosine": history.cosine, "norm": history.norm}[what][:, run]
    hues = current_theme().categories  # as in the pictures
    return [
        Curve(steps, values[:, g], name, g, colour=hues[g])
        for g, name in enumerate(group_names().values())
    ]


def show_headlines(scene: DegenerationScene) -> None:
    with st.container(key="degeneration-headline", gap="xsmall"):
        st.markdown(f"**{_('Mean cosine')}**")
        boxes = st.columns(len(scene.history.runs))
        for place, (run, box) in enumerate(zip(scene.history.runs, boxes, strict=True)):
            title = run_name(run)
            now, first = ({g: scene.cosine(place, g, at) for g in GROUPS} for at in (scene.at, 0))
            numbers = []
            for group, label in group_names().items():
                change = measures.change_words(with_sign(now[group] - first[group], 2))
                numbers.append(measures.BigNumber(label, signed(now[group], 2), change=change))
            with box:
                st.markdown(f"**{markdown(title)}**")
                measures.show_big_numbers(title, numbers, key=f"headline-{place}")
    about = _("Mean cosine of all pairs of these tokens, and its change since the start")
    st.caption(markdown(f"{about} · {provenance(scene)}"))


def curves_csv(scene: DegenerationScene, measured_on: str) -> bytes:
    history = scene.history
    of_groups = [f"{measure}_{name}" for measure in ("mean_cosine", "norm") for name in GROUPS]
    rows = [
        [
            run_name(run),
            str(step),
            short_number(history.loss[at, place]),
            *map(short_number, history.cosine[at, place]),
            *map(short_number, history.norm[at, place]),
        ]
        for place, run in enumerate(history.runs)
        for at, step in enumerate(history.steps.tolist())
    ]
    return csv_bytes(["model", "step", "loss", *of_groups], rows, measured_on)


def points_csv(scene: DegenerationScene, measured_on: str) -> bytes:
    text = scene.history.text
    names = group_names()
    rows: list[list[CsvCell]] = []
    for run, places in zip(scene.history.runs, scene.history.places, strict=True):
        columns = text.words, text.counts.tolist(), text.groups.tolist(), places[scene.at]
        for word, count, group, xy in zip(*columns, strict=True):
            code = GROUPS[group]
            row: list[CsvCell] = [run_name(run), shown_word(word), str(count), (code, names[code])]
            rows.append([*row, *map(short_number, xy)])
    return csv_bytes(["model", "word", "count", "group", "x", "y"], rows, measured_on)


FEWEST_STEPS = 100  # steps before which the vectors have hardly moved
WORSE_LOSS = 0.03  # share by which the loss with the penalty may be higher


def verdicts(scene: DegenerationScene) -> dict[str, measures.Verdict]:
    language = scene.find("language", penalty=False)
    penalised = scene.find("language", penalty=True)
    classifier, word2vec = scene.find("classifier"), scene.find("word2vec")
    found = {}
    if language is not None:
        found["cone"] = cone_verdict(scene, language)
    if language is not None and penalised is not None:
        found["cure"] = cure_verdict(scene, language, penalised)
    if classifier is not None and word2vec is not None:
        found["others"] = others_verdict(scene, classifier, word2vec)
    either = language if language is not None else penalised
    if either is not None and scene.history.theory[either][scene.at] is not None:
        found["push"] = push_verdict(scene, either)
    if scene.step >= FEWEST_STEPS:
        return found
    early = _("The step on show is before step {n}; from there on there is a verdict.")
    said = early.format(n=FEWEST_STEPS)
    none = measures.nothing_measured()
    return {
        name: replace(each, state="unknown", measured=said, control=none)
        for name, each in found.items()
    }


def _cosines(
    scene: DegenerationScene, run: int, groups: Sequence[str] = GROUPS, *, at: int | None = None
) -> str:
    names = group_names()
    return _(", ").join(
        f"{names[name]} **{signed(scene.cosine(run, name, at), 2)}**" for name in groups
    )


def _verdict(
    scene: DegenerationScene,
    claim: str,
    state: measures.State,
    measured: Sequence[str],
    control: str,
    *basis: str,
) -> measures.Verdict:
    about = dotted(
        _("one training: there is no interval over seeds"),
        _("seed {seed}").format(seed=scene.history.runs[0].seed),
        _("step {step} of {n}").format(step=scene.step, n=scene.history.n_steps),
        *basis,
    )
    source = _("Gao et al. (2019)")
    said = paragraph(measured)
    return measures.Verdict(claim, source, state, said, measures.Control(control), about)


def cone_verdict(scene: DegenerationScene, run: int) -> measures.Verdict:
    cosines = {name: scene.cosine(run, name) for name in GROUPS}
    unseen, rare = (cosines[name] >= NARROW for name in ("unseen", "rare"))
    state = measures.overall_state({"holds" if each else "fails" for each in (unseen, rare)})
    if state == "holds" and cosines["frequent"] >= min(cosines["unseen"], cosines["rare"]):
        state = "partly"  # the frequent tokens are pushed as much
    words = {
        "holds": _("Never-seen and rare tokens lie in a narrow cone."),
        "partly": _("Only one of the two groups lies in a narrow cone."),
        "fails": _("Neither group lies in a narrow cone."),
    }
    if unseen and rare:
        words["partly"] = _("Never-seen and rare tokens lie in a narrow cone, as do frequent ones.")
    now, first = (_cosines(scene, run, ("unseen", "rare"), at=at) for at in (scene.at, 0))
    said = _("Mean cosine: {cosines}.").format(cosines=now)
    control = _("the frequent tokens of the same training, {frequent}. At step {step}: {cosines}.")
    frequent = f"**{signed(cosines['frequent'], 2)}**"
    step = int(scene.history.steps[0])
    control = control.format(frequent=frequent, step=step, cosines=first)
    claim = _(
        "A model that is trained with {optimizer} to predict the next word pushes its rare "
        "tokens into a narrow cone."
    ).format(optimizer=optimizer_names()[scene.history.runs[run].optimizer])
    return _verdict(scene, claim, state, [words[state], said], control, measures.cone_words())


def cure_verdict(scene: DegenerationScene, plain: int, penalised: int) -> measures.Verdict:
    before, after = (scene.cosine(run, "unseen") for run in (plain, penalised))
    losses = [float(scene.history.loss[scene.at, run]) for run in (plain, penalised)]
    worse = losses[1] / losses[0] - 1
    removed = after < NARROW <= before
    as_good = worse <= WORSE_LOSS
    state = measures.overall_state({"holds" if each else "fails" for each in (removed, as_good)})
    said = _(
        "With the penalty, the mean cosine of never-seen tokens is **{after}**, and the loss on "
        "the training text is **{loss_after}** ({change}%)."
    ).format(
        after=signed(after, 2), loss_after=f"{losses[1]:.2f}", change=with_sign(100 * worse, 1)
    )
    measured = [said]
    control = _(
        "the same training without the penalty has a mean cosine of **{before}** and a loss of "
        "**{loss}**."
    ).format(before=signed(before, 2), loss=f"{losses[0]:.2f}")
    if before < NARROW:
        state, measured = "unknown", [_("There is no cone to remove."), said]
    claim = _("A penalty on the cosines (CosReg) removes the cone, and the loss is not worse.")
    not_worse = _("not worse: a loss at most {n}% higher").format(n=f"{100 * WORSE_LOSS:g}")
    return _verdict(scene, claim, state, measured, control, measures.cone_words(), not_worse)


def others_verdict(scene: DegenerationScene, classifier: int, word2vec: int) -> measures.Verdict:
    narrow = [
        max(scene.cosine(run, name) for name in GROUPS) >= NARROW for run in (classifier, word2vec)
    ]
    state = measures.overall_state({"fails" if each else "holds" for each in narrow})
    said = _("Mean cosine: classifier: {classifier}; word2vec: {word2vec}.")
    cosines = {"classifier": _cosines(scene, classifier), "word2vec": _cosines(scene, word2vec)}
    measured = [said.format(**cosines)]
    frequent = scene.history.cosine[: scene.at + 1, word2vec, GROUPS.index("frequent")]
    top = int(np.argmax(frequent))
    if frequent[top] >= NARROW:
        own_cone = _(
            "word2vec has a cone of its own, of the words that occur: the frequent ones reached "
            "{top} at step {step} and have {now} at step {last}. Mimno & Thompson (2017) trace it "
            "to negative sampling."
        )
        step = int(scene.history.steps[top])
        ends = {"top": signed(float(frequent[top]), 2), "now": signed(float(frequent[-1]), 2)}
        measured.append(own_cone.format(step=step, last=scene.step, **ends))
    # a cone on the same text, which the measure must find; without one, the start
    language = scene.find("language", penalty=False)
    if language is not None:
        control = _("the language model on the same text, at the same step: {cosines}.")
        control = control.format(cosines=_cosines(scene, language))
    else:
        control = _("at step {step}, classifier: {classifier}; word2vec: {word2vec}.").format(
            step=int(scene.history.steps[0]),
            classifier=_cosines(scene, classifier, at=0),
            word2vec=_cosines(scene, word2vec, at=0),
        )
    claim = _("The vectors of a classifier and of word2vec are spread around the origin.")
    of_words = _("word vectors of the classifier; the paper has its class vectors")
    return _verdict(scene, claim, state, measured, control, measures.cone_words(), of_words)


def push_verdict(scene: DegenerationScene, run: int) -> measures.Verdict:
    """Whether never-seen tokens move ever further away if the origin is outside of the hull.

    Without regularisation every row of a softmax can grow, so growth counts only if it is more than
    that of the rare and the frequent words, in this training and with another optimiser.
    """
    theory = scene.history.theory[run][scene.at]
    assert theory is not None
    lengths = dict(zip(GROUPS, scene.history.norm[: scene.at + 1, run].T, strict=True))
    later = lengths["unseen"][len(lengths["unseen"]) // 2 :]
    grows = bool((np.diff(later) > 0).all())
    growth = {name: each[-1] / each[0] for name, each in lengths.items()}
    is_most = growth["unseen"] > max(growth["rare"], growth["frequent"])
    control = growth_of("coupled-adam")
    is_most_there = control["unseen"] > max(control["rare"], control["frequent"])
    state: measures.State = "fails"
    if grows and is_most:
        state = "holds" if is_most_there else "partly"
    elif growth["unseen"] > 1:
        state = "partly"
    parts = [_hull_sentence(theory)]
    if not theory.is_outside:
        state = "unknown"
        parts.append(_("So the claim does not apply to this model."))
    low, median, high = (f"{each:.0f}" for each in theory.push_degrees)
    lasting = _("Their mean length went from {first} to {last}, and does not grow steadily.")
    if grows:
        lasting = _("Their mean length went from {first} to {last}, and is still growing.")
    first, last = (f"{lengths['unseen'][at]:.2f}" for at in (0, -1))
    so_far = with_sign(100 * (growth["unseen"] - 1), 0)
    parts += [
        _(
            "The loss pushes never-seen tokens at **{median}°** from −mean(h) (median of all; "
            "from {low}° to {high}°)."
        ).format(median=median, low=low, high=high),
        lasting.format(first=first, last=last),
        _("Growth so far: **{growth}%**.").format(growth=so_far),
    ]
    beside = _(
        "growth of the other words of this training: {others}. Recorded with Coupled Adam: "
        "{lengths}."
    ).format(others=_growths(growth, ("rare", "frequent")), lengths=_growths(control, GROUPS))
    claim = _(
        "If the origin is outside of the convex hull of the hidden states, a token that never "
        "occurs is pushed away without end."
    )
    rule = _("holds only if never-seen tokens grow more than other words, with both optimisers")
    every = _("without regularisation every row can grow: Soudry et al. (2018)")
    return _verdict(scene, claim, state, parts, beside, rule, every)


def _growths(growth: Mapping[str, float], groups: Sequence[str]) -> str:
    names = group_names()
    return _(", ").join(
        f"{names[name]} **{with_sign(100 * (growth[name] - 1), 0)}%**" for name in groups
    )


def _hull_sentence(theory: Theory) -> str:
    if theory.is_outside:
        said = _(
            "The origin is **outside** of the hull of {n} hidden states: projected on the unit "
            "vector u, each is at least {margin}. u is the one of many such directions that a "
            "linear program gives, {degrees}° from mean(h)."
        )
        degrees, margin = f"{theory.direction_degrees:.0f}", f"{theory.margin:.2f}"
        return said.format(n=f"{theory.n:,}", degrees=degrees, margin=margin)
    return _("The origin is **inside** the hull of {n} hidden states.").format(n=f"{theory.n:,}")


def show_theory(scene: DegenerationScene) -> None:
    title = _("What pulls and pushes a token of the trained model")
    st.markdown(f"**{title}**")
    n = 0
    for place, run in enumerate(scene.history.runs):
        theory = scene.history.theory[place][scene.at]
        if theory is None:
            continue
        n = theory.n
        st.markdown(markdown(run_name(run)))
        st.container(key=f"degeneration-forces-{place}").markdown(_force_table(theory))
        where = _("outside") if theory.is_outside else _("inside")
        said = _(
            "Vectors of never-seen tokens: {degrees}° from −mean(h) (median). Origin and hull: "
            "{where}."
        )
        st.caption(said.format(degrees=f"{theory.place_degrees:.0f}", where=where))
    if n:
        said = _(
            "Pull and push are the two parts of the negative gradient of the mean loss "
            "over {n} places of the text. The pull is weighted by how often the token "
            "occurs in the whole text. The angle is that of their sum to −mean(h). Not in "
            "the table: the penalty, and what a tied token gets as an input word."
        )
        st.caption(said.format(n=f"{n:,}") + "  \n" + markdown(provenance(scene)))


def _force_table(theory: Theory) -> str:
    columns = {
        _("token"): [code(shown_word(each.word)).replace("|", "\\|") for each in theory.forces],
        _("times"): [f"{each.count:,}" for each in theory.forces],
        _("next at"): [f"{each.n_pull:,}" for each in theory.forces],
        _("pull, 10⁻⁵"): [f"{1e5 * each.pull:,.1f}" for each in theory.forces],
        _("push, 10⁻⁵"): [f"{1e5 * each.push:,.1f}" for each in theory.forces],
        _("angle to −mean(h)"): [f"{each.degrees:.0f}°" for each in theory.forces],
    }
    return aligned_table(list(columns), zip(*columns.values(), strict=True))


# in the symbols of Gao et al. (2019), sections 4 and 5
LOSS_OF_UNSEEN = (
    r"\min_{w_N} \frac{1}{M} \sum_{i=1}^{M} \log\left(e^{\langle h_i, w_N \rangle} + C_i\right)"
)
BOUND = (
    r"\lVert x^* - x^*_\epsilon \rVert^2 \le "
    r"\frac{4 \epsilon B}{\alpha - \epsilon(\alpha + \beta)}"
)
PENALTY = (
    r"L = L_\mathrm{MLE} + \gamma\, \frac{1}{N^2} \sum_{i=1}^{N} \sum_{j \ne i} "
    r"\hat w_i^\top \hat w_j"
)


def _display(formula: str) -> str:
    return f"$$\n{formula}\n$$"


def theorem_values(scene: DegenerationScene, run: int) -> dict[str, str]:
    """The numbers beside the three theorems, of a language model that has a ``Theory``."""
    theory = scene.history.theory[run][scene.at]
    assert theory is not None
    norms = {name: scene.history.norm[[0, scene.at], run, i] for i, name in enumerate(GROUPS)}
    start, end, later = map(_toy_lengths, (0, MOST_STEPS, LATER_STEPS))
    rarest = theory.forces[-2]  # the last one never occurs
    negative = _("Here no such v exists.")
    hull = _hull_sentence(theory)
    if theory.is_outside:
        hull = paragraph([hull, _("So v = −u is such a direction.")])
        negative = _(
            "Here there is one of length 1, and the largest ⟨v, hᵢ⟩ is **{value}**."
        ).format(value=signed(-theory.margin, 2))
    return {
        "model": markdown(run_name(scene.history.runs[run])),
        "step": f"{scene.step}",
        "m": f"{theory.n:,}",
        "negative": negative,
        "first": f"{norms['unseen'][0]:.2f}",
        "last": f"{norms['unseen'][1]:.2f}",
        "frequent_first": f"{norms['frequent'][0]:.2f}",
        "frequent_last": f"{norms['frequent'][1]:.2f}",
        "toy_steps": f"{MOST_STEPS}",
        "toy_start": f"{start['one-sided'][3]:.2f}",
        "toy_one_sided": f"{end['one-sided'][3]:.2f}",
        "toy_around": f"{end['around'][3]:.2f}",
        "toy_later": f"{LATER_STEPS:,}",
        "later_around": f"{later['around'][3]:.2f}",
        "later_one_sided": f"{later['one-sided'][3]:.2f}",
        "later_a": f"{later['one-sided'][0]:.2f}",
        "loss": _display(LOSS_OF_UNSEEN),
        "bound": _display(BOUND),
        "hull": hull,
        "word": code(shown_word(rarest.word)),
        "count": f"{rarest.count:,}",
        "places": f"{scene.history.text.n_tokens:,}",
        "epsilon": f"{100 * rarest.count / scene.history.text.n_tokens:.2g}",
        "pull": f"{1e5 * rarest.pull:,.1f}",
        "push": f"{1e5 * rarest.push:,.1f}",
    }


LATER_STEPS = 1000  # of the toy, far beyond its slider


@cache
def _toy_lengths(steps: int) -> dict[str, list[float]]:
    """The lengths of the four tokens after some steps, for each place of the hidden states."""
    return {
        side: np.linalg.norm(SoftmaxToy.after(steps, side).tokens, axis=1).tolist()
        for side in DEGREES
    }


def penalty_values(scene: DegenerationScene) -> dict[str, str]:
    history = scene.history
    cosines = [
        labelled(markdown(run_name(run)), f"**{signed(scene.cosine(place, 'unseen'), 2)}**")
        for place, run in enumerate(history.runs)
        if run.model == "language"
    ]
    return {
        "n": f"{history.text.n_words + history.text.n_unseen:,}",
        "unseen": f"{history.text.n_unseen}",
        "step": f"{scene.step}",
        "cosines": _("; ").join(cosines),
        "penalty": _display(PENALTY),
    }


@st.fragment
def show_forces() -> None:
    picture_box, words_box = st.columns([1, 1], gap="medium")
    with words_box:
        side = choose(
            st.radio,
            _("Hidden states"),
            {"one-sided": _("On one side of the origin"), "around": _("Around the origin")},
            key="side",
        )
        steps = st.slider(
            _("Steps of gradient descent"), 0, MOST_STEPS, 0, key="toy", bind="query-params"
        )
        toy = SoftmaxToy.after(int(steps), side)
        pull, push = (np.linalg.norm(each, axis=1) for each in (toy.pull, toy.push))
        values = {
            "never": f"{np.linalg.norm(toy.tokens[3]):.2f}",
            "push": f"{push[3]:.3f}",
            "once_pull": f"{pull[2]:.3f}",
            "once_push": f"{push[2]:.3f}",
        }
        st.markdown(prose(PAGE, "forces", values))
    notes = (_("6 times"), _("5 times"), _("once"), _("never"))
    names = [noted(name, note) for name, note in zip(NAMES, notes, strict=True)]
    said = [
        _("{name}: at ({x}, {y}), pull {pull}, push {push}").format(
            name=name, x=f"{x:.1f}", y=f"{y:.1f}", pull=f"{a:.3f}", push=f"{b:.3f}"
        )
        for name, (x, y), a, b in zip(names, toy.tokens, pull, push, strict=True)
    ]
    labels = {
        "hidden": _("hidden states"),
        "token": _("token’s vector"),
        "pull": _("pull"),
        "push": _("push"),
    }
    with picture_box:
        figure = arrows_figure(toy, labels, current_theme())
        show_chart(figure, key="degeneration-forces", alt=_("; ").join(said), zoom=False)
        st.caption(
            _("The arrows of forces are magnified. The longest has the same length at every step.")
        )


POINTS = "hull-points"  # in the session
DEFAULT = ((1.0, 2.2), (2.0, 0.8), (3.0, 1.6), (2.4, 2.8), (0.6, 3.2))
LIMIT = 4.0
FORM = re.compile(r"-?\d\.\d(?:,-?\d\.\d){9}")


@st.fragment
def show_hull() -> None:
    picture_box, words_box = st.columns([1, 1], gap="medium")
    with words_box:
        shape = choose(
            st.radio,
            _("Shape"),
            {
                "hull": _("Convex hull"),
                "segments": _("Segments: is the set convex?"),
                "cone": _("Cone"),
                "convex-cone": _("Convex cone"),
            },
            key="shape",
        )
        st.markdown(prose(PAGE, f"shape-{shape}"))
    theme = current_theme()
    message = {
        "points": chosen_points(),
        "shape": shape,
        "words": {
            "origin": _("origin"),
            "point": _("Point {i}"),
            "outside": _(
                "The origin is outside of the convex hull. All points are on one side of the "
                "dashed line, and the arrow is a direction that separates them from the origin."
            ),
            "border": _(
                "The origin is on the border of the convex hull. Some line through it has no "
                "points on one side, but points on it. So no direction separates all points from "
                "the origin."
            ),
            "inside": _(
                "The origin is inside the convex hull. No line through the origin has all points "
                "on one side, and the convex cone is the whole plane."
            ),
        },
        "colours": {"ink": theme.ink, "paper": theme.paper, "set": theme.white, "side": theme.raw},
    }
    with picture_box:
        send_plane("hull", "hull", message, _store_points)
        st.caption(_("Drag the points, or choose one with the tab key and press the arrows."))


def chosen_points() -> list[list[float]]:
    """The points of the session or of the address; without these the default."""
    stored = None if is_from_history() else st.session_state.get(POINTS)
    if stored is None:
        text = st.query_params.get("hull", "")
        numbers = [float(part) for part in text.split(",")] if FORM.fullmatch(text) else []
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        stored = pairs if pairs and max(map(abs, numbers)) <= LIMIT else DEFAULT
    points = [list(point) for point in stored]
    is_default = points == [list(point) for point in DEFAULT]
    shown = ",".join(f"{v:.1f}" for point in points for v in point)
    put_in_url("hull", None if is_default else shown)
    return points


def _store_points(moved: Any) -> None:
    """Store the points of the browser, if they are five points inside the picture."""
    try:
        points = [[round(float(v), 1) for v in point] for point in moved]
    except (TypeError, ValueError):
        return
    inside = all(len(point) == 2 and max(map(abs, point)) <= LIMIT for point in points)
    if len(points) == len(DEFAULT) and inside:
        st.session_state[POINTS] = points


SETTINGS = "degeneration-settings"  # in the session: the settings of its training


def explore() -> None:
    def draw(training: Training | None) -> None:
        picture_box, control_box = st.columns([4, 1], gap="medium")
        more_box = st.expander(_("More settings and downloads"), key="more-controls")
        answer_box = st.container()
        with control_box, st.container(key="degeneration-controls", gap="small"):
            what, gamma = trained.choose_what(st.container())
            button = st.container()
        with more_box, st.container(key="degeneration-more"):
            settings = trained.choose_more(what, gamma)
        with button:
            label = _("Train again") if training else _("Train")
            how = {"type": "primary", "width": "stretch"}
            act_button(label, "train-button", "model_training", _start, settings, **how)
            if training is not None:
                show_controls(PAGE, training)
        with picture_box:
            scene = _scene(training)
            _show_progress(scene, training)
            draw_pictures(scene)
        with answer_box:
            note_facts(lambda: _facts(scene))
            _answer(scene)
        with more_box, st.container(horizontal=True, key="degeneration-downloads"):
            about = provenance(scene)
            curves, points = partial(curves_csv, scene, about), partial(points_csv, scene, about)
            offer_csv(_("Download curves (CSV)"), "degeneration-curves", curves)
            offer_csv(_("Download points (CSV)"), "degeneration-points", points)

    follow(PAGE, draw)


def _facts(scene: DegenerationScene) -> dict[str, float]:
    run = scene.find("language", penalty=False)
    if run is None:
        return {}
    cosines = {group: scene.cosine(run, group) for group in GROUPS}
    return {"step": scene.step, "loss": float(scene.history.loss[scene.at, run]), **cosines}


def _start(settings: TrainingSettings) -> None:
    st.session_state.pop(trained.STEP, None)
    put_in_url(trained.STEP, None)
    st.session_state[SETTINGS] = settings
    started(PAGE, partial(train, settings))


def _scene(training: Training | None) -> DegenerationScene:
    """The reader's own training; before its first record, the recorded training."""
    if training is None or not training.records:
        st.session_state.pop(trained.HISTORY, None)
        scene = trained.recorded_scene()
    else:
        scene = trained.scene_of(training, st.session_state[SETTINGS])
    if scene.is_live:
        return scene
    n = len(scene.history.steps)
    # a reader starts the recording with Play; an own training rests where it has ended
    return replace(scene, at=trained.chosen_step(n, 0 if scene.versions else n - 1))


def _show_progress(scene: DegenerationScene, training: Training | None) -> None:
    n = scene.history.n_steps
    if scene.is_live:
        show_progress(scene.step, n)
        return
    note = _("Your training, {step} of {n} steps.")
    has_no_record = scene.versions and training is not None and training.is_active
    if has_no_record:
        show_progress(0, st.session_state[SETTINGS].runs[0].steps)
        note = _("Recorded run. Your own training appears here after its first step.")
    elif scene.versions:
        note = _(
            "Recorded run of {n} steps with the default settings: press Play. *Train* trains the "
            "models on this server while you watch."
        )
    st.caption(note.format(step=int(scene.history.steps[-1]), n=n))


def _answer(scene: DegenerationScene) -> None:
    show_headlines(scene)
    if not is_presenting():
        for name, verdict in verdicts(scene).items():
            measures.show_verdict(verdict, key=name)
        show_optimizers()
    show_curves(scene)
    if is_presenting():
        return
    show_theory(scene)
    for place, theory in enumerate(scene.history.theory):
        if theory[scene.at] is not None:
            show_question(PAGE, "theorems", theorem_values(scene, place))
            show_question(PAGE, "cosreg", penalty_values(scene))
            break
