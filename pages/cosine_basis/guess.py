"""A guess on a first visit: three answers before the second picture is shown."""

from __future__ import annotations

import streamlit as st

from pages.common.address import is_presenting
from pages.common.words import Translate, signed

from .controls import DEFAULTS, state_of
from .scene import Scene

SEEN = "basis-seen"  # in the session: the second picture was shown


def skip_for_link() -> None:
    """An address with settings, and a page for an audience, show both pictures at once.

    Call it before the controls are drawn: they remove their defaults from the address.
    """
    linked = any(key in st.query_params for key in (*DEFAULTS, "whiten", "reading", "circle"))
    if linked or is_presenting():
        st.session_state[SEEN] = True


def has_to_guess(scene: Scene) -> bool:
    """True until the reader has guessed, has skipped the question or has changed a control."""
    if state_of(scene) != DEFAULTS or scene.whiten != "no":
        st.session_state[SEEN] = True
    return not st.session_state.get(SEEN)


def ask_for_guess(scene: Scene, _: Translate, *, hidden: bool) -> None:
    """The question, or what came of the answer."""
    answers = {"smaller": _("smaller"), "same": _("still 90°"), "larger": _("larger")}
    if hidden:
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
                "You guessed “{guess}”. It is “{truth}”: the true cosine is {true}, the cosine of "
                "the coordinates is still {coordinates}."
            ).format(
                guess=answers[guess],
                truth=answers["larger"],
                true=signed(true, 3),
                coordinates=signed(coordinates, 3),
            )
        )


def _answer(name: str) -> None:
    st.session_state["basis-guess"] = name
    st.session_state[SEEN] = True
