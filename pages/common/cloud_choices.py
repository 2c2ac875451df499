"""The controls that choose a cloud, the points of a fit and the look of a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder
from geometry.data import VectorSet
from geometry.encode.layers import layer_sets
from geometry.encode.pool import DEFAULT_POOLING
from geometry.projection.neighbour_maps import MAPS, MOST_FITTED
from geometry.projection.point_colours import MOST_LABELS

from .controls import choose, choose_in, follow_default, layer_labels, pooling_names
from .corpus_cloud import CloudSpec, CorpusCloud, encode_corpus
from .draw.twin_cloud import has_no_webgl2
from .explore_panel import CLUSTERS, COLUMN, filtered
from .measures import label_name
from .origin import type_words, weight_column
from .seed import SEED
from .uploads import OWN_VECTORS, chosen_data, corpus_labels, own_labels, own_vectors
from .words import _, code, markdown, noted

FEWEST_POINTS = 4  # points of a picture at least
DEFAULT_LAYER = 4  # or the last layer of a smaller model
SAME, SPLIT = "same", "split"  # these points; the other half of them


@dataclass(frozen=True)
class Look:
    view: str
    n_components: int
    colour: str
    seed: int | None = SEED
    most_fitted: int | None = MOST_FITTED

    @property
    def is_map(self) -> bool:
        return self.view in MAPS


def views() -> tuple[str, ...]:
    maps = (name for name, kind in MAPS.items() if find_spec(kind.module))
    return ("mean", "cone", "svd", "pca", *maps)


def warn_of_too_few(n: int) -> bool:
    if n >= FEWEST_POINTS:
        return False
    st.warning(_("A picture needs at least {n} points.").format(n=FEWEST_POINTS))
    return True


def choose_place(
    encoder: Encoder, unit: str, layer_box: DeltaGenerator, pooling_box: DeltaGenerator
) -> tuple[int | str, str]:
    with pooling_box:
        pooling = choose_pooling(encoder, encoder.poolings, unit)
    is_own = unit == "sentences" and pooling == "own"
    last = encoder.n_layers
    layers = [*map(str, range(last + 1)), *(layer_sets(last) if unit == "sentences" else [])]
    labels = layer_labels(last) | ({} if last else {"0": _("0 (static vectors)")})
    how = {"labels": labels, "disabled": unit == "types" or is_own}
    usual = str(min(DEFAULT_LAYER, last))
    layer = choose_in(layer_box, _("Layer"), layers, usual, key="layer", **how)
    if is_own:
        return last, pooling
    return int(layer) if layer.isdigit() else layer, pooling


def choose_unit(encoder: Encoder, units: Sequence[str]) -> str:
    labels = {
        "sentences": _("sentences (pooled)"),
        "tokens": _("contextual tokens"),
        "types": noted(_("types"), type_words(encoder)),
    }
    offered = {unit: labels[unit] for unit in units}
    return choose(st.selectbox, _("Unit"), offered, key="unit", default="sentences")


def choose_pooling(
    encoder: Encoder,
    poolings: Sequence[str],
    unit: str = "sentences",
    *,
    key: str = "pooling",
    default: str = DEFAULT_POOLING,
) -> str:
    how: dict[str, Any] = {"labels": pooling_names(encoder), "disabled": unit != "sentences"}
    usual = default if default in poolings else DEFAULT_POOLING
    return choose(st.selectbox, _("Pooling"), poolings, key=key, default=usual, **how)


def choose_special(encoder: Encoder, unit: str, pooling: str) -> bool:
    names = _(", ").join(map(code, encoder.special_tokens))
    if not names:
        return True
    fixed = pooling in ("cls", "own")
    label = _("Include special tokens: {names}").format(names=names)
    is_off = unit != "sentences" or fixed
    chosen = st.toggle(label, True, key="special", bind="query-params", disabled=is_off)
    return bool(chosen) or fixed


def choose_look(
    corpus: Corpus | VectorSet, spec: CloudSpec, *, views: Sequence[str], dims: str = "2D"
) -> Look:
    view_box, size_box, colour_box = st.columns([3, 1, 2])
    names = {"mean": _("Projection"), "svd": "SVD", "pca": "PCA", "cone": _("True angles")}
    about = _(
        "Projection: the mean direction and the principal directions orthogonal to it. It makes "
        "angles smaller. True angles: each point at its length and its angle to the mean direction."
        " SVD: axes of the vectors. PCA: of those minus their mean. UMAP, t-SNE: neighbours only."
    )
    names |= {name: kind.title for name, kind in MAPS.items()}
    how: dict[str, Any] = {"default": "mean", "required": True, "labels": names, "help": about}
    view = choose(view_box.segmented_control, _("View"), views, key="view", **how)
    follow_default("dims", dims)
    sizes = ["2D"] if has_no_webgl2() else ["2D", "3D"]
    box = size_box.segmented_control
    size = choose(box, _("Dimensions"), sizes, key="dims", default=dims, required=True)
    with colour_box:
        colour = choose_colour(corpus, spec)
    return Look(view=view, n_components=int(size[0]), colour=colour)


def choose_colour(corpus: Corpus | VectorSet, spec: CloudSpec) -> str:
    colours = {
        "topic": label_name(corpus),  # the code in addresses, for labels of every kind
        "length": _("length"),
        "frequency": _("frequency in this corpus"),
    }
    if spec.unit == "vectors":
        del colours["frequency"]
    can_group = corpus.n_labels <= MOST_LABELS or corpus.labels_as_column is not None
    if spec.unit == "types" or not corpus.n_labels or not can_group:
        del colours["topic"]
    default = next(iter(colours))
    if spec.unit != "types":
        for place, column in enumerate(corpus.columns):
            colours[f"{COLUMN}{place}"] = column.name
    colours[CLUSTERS] = _("clusters")
    follow_default("colour", default)
    return choose(st.selectbox, _("Colour"), colours, key="colour", default=default)


def choose_fit_set(corpus: Corpus | VectorSet) -> str:
    """The points that treatments are fitted on: by default half of them, if there are enough."""
    others = corpus_labels()
    if isinstance(corpus, VectorSet):
        fitting = [c for c, own in own_vectors().items() if own.dimension == corpus.dimension]
        others = {c: name for c, name in own_labels(OWN_VECTORS).items() if c in fitting}
    others.pop(st.session_state.get("corpus", "topics"), None)
    labels = {
        SAME: _("these points"),
        SPLIT: _("the other half"),
        **{code: _("another corpus: {name}").format(name=name) for code, name in others.items()},
    }
    n = corpus.n_sources if isinstance(corpus, Corpus) else len(corpus)
    default = SPLIT if n >= 2 * FEWEST_POINTS else SAME
    follow_default("fit-on", default)
    about = _("“The other half”: half of the points are fitted, and the other half is shown.")
    return choose(st.selectbox, _("Fit on"), labels, key="fit-on", default=default, help=about)


def choose_weights(points: CorpusCloud) -> CorpusCloud:
    """The points of a fit, with the weights of their texts unless the reader turns these off."""
    weighted = points.weighted()
    if weighted is points:
        return points
    label = _("Weight the fit by {column}").format(column=markdown(weight_column(points)))
    about = _(
        "Mean and covariance of the fit use these weights. Measures, neighbours and pictures "
        "count every text once."
    )
    is_on = st.toggle(label, True, key="weights", bind="query-params", help=about)
    return weighted if is_on else points


def fit_words(code: str, fit: CorpusCloud) -> str:
    words = {
        SAME: _("fitted on {n} of these points"),
        SPLIT: _("fitted on {n} points of the other half"),
    }.get(code, _("fitted on {n} points of another corpus, {name}"))
    return words.format(n=f"{len(fit.cloud):,}", name=fit.corpus.name)


def points_and_fit(
    corpus: Corpus | VectorSet, spec: CloudSpec, code: str, kept_rows: np.ndarray | None = None
) -> tuple[CorpusCloud, CorpusCloud]:
    """The points shown, and all points of the fit set: SAME, SPLIT (half), or a corpus's code."""
    points = filtered(encode_corpus(corpus, spec), kept_rows)
    if code == SAME:
        return points, points
    if code == SPLIT:
        fitted, shown = points.halves()
        return shown, fitted
    return points, encode_corpus(chosen_data(code), spec)
