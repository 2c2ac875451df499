"""A softmax in two dimensions that the reader steps through: what pulls and pushes each token."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.figures.arrows import Token, arrows_figure
from geometry.training.softmax_toy import MOST_STEPS, NAMES, SIDES, SoftmaxToy
from pages.common.controls import choose
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import _, prose

from . import PAGE

REACH = 5.5


@st.fragment
def show_forces() -> None:
    """The picture, with its controls beside it."""
    picture_box, words_box = st.columns([1, 1], gap="medium")
    with words_box:
        side = choose(
            st.radio,
            _("Hidden states"),
            SIDES,
            key="side",
            default=SIDES[0],
            labels={
                "one-sided": _("On one side of the origin"),
                "around": _("Around the origin"),
            },
        )
        steps = st.slider(
            _("Steps of gradient descent"), 0, MOST_STEPS, 0, key="toy", bind="query-params"
        )
        toy = SoftmaxToy.after(int(steps), side)
        st.markdown(
            prose(PAGE, "forces", forces_values(toy)),
        )
    with picture_box:
        show_chart(
            chart_of(_figure(toy)),
            key="degeneration-forces",
            file_name="degeneration-forces",
            alt=_alternative(toy),
            zoom=False,
        )


def _names() -> list[str]:
    notes = [_("6 times"), _("5 times"), _("once"), _("never")]
    return [f"{name} ({note})" for name, note in zip(NAMES, notes, strict=True)]


def _figure(toy: SoftmaxToy) -> object:
    tokens = [
        Token(name, toy.path[:, place], toy.pull[place], toy.push[place])
        for place, name in enumerate(NAMES)
    ]
    labels = {
        "hidden": _("hidden states"),
        "pull": _("pull"),
        "push": _("push"),
    }
    return arrows_figure(toy.hidden, tokens, labels, current_theme(), reach=REACH)


def forces_values(toy: SoftmaxToy) -> dict[str, str]:
    """Live figures that the text beside the picture quotes."""
    lengths = np.linalg.norm(toy.tokens, axis=1)
    return {
        "never": f"{lengths[3]:.2f}",
        "push": f"{np.linalg.norm(toy.push[3]):.3f}",
        "once_pull": f"{np.linalg.norm(toy.pull[2]):.3f}",
        "once_push": f"{np.linalg.norm(toy.push[2]):.3f}",
    }


def _alternative(toy: SoftmaxToy) -> str:
    tokens = [
        _("{name}: at ({x}, {y}), pull {pull}, push {push}").format(
            name=name,
            x=f"{toy.tokens[place, 0]:.1f}",
            y=f"{toy.tokens[place, 1]:.1f}",
            pull=f"{np.linalg.norm(toy.pull[place]):.3f}",
            push=f"{np.linalg.norm(toy.push[place]):.3f}",
        )
        for place, name in enumerate(_names())
    ]
    return "; ".join(tokens)
