"""What the numbers and pictures of narrow_cone were computed from."""

from __future__ import annotations

from pages.common.fit_set import weight_words
from pages.common.origin import agreement_note, origin, unit_names
from pages.common.words import _

from .scene import Scene


def unit_words(scene: Scene) -> str:
    """The plural name of the points' unit."""
    return unit_names()[scene.points.cloud.unit]


def provenance(scene: Scene) -> str:
    """The origin, then centring, strength, fit set, n/d, rank, shrinkage, seed."""
    whitening = scene.whitening
    n, d = scene.points.vectors.shape
    parts = [
        *origin(scene.points),
        _("centring {s}").format(s=f"{whitening.centring:.2f}"),
        _("strength {t}").format(t=f"{whitening.strength:.2f}"),
        _("whitening fitted on the same {n} {unit}, so its numbers are set by the fit").format(
            n=f"{n:,}", unit=unit_words(scene)
        ),
        *weight_words(scene.points),
        _("n/d = {ratio}").format(ratio=f"{scene.points.effective_n / d:.2f}"),
        _("rank {rank} of {d}").format(rank=whitening.rank, d=d),
        _("Ledoit-Wolf shrinkage {a}").format(a=f"{whitening.shrinkage:.3f}")
        if whitening.shrinkage
        else _("no shrinkage"),
    ]
    if len(whitening.components) < d:
        parts.append(_("directions kept: {k}").format(k=len(whitening.components)))
    if scene.sample is not scene.points:
        parts.append(
            _("neighbours, pairs and intervals: a sample of {n}").format(
                n=f"{len(scene.sample.cloud):,}"
            )
        )
    parts += agreement_note(scene.points)
    return " · ".join([*parts, _("seed {seed}").format(seed=scene.points.spec.seed)])
