"""The theory checked on the trained model: pull and push of some tokens."""

from __future__ import annotations

import streamlit as st

from geometry.training.runs import Theory
from pages.common.escape import code, markdown, markdown_table
from pages.common.words import _

from .scene import Scene, provenance, run_name


def show_theory(scene: Scene) -> None:
    """A table of the two parts of each example token's gradient, for each language model."""
    title = _("What pulls and pushes a token of the trained model")
    st.markdown(f"**{title}**")
    n = 0
    for place, run in enumerate(scene.history.runs):
        theory = scene.history.theory[place][scene.at]
        if theory is None:
            continue
        n = theory.n
        st.markdown(markdown(run_name(run)))
        with st.container(key=f"degeneration-forces-{place}"):
            st.markdown(force_table(theory))
        st.caption(
            _(
                "Vectors of never-seen tokens: {degrees}° from −mean(h) (median). Origin and hull: "
                "{where}."
            ).format(
                degrees=f"{theory.place_degrees:.0f}",
                where=_("outside") if theory.is_outside else _("inside"),
            )
        )
    if n:
        st.caption(
            markdown(
                _(
                    "Pull and push are the two parts of the negative gradient of the mean loss "
                    "over {n} places of the text. The pull is weighted by how often the token "
                    "occurs in the whole text. The angle is that of their sum to −mean(h). Not in "
                    "the table: the penalty, and what a tied token gets as an input word."
                ).format(n=f"{n:,}")
                + " · "
                + provenance(scene)
            )
        )


def force_table(theory: Theory) -> str:
    """A row for each example token, from frequent to never seen."""
    head = [
        _("token"),
        _("times"),
        _("next at"),
        _("pull, 10⁻⁵"),
        _("push, 10⁻⁵"),
        _("angle to −mean(h)"),
    ]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for force in theory.forces:
        lines.append(
            [
                code(force.word).replace("|", "\\|"),
                f"{force.count:,}",
                f"{force.n_pull:,}",
                f"{1e5 * force.pull:,.1f}",
                f"{1e5 * force.push:,.1f}",
                f"{force.degrees:.0f}°",
            ]
        )
    return markdown_table(lines)
