"""The controls of the page: the treatment and the number of neighbours."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.evaluate.specs import LADDER, parse_treatment
from pages.common import escape
from pages.common.controls import choose, code_of_label
from pages.common.treatment_names import AUTO, SHRUNK, advised_whitening, treatment_words
from pages.common.words import Translate, prose

LONGEST = 60  # characters of an invalid treatment that are shown
MOST_NEAREST, NEAREST = 25, 10


def choose_after(n: int, d: int, _: Translate, *, notes: DeltaGenerator) -> str:
    """The treatment, a text for ``parse_treatment``.

    Parameters
    ----------
    n, d : int
        Rows of the fit, and dimensions.
    _ : Translate
    notes : DeltaGenerator
        For a warning.
    """
    advised = advised_whitening(n, d)
    labels = {code: treatment_words(code, _) for code in (*LADDER[1:], *SHRUNK)}
    code_of_label("after")
    typed = st.session_state.get("after") or st.query_params.get("after")
    recommended = _("recommended: {name}").format(name=treatment_words(advised, _))
    code = choose(
        st.selectbox,
        _("Treatment"),
        list(dict.fromkeys([AUTO, *labels, *([typed] if typed else [])])),
        key="after",
        default=AUTO,
        labels={AUTO: recommended, **labels},
        accept_new_options=True,
        help=_("Choose a treatment, or type another, such as pca:64 or abtt:5."),
    )
    if code.strip() in (AUTO, ""):
        return advised
    try:
        spec = parse_treatment(code)
    except ValueError:
        spec = None
    if spec is None or not spec.is_fitted:
        shown = " ".join(code.split())[:LONGEST]
        notes.warning(prose("neighbours", "other-treatment", {"text": escape.code(shown)}))
        return advised
    return spec.text


def choose_nearest(_: Translate) -> int:
    """How many neighbours are counted and listed."""
    return int(
        st.slider(_("Neighbours k"), 1, MOST_NEAREST, NEAREST, key="nearest", bind="query-params")
    )
