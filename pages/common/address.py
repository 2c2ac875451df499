"""The address (URL query): the name of every parameter, in one place.

A parameter is the key of its control, so a link restores what a reader sees. The address does not
contain uploads: of a reader's own file it has the name and a digest of its content. Links that
people have saved depend on these names.
"""

from __future__ import annotations

import re

import streamlit as st

PRESENT, CLASS, WINDOW, OWN_FILE = "present", "class", "window", "file"
PARAMETERS = {
    # every page
    "lang": "language",
    "model": "encoder: bundled, a name on the Hugging Face Hub, or a folder",
    "revision": "the model's branch, tag or commit",
    "dtype": "precision of the model",
    "prefix": "query, passage or none before each text",
    "corpus": "corpus",
    PRESENT: "1 for an audience: large words, no prose, no sidebar",
    CLASS: "code of a class",
    WINDOW: "1 for the picture with its panel alone",
    OWN_FILE: "digest and name of the reader's own file",
    "lesson": "1 for the lesson, 10 for its ten minutes, own for the teacher's own",
    "lesson-step": "number of its step, from 1",
    # pages that draw a cloud
    "unit": "sentences, tokens or types",
    "layer": "layer or set of layers",
    "pooling": "pooling of tokens",
    "special": "special tokens included",
    "view": "projection",
    "dims": "2D or 3D",
    "camera": "3D: azimuth, elevation, zoom and target",
    "colour": "what colours show",
    "point": "chosen row",
    "find": "search text",
    "where": "filters, by the places of columns and values",
    "others": "points that a filter leaves out: gone or grey",
    "clusters-on": "what clusters are found on: picture or vectors",
    "size": "place of the column that sizes the points",
    "selected": "rows that are selected, from 0",
    # two at once
    **{
        f"{side}-{name}": f"{side} of two at once: {name}"
        for side in ("first", "second")
        for name in ("model", "place", "pooling", "treatment")
    },
    # narrow_cone and whitening
    "centring": "centring s",
    "strength": "strength t",
    "weights": "fits weighted by a column of the corpus",
    # whitening and neighbours
    "fit-on": "points that treatments are fitted on",
    # neighbours and sentence_similarity
    "after": "treatment",
    # whitening and degeneration
    "chart": "whitening: chart below the table; degeneration: kind of curves",
    # narrow_cone
    "fit": "kind of whitening",
    "map-seeded": "false: UMAP without a seed, on all cores",
    "map-all": "true: a map fitted to all of many points",
    "left-table": "table on the left, static beside contextual",
    "left-layer": "its layer",
    "right-table": "table on the right",
    "right-layer": "its layer",
    # layers
    "measure": "measure of the curves",
    # word_frequency
    "words": "vectors of words",
    "counts": "where frequencies are from",
    # degeneration
    "train": "models that are trained",
    "gamma": "weight of the cosine penalty",
    "text": "text that is trained on",
    "vocabulary": "words of the vocabulary",
    "width": "dimensions",
    "rate": "learning rate",
    "steps": "steps of the training",
    "seed": "seed",
    "tied": "input and output embeddings are one matrix",
    "norm": "LayerNorm",
    "step": "recorded step of the numbers",
    "shape": "set that is drawn around the points",
    "hull": "points of the hull",
    "side": "where the hidden states of the small softmax are",
    "toy": "steps of the small softmax",
    # whitening
    "second": "treatment of the second picture",
    "third": "treatment of the third picture",
    "fourth": "treatment of the fourth picture",
    "fit-rows": "how many of them",
    "kept": "directions kept k",
    "shrink": "kind of shrinkage",
    "shrinkage": "shrinkage a",
    "removed": "directions removed D",
    # neighbours
    "nearest": "neighbours k",
    "typed": "neighbours of the typed text",
    # sentence_similarity
    "pairs": "sentence pairs",
    "source": "encoder or word vectors",
    "similarity": "similarity of two vectors",
    "weighting": "weights of word vectors",
    "stop-words": "words that averages leave out",
    "words-by": "how texts become words",
    "sts-layer": "layer of the pairs shown",
    "sts-pooling": "pooling of the pairs shown",
    "sts-fit": "sentences that the treatment is fitted on",
    "sts-dev": "pairs that choose the best cell",
    "sts-grid": "scores shown: before, after or difference",
    "pair": "chosen pair",
    "curve": "lesson: curve between similarity and score",
    "noise-unrelated": "lesson: noise, left",
    "noise-related": "lesson: noise, right",
    "ties": "lesson: ties",
    "outlier": "lesson: outlier",
    "reversed": "lesson: reversed order",
    # contrast
    "contrast-text": "sentences to train on",
    "contrast-layer": "layer under the head",
    "contrast-pooling": "pooling under the head",
    "contrast-temperature": "temperature",
    "contrast-dropout": "dropout",
    "contrast-head": "kind of head",
    "contrast-batch": "sentences in a batch",
    "contrast-rate": "learning rate",
    "contrast-steps": "steps",
    "contrast-seed": "seed",
    "contrast-centred": "mean subtracted first",
    # claims
    "claims-state": "which claims are shown: all, or those of a verdict",
    # evidence
    "evidence-cures": "which four cures are shown: main, more or fewer",
    "evidence-data": "what judges: data and task, as stsb pairs",
    "evidence-by": "cosine, dot, euclidean or rank",
    # cosine_basis
    "reading": "how coordinates are read",
    "whiten": "what is whitened",
    "circle": "points of length 1 drawn",
    "len1": "length of e1",
    "len2": "length of e2",
    "angle": "angle between e1 and e2",
    "turn": "direction of e1",
    "shift_x": "shift of the cloud",
    "shift_y": "shift of the cloud",
    **{f"{name}_{axis}": f"coordinate of {name}" for name in "abc" for axis in "xy"},
    # your_corpus
    "poolings": "other poolings compared too",
    "judge": "labels or pairs that say whether a cure helps",
    "arm": "the cure that is downloaded",
}


def is_presenting() -> bool:
    """True if the address says that the page is shown to an audience."""
    return st.query_params.get(PRESENT) == "1"


def keep_presenting(page: str) -> None:
    """Show the next page to the audience too: a link to a page has no parameters."""
    if st.session_state.get("page") not in (None, page) and st.session_state.get(PRESENT):
        put_in_url(PRESENT, "1")
    st.session_state[PRESENT] = is_presenting()


def fills_window() -> bool:
    """True if the address says that the picture is alone with its panel."""
    return st.query_params.get(WINDOW) == "1"


def number_in_url(key: str) -> int | None:
    """The whole number in the address; None for anything else, also for ² and for many digits."""
    text = st.query_params.get(key, "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def put_in_url(key: str, value: str | None) -> None:
    """Write ``?key=value`` to the URL; None removes the key.

    Raises KeyError for a name that PARAMETERS does not list.
    """
    PARAMETERS[key]
    if value is None:
        if key in st.query_params:
            del st.query_params[key]
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
