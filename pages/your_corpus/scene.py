"""What the page shows in one run: a reader's own data, their cloud and its picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from geometry import Corpus, Pairs
from geometry.data import VectorSet
from geometry.measure import Measured, measure_table
from geometry.projection import Projection
from pages.common.cloud_choices import choose_layer, choose_pooling
from pages.common.corpus_cloud import MOST_DRAWN, OF_VECTORS, CloudSpec, CorpusCloud, encode_corpus
from pages.common.draw.twin_cloud import has_no_webgl2
from pages.common.models import chosen_model, current_encoder
from pages.common.seed import SEED
from pages.common.uploads import OWN_PAIRS

VIEW, COMPONENTS = "mean", 2
PLOTLY_POINTS = 3000  # points that Plotly draws at most, a sample of a larger cloud


@dataclass(frozen=True, eq=False)
class Scene:
    """A reader's own data, encoded.

    Attributes
    ----------
    own : Corpus or VectorSet
    pairs : Pairs or None
        The pairs whose sentences ``own`` are.
    points : CorpusCloud
        The vectors; of many texts a sample.
    drawn : CorpusCloud
        The points of the picture. Plotly draws a sample of ``points``.
    picture : Projection or None
        None if there are too few points for a picture.
    mean_cosine : Measured
        Of ``points``, with its interval.
    is_bundled_model : bool
        True if the texts are encoded by the bundled encoder.
    own_pairs : mapping of str to Pairs
        The reader's own sets of pairs, which may say whether a cure helps.
    """

    own: Corpus | VectorSet
    pairs: Pairs | None
    points: CorpusCloud
    drawn: CorpusCloud
    picture: Projection | None
    mean_cosine: Measured
    is_bundled_model: bool
    own_pairs: Mapping[str, Pairs]


def make_scene(own: Corpus | VectorSet, pairs: Pairs | None) -> Scene:
    """The data encoded at the chosen place and projected, as jobs with progress and cancel."""
    spec = OF_VECTORS if isinstance(own, VectorSet) else _choose_place()
    points = encode_corpus(own, spec)
    drawn = points.sample(PLOTLY_POINTS) if has_no_webgl2() else points
    is_enough = len(drawn.cloud) > COMPONENTS
    [cosine] = measure_table(points.vectors, names=("mean_cosine",), seed=SEED, units=points.units)
    return Scene(
        own,
        pairs,
        points,
        drawn,
        picture=drawn.project_in_job(VIEW, COMPONENTS) if is_enough else None,
        mean_cosine=cosine,
        is_bundled_model=points.model is not None and chosen_model().is_bundled,
        own_pairs=st.session_state.get(OWN_PAIRS, {}),
    )


def _choose_place() -> CloudSpec:
    """The layer and the pooling of the picture and of the diagnosis."""
    encoder = current_encoder()
    layer_box, pooling_box = st.columns(2)
    with pooling_box:
        pooling = choose_pooling(encoder.poolings, "sentences")
    with layer_box:
        layer = choose_layer(encoder, "sentences", disabled=pooling == "own")
    if pooling == "own":
        layer = str(encoder.n_layers)
    return CloudSpec(
        unit="sentences",
        layer=int(layer) if layer.isdigit() else layer,
        pooling=pooling,
        max_points=MOST_DRAWN,
    )
