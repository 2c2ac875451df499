"""Where the scored pairs come from: how they were made, or their data set and its licence."""

from __future__ import annotations

import streamlit as st

from geometry.hub.catalogue import NOT_STATED
from geometry.hub.pair_sets import NOTES, PAIR_SETS
from pages.common.escape import markdown
from pages.common.words import _, prose

from . import PAGE
from .pairs import BUNDLED_NAMES, hub_sets
from .scene import Scene

SHORT = 12  # characters of a commit that are shown


def show_about(scene: Scene) -> None:
    """How the project's pairs were made, or repository, commit and licence of a data set."""
    pairs = scene.choice.pairs
    if pairs.is_bundled:
        st.caption(prose(PAGE, f"about-{BUNDLED_NAMES[pairs.code]}"))
    if pairs.code not in hub_sets():
        return
    name, _split = hub_sets()[pairs.code]
    origin = PAIR_SETS[name]
    low, high = pairs.pairs.scale or pairs.pairs.score_range
    values = {
        "name": markdown(pairs.pairs.name),
        "repository": origin.repository,
        "revision": origin.revision[:SHORT],
        "licence": origin.licence if origin.licence != NOT_STATED else _("not stated"),
        "low": f"{low:g}",
        "high": f"{high:g}",
        "note": _(NOTES[name]),
    }
    st.caption(prose(PAGE, "hub-set", values))
