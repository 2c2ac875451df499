"""What a number on the whitening page was measured on, and what each picture was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.transform.treatments import KNOBS
from pages.common import cached
from pages.common.downloads import short_number
from pages.common.messages.model_errors import model_line
from pages.common.uploads import chosen_corpus
from pages.common.words import Translate

from .choices import treatment_names
from .scene import Scene, Shown

OWN_PROVENANCE = ("zipf", "learned")  # weighted, or fitted on other points than the rest


def provenance(scene: Scene, _: Translate) -> str:
    """n, model, layer, pooling, knobs, fit set, n/d, rank, seed."""
    material, knobs = scene.material, scene.knobs
    cloud, spec = material.cloud, material.spec
    n, d = cloud.vectors.shape
    units = {"sentences": _("sentences"), "tokens": _("tokens"), "types": _("types")}
    encoder = cached.encoder()
    parts = [
        _("corpus {name}").format(name=material.corpus.name),
        f"n = {n:,} {units[cloud.unit]}",
        model_line(encoder, _),
        _("input embeddings")
        if cloud.unit == "types"
        else _("layer {layer} of {last}").format(layer=spec.layer, last=encoder.n_layers),
    ]
    if cloud.unit == "sentences":
        parts.append(_("pooling {name}").format(name=spec.pooling))
    parts += [
        _("centring {s}").format(s=f"{knobs.centring:.2f}"),
        _("strength {t}").format(t=f"{knobs.strength:.2f}"),
        fit_words(scene, _),
        _("n/d = {ratio}").format(ratio=f"{len(material.fit) / d:.2f}"),
        *_ranks(scene, _),
    ]
    return " · ".join([*parts, _("seed {seed}").format(seed=spec.seed)])


def fitted_on(one: Shown, scene: Scene, _: Translate) -> str:
    """What this picture was fitted on, in words; empty for raw."""
    if one.name == "raw":
        return ""
    return _own_fit(one, scene, _) if one.name == "learned" else fit_words(scene, _)


def fit_words(scene: Scene, _: Translate) -> str:
    """What the treatments were fitted on, in words."""
    material = scene.material
    code = material.fit_set.code
    told = {
        "same": _("fitted on {n} of these points"),
        "split": _("fitted on {n} points of the other half"),
    }.get(code, _("fitted on {n} points of another corpus, {name}"))
    name = "" if material.fit_set.corpus is None else chosen_corpus(code).name
    return told.format(n=f"{len(material.fit):,}", name=name)


def _ranks(scene: Scene, _: Translate) -> list[str]:
    d = scene.material.cloud.vectors.shape[1]
    told = [_("rank {rank} of {d}").format(rank=scene.material.whitening.rank, d=d)]
    whitened = [one for one in scene.shown if "shrinkage" in KNOBS[one.name]]
    if whitened:
        told += _shrinkages(whitened, _)
        kept = scene.knobs.n_components
        told += [_("directions kept: {k}").format(k=kept)] if kept is not None else []
    for one in scene.shown:
        if one.name == "removed":
            told.append(_("directions removed: {k}").format(k=len(one.treatment.fitted.weights)))
        if one.name in OWN_PROVENANCE:
            told.append(_named(one, _own_fit(one, scene, _), _))
    return told


def _shrinkages(whitened: Sequence[Shown], _: Translate) -> list[str]:
    """Once where all whitened pictures have the same; else each by its name, for under word
    counts Ledoit-Wolf finds another share."""
    shares = [one.treatment.fitted.shrinkage for one in whitened]
    told = [_("shrinkage {a}").format(a=f"{a:.3f}") if a else _("no shrinkage") for a in shares]
    if len(set(told)) == 1:
        return told[:1]
    return [_named(one, words, _) for one, words in zip(whitened, told, strict=True)]


def _named(one: Shown, told: str, _: Translate) -> str:
    return _("{name}: {told}").format(name=treatment_names(_)[one.name], told=told)


def _own_fit(one: Shown, scene: Scene, _: Translate) -> str:
    """What a picture was fitted on, and how, where it is not as the others were."""
    if one.name == "learned":
        n = f"{one.treatment.n_rows:,}"
        return _("fitted on the {n} sentences of the scored pairs").format(n=n)
    d = scene.material.cloud.vectors.shape[1]
    return _("rank {rank} of {d}").format(rank=one.treatment.rank, d=d)


def fit_cells_of(one: Shown, scene: Scene, _: Translate) -> list[str]:
    """Of this picture: what it was fitted on, the rank of its fit, its shrinkage."""
    rank = one.treatment.rank
    a = one.treatment.fitted.shrinkage if "shrinkage" in KNOBS[one.name] else None
    numbers = ["" if rank is None else f"{rank}", "" if a is None else short_number(a)]
    return [fitted_on(one, scene, _), *numbers]
