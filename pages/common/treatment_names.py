"""The labels of treatments, and the control that chooses one as a text such as "pca:128"."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.evaluate.specs import LADDER, TreatmentSpec, parse_treatment
from geometry.transform import recommended_whitening

from . import escape
from .controls import choose, code_of_label
from .words import _, prose

AUTO = "recommended"
LONGEST = 60  # characters of an invalid treatment at most that are shown
SHRUNK = ("pca:lw", "pca:128:lw")


def advised_whitening(n: int, d: int) -> str:
    """The recommended whitening for n rows in d dimensions."""
    settings = recommended_whitening(n, d)
    k = settings.get("n_components")
    shrinks = "shrinkage" in settings
    return "pca" + (f":{k}" if k else "") + (":lw" if shrinks else "")


def treatment_names() -> dict[str, str]:
    """The label of each treatment, by its name in ``TREATMENTS``."""
    return {
        "raw": _("Raw"),
        "centred": _("Centred"),
        "standardised": _("Standardised"),
        "zca": _("ZCA whitening"),
        "pca": _("PCA whitening"),
        "cholesky": _("Cholesky whitening"),
        "zca-cor": _("ZCA-cor whitening"),
        "pca-cor": _("PCA-cor whitening"),
        "zipf": _("Zipfian whitening"),
        "removed": _("Top directions removed"),
        "clusterwise": _("Removed in clusters"),
        "learned": _("Learned removal"),
        "flow": _("Normalizing flow"),
    }


def treatment_words(code: str) -> str:
    """A treatment with its settings in words."""
    spec = parse_treatment(code)
    if spec.name in ("raw", "centred", "standardised"):
        return treatment_names()[spec.name]
    if spec.name in ("removed", "svd", "clusterwise"):
        return _removal_words(spec)
    knobs = spec.knobs
    parts = [_("whitened")]
    if knobs.n_components is not None:
        parts.append(f"k = {knobs.n_components}")
    elif knobs.shrinkage is None:
        parts = [_("whitened in full")]
    if knobs.shrinkage is not None:
        share = _("shrinkage {share}").format(share=knobs.shrinkage)
        parts.append(_("Ledoit-Wolf") if isinstance(knobs.shrinkage, str) else share)
    if spec.name != "pca":  # pca is not named, because cosines after pca and zca are equal
        parts.append(spec.name)
    return _(", ").join(parts)


def _removal_words(spec: TreatmentSpec) -> str:
    if spec.name == "clusterwise":
        return _("top directions removed in each cluster")
    k = "d/100" if spec.knobs.n_removed is None else spec.knobs.n_removed
    if spec.name == "svd":
        return _("top {k} singular directions removed, nothing centred").format(k=k)
    return _("top {k} directions removed").format(k=k)


def choose_treatment(
    page: str, n: int, d: int, *, notes: DeltaGenerator, unusable: Collection[str] = ()
) -> str:
    """Choose the treatment, a text for ``parse_treatment``.

    Parameters
    ----------
    page : str
        The page. Its prose has a warning as the section ``other-treatment``.
    n : int
        Rows of the fit.
    d : int
        Dimensions.
    notes : DeltaGenerator
        The box of the warning.
    unusable : collection of str
        Names of treatments that the page can't apply.
    """
    advised = advised_whitening(n, d)
    labels = {code: treatment_words(code) for code in (*LADDER[1:], *SHRUNK)}
    code_of_label("after")
    typed = st.session_state.get("after") or st.query_params.get("after")
    usual = _("usual: {name}").format(name=treatment_words(advised))
    code = choose(
        st.selectbox,
        _("Treatment"),
        list(dict.fromkeys([AUTO, *labels, *([typed] if typed else [])])),
        key="after",
        default=AUTO,
        labels={AUTO: usual, **labels},
        accept_new_options=True,
        help=_(
            "Choose a treatment, or type another, such as pca:64 or abtt:5. “Usual” is the "
            "whitening for this n/d, rows per dimension."
        ),
    )
    if code.strip() in (AUTO, ""):
        return advised
    try:
        spec = parse_treatment(code)
    except ValueError:
        spec = None
    if spec is None or not spec.is_fitted or spec.name in unusable:
        shown = " ".join(code.split())[:LONGEST]
        notes.warning(prose(page, "other-treatment", {"text": escape.code(shown)}))
        return advised
    return spec.text
