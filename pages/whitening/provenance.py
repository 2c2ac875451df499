"""What a number on the whitening page was measured on, and what each picture was fitted on."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.transform.treatments import COUNTS, PAIRS, ROWS, TRAINING
from pages.common.downloads import short_number
from pages.common.fit_set import fit_words, weight_words
from pages.common.origin import agreement_note, origin
from pages.common.treatment_names import treatment_names
from pages.common.words import _

from .scene import Scene, TreatedCloud


def provenance(scene: Scene) -> str:
    """n, model, layer, pooling, knobs, fit set, n/d, rank, seed."""
    sets, knobs = scene.sets, scene.knobs
    d = sets.cloud.vectors.shape[1]
    parts = [
        *origin(sets.points),
        _("centring {s}").format(s=f"{knobs.centring:.2f}"),
        _("strength {t}").format(t=f"{knobs.strength:.2f}"),
        fit_words(sets.fit_set.code, sets.fit_points),
        *weight_words(sets.fit_points),
        _("n/d = {ratio}").format(ratio=f"{sets.fit_points.effective_n / d:.2f}"),
        *_ranks(scene),
    ]
    if sets.is_sampled:
        parts.append(
            _("neighbours, pairs and intervals: a sample of {n}").format(
                n=f"{len(sets.sample.cloud):,}"
            )
        )
    parts += agreement_note(sets.points)
    return " · ".join([*parts, _("seed {seed}").format(seed=sets.points.spec.seed)])


def fitted_on(picture: TreatedCloud, scene: Scene) -> str:
    """What this picture was fitted on, in words; empty for raw."""
    if picture.name == "raw":
        return ""
    if picture.kind.needs == PAIRS:
        return _own_fit(picture, scene)
    return fit_words(scene.sets.fit_set.code, scene.sets.fit_points)


def _ranks(scene: Scene) -> list[str]:
    sets = scene.sets
    d = sets.cloud.vectors.shape[1]
    parts = [_("rank {rank} of {d}").format(rank=sets.whitening.rank, d=d)]
    whitened = [picture for picture in scene.pictures if picture.kind.is_whitening]
    if whitened:
        parts += _shrinkages(whitened)
        k = scene.knobs.n_components
        parts += [_("directions kept: {k}").format(k=k)] if k is not None else []
    for picture in scene.pictures:
        needs = picture.kind.needs
        if "n_removed" in picture.kind.knobs:
            parts.append(
                _("directions removed: {k}").format(k=len(picture.treatment.fitted.weights))
            )
        if sets.fit_points.weights is not None and needs in (ROWS, TRAINING):
            parts.append(_named(picture, _("fit unweighted")))
        if needs in (COUNTS, PAIRS):  # fitted with other weights, or on other points
            parts.append(_named(picture, _own_fit(picture, scene)))
    return parts


def _shrinkages(whitened: Sequence[TreatedCloud]) -> list[str]:
    """The shrinkage: one value if it is the same for all whitened pictures, else one for each.

    Ledoit-Wolf with weights by word counts gives another value.
    """
    shares = [picture.treatment.fitted.shrinkage for picture in whitened]
    words = [_("shrinkage {a}").format(a=f"{a:.3f}") if a else _("no shrinkage") for a in shares]
    if len(set(words)) == 1:
        return words[:1]
    return [_named(picture, each) for picture, each in zip(whitened, words, strict=True)]


def _named(picture: TreatedCloud, words: str) -> str:
    return _("{name}: {words}").format(name=treatment_names()[picture.name], words=words)


def _own_fit(picture: TreatedCloud, scene: Scene) -> str:
    """The fit set and settings of a picture whose fit differs from the others."""
    if picture.kind.needs == PAIRS:
        n = f"{picture.treatment.n_rows:,}"
        return _("fitted on the {n} sentences of the scored pairs").format(n=n)
    d = scene.sets.cloud.vectors.shape[1]
    return _("rank {rank} of {d}").format(rank=picture.treatment.rank, d=d)


def fit_cells_of(picture: TreatedCloud, scene: Scene) -> list[str]:
    """Of this picture: what it was fitted on, the rank of its fit, its shrinkage."""
    rank = picture.treatment.rank
    a = picture.treatment.fitted.shrinkage if picture.kind.is_whitening else None
    numbers = ["" if rank is None else f"{rank}", "" if a is None else short_number(a)]
    return [fitted_on(picture, scene), *numbers]
