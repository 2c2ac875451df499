"""Where the scored pairs come from: how they were made, or their data set and its licence."""

from __future__ import annotations

import streamlit as st

from geometry.hub.catalogue import NOT_STATED
from geometry.hub.pair_sets import PAIR_SETS
from pages.common.escape import markdown
from pages.common.words import Translate, prose

from . import PAGE
from .pairs import BUNDLED_NAMES, hub_sets
from .scene import Scene

SHORT = 12  # characters of a commit that are shown


def show_about(scene: Scene, _: Translate) -> None:
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
        "note": set_notes(_).get(name, origin.note),
    }
    st.caption(prose(PAGE, "hub-set", values))


def set_notes(_: Translate) -> dict[str, str]:
    """The notes of ``PAIR_SETS``, translated: caveats for comparing figures."""
    by_year = _(
        "The file does not name its subsets (MSRpar, …), so only figures over all its pairs are "
        "given."
    )
    return {
        "stsb": _("Its subsets are its genres."),
        **dict.fromkeys(("sts12", "sts14", "sts15", "sts16"), by_year),
        "sts13": f"{by_year} " + _("Its fourth subset, SMT, is not free and is not included."),
        "sickr": _(
            "This is all of SICK under the name test. Most published figures are for 4,927 of "
            "its pairs."
        ),
        "stsb-zh": _("Translated from STS-B. Scores are whole numbers, so there are many ties."),
    }
