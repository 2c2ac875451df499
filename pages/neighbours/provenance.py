"""What the numbers of the page were measured on."""

from __future__ import annotations

from pages.common.fit_set import SAME, fit_words
from pages.common.origin import origin
from pages.common.treatment_names import treatment_words
from pages.common.words import _

from .scene import Scene


def provenance(scene: Scene) -> str:
    """Points, treatment, fit set, n/d, k, seed."""
    d = scene.fit.vectors.shape[1]
    parts = [
        *origin(scene.points),
        treatment_words(scene.after),
        fit_words(scene.fit_code, scene.fit),
        *([_("the numbers are set by the fit")] if scene.fit_code == SAME else []),
        _("n/d = {ratio}").format(ratio=f"{len(scene.fit.cloud) / d:.2f}"),
        _("k = {k} nearest by cosine, exact").format(k=scene.k),
    ]
    n_measured = len(scene.measured_rows)
    if n_measured < scene.n_searched:
        parts.append(
            _("numbers over all points: a random sample of {n}").format(n=f"{n_measured:,}")
        )
    return " · ".join([*parts, _("seed {seed}").format(seed=scene.points.spec.seed)])
