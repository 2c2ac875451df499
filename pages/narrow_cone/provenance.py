"""What the numbers and pictures of narrow_cone were computed from."""

from __future__ import annotations

from pages.common.controls import layer_words, pooling_names
from pages.common.models import model_line
from pages.common.words import Translate

from .scene import Scene


def unit_words(scene: Scene, _: Translate) -> str:
    """The plural of what the points are."""
    units = {"sentences": _("sentences"), "tokens": _("tokens"), "types": _("types")}
    return units[scene.points.cloud.unit]


def origin(scene: Scene, _: Translate) -> list[str]:
    """Corpus, n, model, layer and pooling."""
    points = scene.points
    cloud, spec, encoder = points.cloud, points.spec, points.encoder
    n = len(cloud)
    count = f"n = {n:,} {unit_words(scene, _)}"
    if cloud.n_available > n:
        available = f"{cloud.n_available:,}"
        count = _("{count} (a sample of {n})").format(count=count, n=available)
    parts = [_("corpus {name}").format(name=points.corpus.name), count, model_line(encoder, _)]
    if cloud.unit == "types":
        parts.append(_("input embeddings"))
    else:
        parts.append(layer_words(spec.layer, encoder.n_layers, _))
    if cloud.unit == "sentences":
        parts.append(_("pooling {name}").format(name=pooling_names(_)[spec.pooling]))
        if not spec.special_tokens:
            parts.append(_("without special tokens"))
    return parts


def provenance(scene: Scene, _: Translate) -> str:
    """The origin, then centring, strength, fit set, n/d, rank, shrinkage, seed."""
    whitening = scene.whitening
    n, d = scene.points.vectors.shape
    parts = [
        *origin(scene, _),
        _("centring {s}").format(s=f"{whitening.centring:.2f}"),
        _("strength {t}").format(t=f"{whitening.strength:.2f}"),
        _("whitening fitted on the same {n} {unit}, so its numbers are set by the fit").format(
            n=f"{n:,}", unit=unit_words(scene, _)
        ),
        _("n/d = {ratio}").format(ratio=f"{n / d:.2f}"),
        _("rank {rank} of {d}").format(rank=whitening.rank, d=d),
        _("Ledoit-Wolf shrinkage {a}").format(a=f"{whitening.shrinkage:.3f}")
        if whitening.shrinkage
        else _("no shrinkage"),
    ]
    if len(whitening.components) < d:
        parts.append(_("directions kept: {k}").format(k=len(whitening.components)))
    return " · ".join([*parts, _("seed {seed}").format(seed=scene.points.spec.seed)])
