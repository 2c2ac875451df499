"""The pictures: each model's embeddings as an animation, and curves over the steps."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.cone import cone_figure
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.panel import Panel
from geometry.figures.point_colours import PointColours
from geometry.projection.packing import pack_cloud
from geometry.training.runs import GROUPS
from pages.common.address import is_presenting
from pages.common.controls import choose
from pages.common.draw.charts import Chart, chart_of, share_texts, show_chart
from pages.common.draw.clouds import current_theme, draw_legend
from pages.common.draw.twin_cloud import has_no_webgl2, show_twin_cloud
from pages.common.draw.twin_message import UNIT_REACH, Picture, Points, TwinCloud, spread_stops
from pages.common.escape import markdown, plotly
from pages.common.words import _

from .choices import STEP, store_step
from .scene import Scene, group_names, provenance, run_name

GROUP = "degeneration"
SMALL_HEIGHT = 240
CHARTS = "degeneration-charts"  # in the session: the charts of the last redraw
CURVES = ("cosine", "loss", "norm", "spectrum")


def draw_pictures(scene: Scene) -> None:
    """Every model in one scale, with the origin in the middle."""
    (_draw_charts if has_no_webgl2() else _draw_twins)(scene)


def _colours(scene: Scene) -> PointColours:
    names = group_names()
    return PointColours(
        scene.history.text.groups.astype(int), tuple(names[name] for name in GROUPS), _("tokens")
    )


def _texts(scene: Scene) -> list[str]:
    text = scene.history.text
    return [
        _("{word} ({n} times)").format(word=word, n=f"{count:,}")
        for word, count in zip(text.words, text.counts.tolist(), strict=True)
    ]


def _titles() -> list[str]:
    return [_("mean direction"), _("principal direction of the rest")]


def _draw_twins(scene: Scene) -> None:
    show_twin_cloud(
        twin_cloud(scene),
        current_theme(),
        key=GROUP,
        texts=_texts(scene),
        on_settled=None if scene.is_live else store_step,
    )


def twin_cloud(scene: Scene) -> TwinCloud:
    """The message: an animation for each model, with a stop at each recorded step."""
    history = scene.history
    n = len(history.steps)
    pictures = []
    has_lead = len(history.runs) > 2
    for place, run in enumerate(history.runs):
        name = run_name(run)
        titles = [_("{name}, step {step}").format(name=name, step=step) for step in history.steps]
        if has_lead and place > 0:  # a small picture has a short title
            titles = [f"γ = {run.gamma:g}" if run.model == "language" else name] * n
        pictures.append(Picture(range(place * n, (place + 1) * n), titles, name))
    stages = spread_stops(n)
    frames = history.places.reshape(-1, *history.places.shape[2:])
    return TwinCloud(
        points=Points.of(pack_cloud(list(frames), UNIT_REACH)),
        rows_key=history.text.name,
        pictures=pictures,
        colours=_colours(scene),
        reach=UNIT_REACH,
        axis_titles=_titles(),
        origin_label=_("origin"),
        name=_("Embeddings while a model is trained"),
        film_name=_("From the first step to the last"),
        at=float(scene.at),
        values=() if scene.is_live else (float(scene.at),),
        knobs=[(float(place),) for place in range(n)],
        knob_steps=1,
        landmarks=[(stage, f"{history.steps[stage]}") for stage in stages] if n > 1 else (),
        alt=alternative(scene),
        provenance=provenance(scene),
        file_name="degeneration",
        is_large=is_presenting(),
        has_lead=has_lead,
    )


def alternative(scene: Scene) -> str:
    """The picture in words: the mean cosine of each group of words of each model."""
    models = []
    for place, run in enumerate(scene.history.runs):
        cosines = ", ".join(
            f"{label} {signed(scene.cosine(place, name), 2)}"
            for name, label in group_names().items()
        )
        models.append(f"{run_name(run)}: {cosines}")
    return _("Step {step}, mean cosine. {models}.").format(
        step=scene.step, models="; ".join(models)
    )


def _draw_charts(scene: Scene) -> None:
    """A Plotly chart for each model, for a browser without WebGL2."""
    history = scene.history
    n = len(history.steps)
    if n > 1:
        st.session_state["step-slider"] = scene.at
        st.slider(_("Recorded step"), 0, n - 1, key="step-slider", on_change=_store_slider)
    share_texts(GROUP, [plotly(text) for text in _texts(scene)])
    colours, theme = _colours(scene), current_theme()
    for place, (run, box) in enumerate(
        zip(history.runs, st.columns(len(history.runs)), strict=True)
    ):
        panel = Panel(history.places[place, scene.at], (), UNIT_REACH, _titles(), _("origin"))
        with box:
            st.markdown(markdown(run_name(run)))
            show_chart(
                chart_of(cone_figure(panel, colours, theme, height=SMALL_HEIGHT, lines=0)),
                key=f"degeneration-{place}",
                file_name=f"degeneration-{place}",
                alt=alternative(scene),
                texts=GROUP,
            )
    draw_legend(colours, theme)


def _store_slider() -> None:
    st.session_state[STEP] = st.session_state["step-slider"]


# ---- curves over the steps ----


def show_curves(scene: Scene) -> None:
    """A chart for each model, of what the reader chooses, in one scale."""
    labels = {
        "cosine": _("Mean cosine"),
        "loss": _("Loss"),
        "norm": _("Mean length"),
        "spectrum": _("Spectrum"),
    }
    chosen = choose(
        st.segmented_control, _("Curves"), CURVES, key="chart", default="cosine", labels=labels
    )
    history = scene.history
    boxes = st.columns(len(history.runs))
    title = _("Loss (nats)") if chosen == "loss" else labels[chosen]
    content = (id(history), scene.at, chosen, current_theme(), title)
    former = st.session_state.get(CHARTS)
    if former is None or former[0] != content:  # a redraw without a new record has the same charts
        former = (content, _charts(scene, chosen, title))
        st.session_state[CHARTS] = former
    for place, (run, box, (chart, alt)) in enumerate(
        zip(history.runs, boxes, former[1], strict=True)
    ):
        with box:
            st.markdown(f"**{markdown(run_name(run))}**")
            show_chart(
                chart,
                key=f"degeneration-curve-{place}",
                file_name=f"degeneration-{chosen}",
                alt=f"{run_name(run)}: {labels[chosen]}. {alt}",
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
    st.caption(notes[chosen])


def _charts(scene: Scene, what: str, title: str) -> list[tuple[Chart, str]]:
    """The chart of each model, and the first and last values of its curves in words."""
    limits = _limits(scene, what)
    found = []
    for place in range(len(scene.history.runs)):
        curves, x = curves_of(scene, place, what)
        figure = curves_figure(
            curves, Axes(x, title, y_range=limits), current_theme(), height=SMALL_HEIGHT
        )
        ends = [f"{each.name} {each.y[0]:.3g} → {each.y[-1]:.3g}" for each in curves]
        found.append((chart_of(figure), "; ".join(ends)))
    return found


def curves_of(scene: Scene, run: int, what: str) -> tuple[list[Curve], str]:
    """The curves of one model, and the title of their x axis.

    Parameters
    ----------
    scene : Scene
    run : int
        The model's place.
    what : str
        A name in ``CURVES``.
    """
    history, steps = scene.history, scene.history.steps.astype(float)
    if what == "spectrum":
        spectra = history.singular_values[[0, scene.at], run]
        spectra = spectra / spectra[:, :1]
        ranks = np.arange(1, spectra.shape[1] + 1, dtype=float)
        names = [_("step {step}").format(step=step) for step in (history.steps[0], scene.step)]
        return [
            Curve(ranks, values, name, place)
            for place, (values, name) in enumerate(zip(spectra, names, strict=True))
        ], _("rank of the singular value")
    if what == "loss":
        return [Curve(steps, history.loss[:, run], _("Loss"), 0)], _("step")
    values = {"cosine": history.cosine, "norm": history.norm}[what][:, run]
    names = list(group_names().values())
    hues = current_theme().categories  # as in the pictures
    return [Curve(steps, values[:, g], names[g], g, colour=hues[g]) for g in range(len(GROUPS))], _(
        "step"
    )


def _limits(scene: Scene, what: str) -> tuple[float, float] | None:
    """One scale for all models if their values are comparable; else None."""
    if what == "cosine":
        low = float(min(scene.history.cosine.min(), 0.0))
        return (low - 0.03, 1.0)
    return (0.0, 1.05) if what == "spectrum" else None
