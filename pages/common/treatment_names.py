"""Treatments as short texts such as "pca:128": their names, and the one that is recommended."""

from __future__ import annotations

from geometry.evaluate.specs import TreatmentSpec, parse_treatment
from geometry.transform import recommended_whitening

from .words import Translate

AUTO = "recommended"
SHRUNK = ("pca:lw", "pca:128:lw")


def advised_whitening(n: int, d: int) -> str:
    """The recommended whitening for n rows in d dimensions."""
    settings = recommended_whitening(n, d)
    k = settings.get("n_components")
    shrinks = "shrinkage" in settings
    return "pca" + (f":{k}" if k else "") + (":lw" if shrinks else "")


def treatment_words(code: str, _: Translate) -> str:
    """The name of a treatment."""
    spec = parse_treatment(code)
    plain = {
        "raw": _("Raw"),
        "centred": _("Centred"),
        "standardised": _("Standardised"),
    }
    if spec.name in plain:
        return plain[spec.name]
    if spec.name in ("removed", "svd", "clusterwise"):
        return _removal_words(spec, _)
    knobs = spec.knobs
    parts = [_("whitened")]
    if knobs.n_components is not None:
        parts.append(f"k = {knobs.n_components}")
    elif knobs.shrinkage is None:
        parts = [_("whitened in full")]
    if knobs.shrinkage is not None:
        share = _("shrinkage {share}").format(share=knobs.shrinkage)
        parts.append(_("Ledoit-Wolf") if isinstance(knobs.shrinkage, str) else share)
    if spec.name != "pca":  # cosines after pca and zca are equal; the others differ
        parts.append(spec.name)
    return _(", ").join(parts)


def _removal_words(spec: TreatmentSpec, _: Translate) -> str:
    if spec.name == "clusterwise":
        return _("top directions removed in each cluster")
    k = "d/100" if spec.knobs.n_removed is None else spec.knobs.n_removed
    if spec.name == "svd":
        return _("top {k} singular directions removed, nothing centred").format(k=k)
    return _("top {k} directions removed").format(k=k)
