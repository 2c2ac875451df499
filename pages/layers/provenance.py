"""What the numbers and pictures of the layers page were computed from."""

from __future__ import annotations

from pages.common.controls import layer_words
from pages.common.corpus_cloud import CorpusCloud
from pages.common.origin import origin
from pages.common.seed import SEED
from pages.common.words import _

from .scene import Scene
from .series import TOKENS, Series


def provenance(scene: Scene) -> str:
    """What is drawn, the layer of the numbers, and what was done to the vectors."""
    parts = [
        *_origin(scene.first),
        layer_words(scene.layer, scene.film.last),
        _("raw vectors, nothing fitted; drawn at length 1"),
        _("seed {seed}").format(seed=scene.first.spec.seed),
    ]
    return " · ".join(parts)


def series_origin(series: Series) -> list[str]:
    """Corpus, n, model and pooling of a series."""
    corpus, n, *rest = _origin(series.first)
    return [corpus, n, *sample_note(series), *rest]


def sample_note(series: Series) -> list[str]:
    """That only some texts were taken; empty if all were."""
    n = len(series.first.corpus)
    if n == series.n_texts:
        return []
    note = _("a sample of {n} of the {all} texts, seed {seed}")
    return [note.format(n=f"{n:,}", all=f"{series.n_texts:,}", seed=SEED)]


def _origin(points: CorpusCloud) -> list[str]:
    parts = origin(points, is_one_layer=False)
    if points.cloud.unit == TOKENS:
        parts.append(_("special tokens left out, word pieces included"))
    return parts
