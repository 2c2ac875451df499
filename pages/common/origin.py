"""What the numbers of a cloud were measured on, in words."""

from __future__ import annotations

from geometry import Encoder
from geometry.encode.layers import resolve_layers

from .controls import pooling_names
from .corpus_cloud import CorpusCloud, labels_of
from .words import _


def unit_names() -> dict[str, str]:
    """The plurals of the units, by code."""
    return {
        "sentences": _("sentences"),
        "tokens": _("tokens"),
        "types": _("types"),
        "vectors": _("vectors"),
    }


def model_words(points: CorpusCloud, *, is_one_layer: bool = True) -> list[str]:
    """Model, and the layer of a cloud of one layer."""
    if points.model is None:
        return [_("vectors of a file")]
    line = model_line(points.model)
    if points.cloud.unit == "types":
        return [line, _("input embeddings")]
    if not is_one_layer:
        return [line]
    return [line, layer_words(points.spec.layer, points.model.n_layers)]


def model_line(encoder: Encoder) -> str:
    """The model for a line of provenance: name, commit, precision."""
    parts = [encoder.name]
    if encoder.revision:
        parts.append(_("commit {commit}").format(commit=encoder.revision[:7]))
    if encoder.is_approximate:
        parts.append(_("{dtype}: fast, approximate").format(dtype=encoder.dtype))
    return ", ".join(parts)


def layer_words(layer: int | str, last: int) -> str:
    """One layer, or the average of a set such as "first-last", among layers 0 to ``last``."""
    layers = sorted(set(resolve_layers(layer, n_layers=last, name="")))
    first, final = layers[0], layers[-1]
    if len(layers) == 1:
        return _("layer {layer} of {last}").format(layer=first, last=last)
    if len(layers) == 2:
        words = _("mean of layers {first} and {final} (of {last})")
    else:  # every larger set consists of consecutive layers
        words = _("mean of layers {first} to {final} (of {last})")
    return words.format(first=first, final=final, last=last)


def count_words(points: CorpusCloud) -> str:
    """n and the unit, and of a sample how many there are in all."""
    cloud = points.cloud
    count = f"n = {len(cloud):,} {unit_names()[cloud.unit]}"
    if cloud.n_available > len(cloud):
        count = _("{count} (a sample of {n})").format(count=count, n=f"{cloud.n_available:,}")
    return count


def origin(points: CorpusCloud, *, is_one_layer: bool = True) -> list[str]:
    """Corpus, n, model, layer and pooling; without the layer for numbers of several layers."""
    cloud, spec = points.cloud, points.spec
    parts = [
        _("corpus {name}").format(name=points.corpus.name),
        count_words(points),
        *model_words(points, is_one_layer=is_one_layer),
    ]
    if points.n_zero:
        parts.append(_("rows of zeros, left out: {n}").format(n=f"{points.n_zero:,}"))
    if cloud.unit == "sentences":
        parts.append(_("pooling {name}").format(name=pooling_names()[spec.pooling]))
        if not spec.special_tokens:
            parts.append(_("without special tokens"))
    return [*parts, *unit_note(points)]


def unit_note(points: CorpusCloud) -> list[str]:
    """A note that sentences of one text are one unit, if texts were split."""
    is_split = points.corpus.sources is not None and points.units is not None
    return [_("sentences of one text are one unit")] if is_split else []


def agreement_note(points: CorpusCloud) -> list[str]:
    """A note on points that are not counted as neighbours when labels are compared."""
    if points.units is None or labels_of(points.cloud) is None:
        return []
    if points.cloud.unit == "sentences":
        note = _("where labels are compared, sentences of one text are no neighbours of each other")
    elif points.corpus.sources is not None:
        note = _("where labels are compared, tokens of one text are no neighbours of each other")
    else:
        note = _(
            "where labels are compared, tokens of one sentence are no neighbours of each other"
        )
    return [note]


def weight_column(points: CorpusCloud) -> str:
    """The column that the weights of the points were read from."""
    return points.corpus.weight_column or "weight"


def weight_words(points: CorpusCloud) -> list[str]:
    """A note that the fit on these points is weighted; empty if it is not."""
    if points.weights is None:
        return []
    words = _("fit weighted by {column} (effective n = {n}); measures are unweighted")
    return [words.format(column=weight_column(points), n=f"{points.effective_n:,.0f}")]
