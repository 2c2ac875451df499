"""The labels of treatments, and the control that chooses one as a text such as "pca:128"."""

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry.evaluate.specs import parse_treatment
from geometry.transform.treatments import TREATMENTS, ladder, usual_whitening

from . import words
from .controls import choose
from .words import _, prose

AUTO = "recommended"
LONGEST = 60  # characters of an invalid treatment at most that are shown
SHRUNK = ("pca:lw", "pca:128:lw")


def treatment_names() -> dict[str, str]:
    return {kind.name: _(kind.label) for kind in TREATMENTS.values()}


def treatment_words(code: str) -> str:
    spec = parse_treatment(code)
    kind = TREATMENTS[spec.name]
    knobs = spec.knobs
    if not kind.is_whitening:
        removed = "d/100" if knobs.n_removed is None else knobs.n_removed
        k = removed if knobs.n_components is None else knobs.n_components
        return _(kind.phrase or kind.label).format(k=k)
    name = _("whitened")
    parts = []
    if knobs.n_components is not None:
        parts.append(_("{k} directions").format(k=knobs.n_components))
    elif knobs.shrinkage is None:
        name = _("whitened in full")
    if knobs.strength != 1:
        parts.append(_("strength {t}").format(t=f"{knobs.strength:g}"))
    if knobs.shrinkage is not None:
        share = _("shrinkage {share}").format(share=knobs.shrinkage)
        parts.append(_("Ledoit-Wolf") if isinstance(knobs.shrinkage, str) else share)
    if spec.name != "pca":  # pca is not named, because cosines after pca and zca are equal
        parts.append(spec.name)
    full = _("{name}, {settings}")
    return full.format(name=name, settings=_(", ").join(parts)) if parts else name


def offered(*, of_moments: bool) -> list[str]:
    """The texts of the list. of_moments : leave out treatments that need rows."""
    return [
        code
        for code in (*ladder()[1:], *SHRUNK)
        if not of_moments or TREATMENTS[parse_treatment(code).name].takes_moments
    ]


def choose_treatment(
    page: str, n: int, d: int, *, notes: DeltaGenerator, of_moments: bool = False
) -> str:
    advised = usual_whitening(n, d)
    labels = {AUTO: _("usual: {name}").format(name=treatment_words(advised))}
    labels |= {code: treatment_words(code) for code in offered(of_moments=of_moments)}
    about = _(
        "Choose a treatment, or type another, such as pca:64 or abtt:5. “Usual” is the whitening "
        "for this n/d, rows per dimension."
    )
    how: dict[str, Any] = {"accept_new_options": True, "help": about}
    code = choose(st.selectbox, _("Treatment"), labels, key="after", **how)
    if code.strip() in (AUTO, ""):
        return advised
    with suppress(ValueError):
        spec = parse_treatment(code)
        if spec.is_fitted and (not of_moments or TREATMENTS[spec.name].takes_moments):
            return spec.text
    shown = " ".join(code.split())[:LONGEST]
    notes.warning(prose(page, "other-treatment", {"text": words.code(shown)}))
    return advised
