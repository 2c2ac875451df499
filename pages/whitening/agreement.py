"""How often nearest neighbours have the same label: in a picture, and its change."""

from __future__ import annotations

from geometry import UndefinedMeasure
from geometry.measure import label_agreement
from geometry.measure.intervals import Estimate
from geometry.measure.neighbours import AgreementDraws
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud, labels_of
from pages.common.verdict import agreement_of, since

from .scene import Scene, TreatedCloud


def compared(scene: Scene) -> tuple[TreatedCloud, TreatedCloud] | None:
    """Raw and the first whitening. None without one, or if it was fitted on the points shown."""
    for picture in scene.pictures:
        if picture.kind.is_whitening:
            is_new = scene.sets.overlap_with_fit(picture.name) == "none"
            return (scene.pictures[0], picture) if is_new else None
    return None


def agreement(picture: TreatedCloud, scene: Scene) -> float | None:
    """Share of the five nearest neighbours of other units with the same label, in the sample.

    None without labels.
    """
    sample = scene.sets.sample
    if picture.content_key in [each.content_key for each in compared(scene) or ()]:
        # the verdict needs the draws, and they contain the share
        draws = _draws_of(picture, sample)
        if draws is not None:
            return draws.share
    return _share_of(picture, sample)


# for each cloud and setting of the sliders; shared by all readers
@kept(2000)
def _share_of(picture: TreatedCloud, sample: CorpusCloud) -> float | None:
    labels = labels_of(sample.cloud)
    if labels is None:
        return None
    try:
        return label_agreement(picture.on(sample).treated.retained, labels, units=sample.units)
    except UndefinedMeasure:
        return None


def agreement_change(before: TreatedCloud, after: TreatedCloud, scene: Scene) -> Estimate | None:
    """The change of the agreement with its interval; None without labels or with few points.

    Parameters
    ----------
    before : TreatedCloud
        Such as the raw cloud.
    after : TreatedCloud
        Of the same points.
    scene : Scene
        The agreement is measured on the sample of its points.
    """
    first, then = (_draws_of(picture, scene.sets.sample) for picture in (before, after))
    return None if first is None or then is None else since(first, then)


@kept(2000)
def _draws_of(picture: TreatedCloud, sample: CorpusCloud) -> AgreementDraws | None:
    labels = labels_of(sample.cloud)
    if labels is None:
        return None
    return agreement_of(picture.on(sample).treated.retained, labels, sample.units)
