"""The control of the cone: the same model, with another optimiser of its output embeddings."""

from functools import cache

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.measure.cone import NARROW
from geometry.training.runs import GROUPS
from geometry.training.shipped_training import SEEDS, VARIANTS, OptimizerRuns, recorded_optimizers
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme
from pages.common.measures import Control, State, Verdict, cone_words, show_verdict
from pages.common.shell import show_question
from pages.common.words import _, dotted, labelled, language, noted

from . import PAGE
from .scene import optimizer_names

LOSSES = 40  # places of the curves


def variant_names() -> dict[str, str]:
    return optimizer_names() | {"cosreg": _("Adam, with the penalty γ = 1")}


def growth_of(variant: str) -> dict[str, float]:
    """How many times as long as at the start the words of each group are at the end."""
    norm = recorded_optimizers().norm[list(VARIANTS).index(variant)].mean(axis=0)
    return dict(zip(GROUPS, (norm[-1] / norm[0]).tolist(), strict=True))


def show_optimizers() -> None:
    runs = recorded_optimizers()
    show_verdict(optimizer_verdict(runs), key="optimizer")
    title = _("Cone at equal loss, by the optimiser of the output embeddings")
    st.markdown(f"**{title}**")
    curves = equal_loss_curves(language())
    axes = Axes(
        _("Loss (nats); training goes to the right"),
        _("Mean cosine, never seen"),
        x_range=(float(curves[0].x.max()), float(min(each.x.min() for each in curves))),
        y_range=(-0.03, 1.0),
    )
    figure = curves_figure(curves, axes, current_theme(), height=260)
    ends = _("; ").join(f"{each.name} {signed(float(each.y[-1]), 2)}" for each in curves)
    alt = labelled(_("Mean cosine of never-seen tokens at the lowest loss"), ends)
    show_chart(figure, key="degeneration-optimizers", alt=alt)
    said = _(
        "Recorded: {n} seeds for each curve, {steps} steps; line: mean, shaded: smallest to "
        "largest. Model, text and the optimiser of all other parameters are the same."
    )
    st.caption(said.format(n=len(SEEDS), steps=int(runs.steps[-1])))
    show_question(PAGE, "optimizer")


@cache
def equal_loss_curves(_language: str) -> list[Curve]:
    """The never-seen tokens' mean cosine against each loss that all seeds of a variant reach."""
    runs = recorded_optimizers()
    curves = []
    for place, name in enumerate(variant_names().values()):
        low = runs.loss[place].min(axis=1).max()
        high = runs.loss[place, :, 0].min()
        losses = np.linspace(high, low, LOSSES)
        values = np.stack([runs.at_loss("unseen", float(loss))[place] for loss in losses])
        ends = {"low": values.min(axis=1), "high": values.max(axis=1)}
        curves.append(Curve(losses, values.mean(axis=1), name, place, **ends))
    return curves


def optimizer_verdict(runs: OptimizerRuns) -> Verdict:
    loss = runs.equal_loss
    cosines = dict(zip(VARIANTS, runs.at_loss("unseen", loss), strict=True))
    others = np.concatenate([cosines["coupled-adam"], cosines["sgd"]])
    adam = cosines["adam"]
    state: State = "partly" if adam.min() > others.max() else "fails"
    if adam.min() >= NARROW > others.max():
        state = "holds"
    said = {}
    for code, name in variant_names().items():
        of_seeds = cosines[code]
        mean = signed(float(of_seeds.mean()), 2)
        ends = f"{signed(float(of_seeds.min()), 2)} … {signed(float(of_seeds.max()), 2)}"
        said[code] = noted(f"{name} **{mean}**", ends)
    controls = [said[code] for code in ("coupled-adam", "sgd", "cosreg")]
    return Verdict(
        _(
            "Adam makes the cone: the gradients of all rows of the softmax sum to zero, and that "
            "of a rare token is tiny until Adam rescales it."
        ),
        _("Stollenwerk & Stollenwerk (2025)"),
        state,
        _("Mean cosine of never-seen tokens at an equal loss of {loss}: {cosines}.").format(
            loss=f"{loss:.2f}", cosines=said["adam"]
        ),
        Control(
            _(
                "at the same loss, {cosines}. The first two differ only in the optimiser of the "
                "output embeddings; the last one has another loss."
            ).format(cosines=_(", ").join(controls))
        ),
        dotted(
            _("recorded: {n} seeds each; mean, and smallest to largest").format(n=len(SEEDS)),
            cone_words(),
            _("SGD: momentum 0.9, learning rate 0.3"),
            _("the sizes of the gradients are not measured on this page"),
        ),
    )
