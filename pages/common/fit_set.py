"""The points that treatments are fitted on, on every page that shows treated clouds."""

from __future__ import annotations

import streamlit as st

from geometry import Corpus
from geometry.data import VectorSet

from .cloud_choices import FEWEST_POINTS
from .controls import choose, follow_default
from .corpus_cloud import CloudSpec, CorpusCloud, encode_corpus
from .escape import markdown
from .uploads import OWN_VECTORS, chosen_data, corpus_labels, own_labels, own_vectors
from .words import _

SAME, SPLIT = "same", "split"  # these points; the other half of them


def choose_fit_set(corpus: Corpus | VectorSet) -> str:
    """The points that treatments are fitted on: by default half of them, if there are enough.

    corpus : the data shown. Vectors can be fitted on vectors of the same dimension only.
    """
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
    return choose(
        st.selectbox,
        _("Fit on"),
        list(labels),
        key="fit-on",
        default=default,
        labels=labels,
        private=[code for code in labels if code.startswith("upload-")],
        help=_("“The other half”: half of the points are fitted, and the other half is shown."),
    )


def choose_weights(points: CorpusCloud) -> CorpusCloud:
    """The points of a fit, with the weights of their texts unless the reader turns these off."""
    weighted = points.weighted()
    if weighted is points:
        return points
    is_on = st.toggle(
        _("Weight the fit by {column}").format(column=markdown(weight_column(points))),
        key="weights",
        value=True,
        bind="query-params",
        help=_(
            "Mean and covariance of the fit use these weights. Measures, neighbours and pictures "
            "count every text once."
        ),
    )
    return weighted if is_on else points


def fit_words(code: str, fit: CorpusCloud) -> str:
    """What a treatment was fitted on."""
    words = {
        SAME: _("fitted on {n} of these points"),
        SPLIT: _("fitted on {n} points of the other half"),
    }.get(code, _("fitted on {n} points of another corpus, {name}"))
    return words.format(n=f"{len(fit.cloud):,}", name=fit.corpus.name)


def weight_column(points: CorpusCloud) -> str:
    """The column that the weights of the points were read from."""
    return points.corpus.weight_column or "weight"


def weight_words(points: CorpusCloud) -> list[str]:
    """A note that the fit on these points is weighted; empty if it is not."""
    if points.weights is None:
        return []
    words = _("fit weighted by {column} (effective n = {n}); measures are unweighted")
    return [words.format(column=weight_column(points), n=f"{points.effective_n:,.0f}")]


def points_and_fit(
    corpus: Corpus | VectorSet, spec: CloudSpec, code: str
) -> tuple[CorpusCloud, CorpusCloud]:
    """The points shown, and all points of the fit set: SAME, SPLIT (half), or a corpus's code."""
    points = encode_corpus(corpus, spec)
    if code == SAME:
        return points, points
    if code == SPLIT:
        fitted, shown = points.halves()
        return shown, fitted
    return points, encode_corpus(chosen_data(code), spec)
