"""What the numbers and pictures of narrow_cone were computed from."""

from __future__ import annotations

from pages.common.controls import layer_words
from pages.common.messages.model_errors import model_line
from pages.common.words import Translate

from .scene import Scene


def provenance(scene: Scene, _: Translate) -> str:
    """n, model, layer, pooling, centring, strength, fit set, n/d, rank, shrinkage, seed."""
    whitening = scene.twin.whitening
    points = scene.points
    cloud, spec, encoder = points.cloud, points.spec, points.encoder
    n, d = cloud.vectors.shape
    units = {"sentences": _("sentences"), "tokens": _("tokens"), "types": _("types")}
    count = f"n = {n:,} {units[cloud.unit]}"
    if cloud.n_available > n:
        available = f"{cloud.n_available:,}"
        count = _("{count} (a sample of {n})").format(count=count, n=available)
    parts = [_("corpus {name}").format(name=points.corpus.name), count, model_line(encoder, _)]
    if cloud.unit == "types":
        parts.append(_("input embeddings"))
    else:
        parts.append(layer_words(spec.layer, encoder.n_layers, _))
    if cloud.unit == "sentences":
        parts.append(_("pooling {name}").format(name=spec.pooling))
        if not spec.special_tokens:
            parts.append(_("without special tokens"))
    parts += [
        _("centring {s}").format(s=f"{whitening.centring:.2f}"),
        _("strength {t}").format(t=f"{whitening.strength:.2f}"),
        _("whitening fitted on the same {n} {unit}").format(n=f"{n:,}", unit=units[cloud.unit]),
        _("n/d = {ratio}").format(ratio=f"{n / d:.2f}"),
        _("rank {rank} of {d}").format(rank=whitening.rank, d=d),
        _("Ledoit-Wolf shrinkage {a}").format(a=f"{whitening.shrinkage:.3f}")
        if whitening.shrinkage
        else _("no shrinkage"),
    ]
    if len(whitening.components) < d:
        parts.append(_("directions kept: {k}").format(k=len(whitening.components)))
    return " · ".join([*parts, _("seed {seed}").format(seed=spec.seed)])
