"""A first visit: a welcome, four steps to take, and a guess."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.common.address import is_presenting
from pages.common.measures import label_name
from pages.common.page_list import page_path
from pages.common.words import _

from .choices import HAS_PLAYED
from .provenance import unit_words
from .scene import Scene
from .verdicts import steps_of


def welcome(scene: Scene) -> None:
    """What the pictures are, the steps, and the way to own data; not for an audience."""
    if is_presenting():
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            _("Left: {n} {units} as the model places them. Right: the same, whitened.").format(
                n=f"{len(scene.points.cloud):,}", units=unit_words(scene)
            )
        )
        with st.popover(_("What to look at"), width="content", key="steps"):
            _show_steps(scene)
        st.page_link(page_path("your_corpus"), label=_("Use my own data"), width="content")


def _show_steps(scene: Scene) -> None:
    """Four steps for a new reader; those that are done have a tick."""
    state = st.session_state
    first = state.setdefault("first-cloud", scene.points.key)
    done: dict[str, bool] = {
        "look": True,
        "play": bool(state.get(HAS_PLAYED)),
        "click": scene.chosen is not None,
        "layer": scene.points.key != first,
    }
    if scene.points.model is None:
        del done["layer"]
    taken = state.setdefault("steps-taken", set())
    taken |= {name for name, is_done in done.items() if is_done}
    labels = {
        "look": _("Look: the same points twice. The orange cones contain half of them, and 90%"),
        "play": _("Play: subtract the mean, then make the axes equal"),
        "click": _("Click a point: who are its neighbours?"),
        "layer": _("Change the layer: where is the cone?"),
    }
    items = "".join(
        f"<li>{'✓ ' if name in taken else ''}{escape(labels[name])}</li>" for name in done
    )
    st.html(f"<ol>{items}</ol>")


def ask_for_guess(scene: Scene) -> None:
    """Ask whether whitening brings like to like; the answer follows."""
    steps = steps_of(scene)
    if steps is None:
        return
    answers = {
        "more": _("more often"),
        "same": _("about as often"),
        "fewer": _("less often"),
    }
    guess = st.pills(
        _("Guess: in the whitened cloud, nearest neighbours share their {label} …").format(
            label=label_name(scene.points.corpus)
        ),
        list(answers),
        key="guess",
        format_func=lambda name: answers[name],
        persist_state="session",
    )
    if guess:
        truth = "more" if steps.both.rises else "fewer" if steps.both.falls else "same"
        before, _centred, after = (f"{share:.1%}" for share in steps.agreements)
        st.info(
            _(
                "You guessed “{guess}”. It is “{truth}”: {before} → {after}, of points that the "
                "whitening was not fitted on."
            ).format(guess=answers[guess], truth=answers[truth], before=before, after=after)
        )
