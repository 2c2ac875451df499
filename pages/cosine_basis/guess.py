"""A guess on a first visit: three answers before the second picture is shown."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from geometry.data.number_text import signed
from pages.common.words import _

from .controls import DEFAULTS, state_of
from .scene import Scene

SHOWN_KEY = "basis-seen"  # in the session: the second picture was shown


def skip_for_link() -> None:
    """Skip the question if the address has settings.

    Call it before the controls are drawn, because they remove their defaults from the address.
    """
    linked = any(key in st.query_params for key in (*DEFAULTS, "whiten", "reading", "circle"))
    if linked:
        st.session_state[SHOWN_KEY] = True


def hide_before_guess(scene: Scene) -> Scene:
    """The scene with ``is_hidden`` set.

    It is True until the reader has guessed, has skipped the question or has changed a control.
    """
    if state_of(scene) != DEFAULTS or scene.whiten != "no":
        st.session_state[SHOWN_KEY] = True
    return replace(scene, is_hidden=not st.session_state.get(SHOWN_KEY))


def ask_for_guess(scene: Scene) -> None:
    """The question, or whether the answer was right."""
    answers = {"smaller": _("smaller"), "same": _("still 90°"), "larger": _("larger")}
    if scene.is_hidden:
        st.markdown(
            _(
                "**Guess first.** The coordinates of a, b, c stay the same, and e₂ becomes twice "
                "as long. The angle between a and b was 90°. It is now …"
            )
        )
        with st.container(horizontal=True, key="guess", gap="xsmall"):
            for name, label in answers.items():
                st.button(label, key=f"guess-{name}", on_click=_answer, args=(name,))
            st.button(_("Skip"), key="guess-skip", type="tertiary", on_click=_answer, args=("",))
        return
    guess = st.session_state.get("basis-guess")
    if guess and state_of(scene) == DEFAULTS:
        coordinates, true = (
            float(found[0]) for found in (scene.cosines.coordinates, scene.cosines.true)
        )
        st.info(
            _(
                "You guessed “{guess}”. It is “{truth}”: in your basis the cosine is {true}, that "
                "of the coordinates is still {coordinates}."
            ).format(
                guess=answers[guess],
                truth=answers["larger"],
                true=signed(true, 3),
                coordinates=signed(coordinates, 3),
            )
        )


def _answer(name: str) -> None:
    st.session_state["basis-guess"] = name
    st.session_state[SHOWN_KEY] = True
