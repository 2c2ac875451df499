"""A first visit: four steps to take, and a guess before the film is played."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.common.words import Translate

from .scene import Scene
from .verdicts import steps_of


def show_steps(scene: Scene, _: Translate) -> None:
    """Four steps for a new reader, shown until all are done or the reader closes them."""
    state = st.session_state
    first = state.setdefault("first-cloud", scene.points.key)
    done: dict[str, bool] = {
        "look": True,
        "play": not scene.is_raw,
        "click": scene.chosen is not None,
        "layer": scene.points.key != first,
    }
    if scene.points.model is None:
        del done["layer"]
    taken = state.setdefault("steps-taken", set())
    taken |= {name for name, is_done in done.items() if is_done}
    if state.get("steps-closed") or taken >= done.keys():
        return
    labels = {
        "look": _("Look: the same points twice. The orange cones contain half of them, and 90%"),
        "play": _("Play: subtract the mean, then make the axes equal"),
        "click": _("Click a point: who are its neighbours?"),
        "layer": _("Change the layer: where is the cone?"),
    }
    items = "".join(
        f"<li>{'✓ ' if name in taken else ''}{escape(labels[name])}</li>" for name in done
    )
    with st.container(key="steps", gap="xxsmall"):
        st.html(f"<ol>{items}</ol>")
        st.button(_("Close these steps"), key="close-steps", type="tertiary", on_click=_close)


def _close() -> None:
    st.session_state["steps-closed"] = True


def ask_for_guess(scene: Scene, _: Translate) -> None:
    """Ask for a guess at the film's start; show the answer at its end."""
    if scene.points.corpus.label_column != "topic" or not scene.points.cloud.labels:
        return
    answers = {
        "more": _("more often"),
        "same": _("about as often"),
        "fewer": _("less often"),
    }
    if scene.is_raw:
        st.session_state["guess"] = st.pills(
            _("Guess first: in the whitened cloud, nearest neighbours share their topic …"),
            list(answers),
            key="guess-answer",
            format_func=lambda name: answers[name],
        )
    guess = st.session_state.get("guess")
    steps = steps_of(scene) if guess and scene.is_white else None
    if guess and steps is not None:
        truth = "more" if steps.both.rises else "fewer" if steps.both.falls else "same"
        before, _centred, after = (f"{share:.1%}" for share in steps.agreements)
        st.info(
            _(
                "You guessed “{guess}”. It is “{truth}”: {before} → {after}, of points that the "
                "whitening was not fitted on."
            ).format(guess=answers[guess], truth=answers[truth], before=before, after=after)
        )
