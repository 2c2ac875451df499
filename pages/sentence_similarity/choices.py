"""The choices of the page: pairs, fit set, treatment, layer, pooling and similarity."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, Encoder
from geometry.encode import ArrayStore
from geometry.evaluate.bootstrap import DRAWS
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.similarities import SIMILARITIES
from geometry.evaluate.specs import parse_treatment
from geometry.transform.treatments import TREATMENTS, usual_whitening
from pages.common.controls import choose, layer_labels, pooling_names
from pages.common.escape import markdown
from pages.common.models import current_encoder, model_line
from pages.common.seed import SEED
from pages.common.treatment_names import choose_treatment, treatment_words
from pages.common.uploads import chosen_corpus, corpus_labels
from pages.common.words import _, prose

from . import PAGE
from .pairs import (
    BUNDLED,
    ScoredSet,
    choose_pairs,
    is_private,
    pair_labels,
    pair_set,
)
from .words import similarity_names

SAME = "same"
OTHER_PAIRS = "pairs-"  # prefix of the code of a set of pairs


@dataclass(frozen=True)
class FitTexts:
    """The sentences that treatments are fitted on: code, texts, name."""

    code: str
    corpus: Corpus
    name: str

    @property
    def is_target(self) -> bool:
        """True if treatments are fitted on the scored sentences."""
        return self.code == SAME

    @property
    def content_key(self) -> str:
        """Names the sentences; the cells of a grid also have the name of another set."""
        return SAME if self.is_target else ArrayStore.key(self.corpus.sha256, self.name)

    @property
    def private(self) -> bool:
        """True for a set that was uploaded in this session."""
        return is_private(self.code.removeprefix(OTHER_PAIRS))


@dataclass(frozen=True)
class ScoringChoice:
    """All choices of one run.

    after : the treatment, a text for ``parse_treatment``.
    """

    pairs: ScoredSet
    fit: FitTexts
    after: str
    layer: int
    pooling: str
    similarity: str
    encoder: Encoder

    @property
    def whitening(self) -> str:
        """The treatment if it is a whitening, else the recommended one.

        The claim is about whitening, so one of its bars is always a whitening.
        """
        if TREATMENTS[parse_treatment(self.after).name].is_whitening:
            return self.after
        return usual_whitening(len(self.fit.corpus), self.encoder.dimension)

    @property
    def treatments(self) -> tuple[str, ...]:
        """The treatment, and the whitening if it is another."""
        return tuple(dict.fromkeys((self.after, self.whitening)))

    @property
    def treatments_shown(self) -> tuple[str, str]:
        """Before and after: none, and the treatment."""
        return ("none", self.after)


def make_choice(*, more: DeltaGenerator, notes: DeltaGenerator) -> ScoringChoice:
    """Draw the controls; returns the choices.

    Parameters
    ----------
    more : DeltaGenerator
        Where the similarity is chosen.
    notes : DeltaGenerator
        For the form of uploaded pairs and for warnings.
    """
    encoder = current_encoder()
    with st.container(key="pair-controls"):
        pairs = choose_pairs()
        fit = choose_fit(pairs)
        layer, pooling = choose_cell(encoder)
        n, d = len(fit.corpus), encoder.dimension
        # of a large fit set only sums are stored
        after = choose_treatment(PAGE, n, d, notes=notes, of_moments=True)
    with more:
        similarity = choose_similarity()
        if similarity == "mahalanobis":
            st.caption(prose(PAGE, "mahalanobis", {"fit": markdown(fit.name)}))
    return ScoringChoice(pairs, fit, after, layer, pooling, similarity, encoder)


def choose_fit(pairs: ScoredSet) -> FitTexts:
    """Choose the evaluation sentences, another set of pairs, or a corpus."""
    corpora = {
        code: name
        for code, name in corpus_labels().items()
        if chosen_corpus(code).sha256 != pairs.corpus.sha256
    }
    others = {
        f"{OTHER_PAIRS}{code}": _("other pairs: {name}").format(name=name)
        for code, name in pair_labels().items()
        # the sentences of the default pairs are one of the corpora
        if code not in (pairs.code, BUNDLED)
    }
    own = _("the evaluation sentences ({n})").format(n=f"{len(pairs.corpus):,}")
    labels = {SAME: own, **corpora, **others}
    code = choose(
        st.selectbox,
        _("Fit on"),
        list(labels),
        key="sts-fit",
        default=SAME,
        labels=labels,
        private=[code for code in labels if is_private(code.removeprefix(OTHER_PAIRS))],
    )
    if code == SAME:
        return FitTexts(code, pairs.corpus, _("the evaluation sentences"))
    if code.startswith(OTHER_PAIRS):
        other = pair_set(code.removeprefix(OTHER_PAIRS)).corpus
    else:
        other = chosen_corpus(code)
    first = {text: row for row, text in reversed([*enumerate(other.texts)])}
    distinct = other.take(sorted(first.values()))
    return FitTexts(code, distinct, distinct.name)


def choose_cell(encoder: Encoder) -> tuple[int, str]:
    """Choose the layer and the pooling."""
    last = encoder.n_layers
    layer = choose(
        st.selectbox,
        _("Layer"),
        [str(i) for i in range(last + 1)],
        key="sts-layer",
        default=str(max(0, last - 1)),
        labels=layer_labels(last),
    )
    pooling = choose(
        st.selectbox,
        _("Pooling"),
        POOLINGS_SHOWN,
        key="sts-pooling",
        default="cls" if encoder.special_tokens else "mean",  # where the sources' claim holds
        labels=pooling_names(),
    )
    return int(layer), pooling


def choose_similarity() -> str:
    """Choose the similarity of two vectors."""
    similarity = choose(
        st.selectbox,
        _("Similarity"),
        SIMILARITIES,
        key="similarity",
        default=SIMILARITIES[0],
        labels=similarity_names(),
    )
    st.caption(prose(PAGE, "similarity"))
    return similarity


def measured_on(choice: ScoringChoice) -> str:
    """Number of pairs, pairs, model, resamples, seed: the line below every panel."""
    parts = [
        _("n = {n} pairs, {name}").format(n=f"{len(choice.pairs):,}", name=choice.pairs.name()),
        model_line(choice.encoder),
        score_title(choice),
        _("95% intervals from {n} resamples of the pairs").format(n=f"{DRAWS:,}"),
        _("seed {seed}").format(seed=SEED),
    ]
    if choice.pairs.subsets:
        parts.insert(1, _("all subsets as one set (all)"))
    if choice.similarity == "mahalanobis":
        parts.insert(-2, _("covariance of {name}").format(name=choice.fit.name))
    return " · ".join(parts)


def score_title(choice: ScoringChoice) -> str:
    """The title of an axis of scores."""
    return _("Spearman × 100 on {similarity}").format(
        similarity=similarity_names()[choice.similarity]
    )


def fitted_on(choice: ScoringChoice) -> str:
    """The treatment and its fit set."""
    n, d = len(choice.fit.corpus), choice.encoder.dimension
    return _("{treatment}, fitted on {name} ({n} sentences, n/d = {ratio})").format(
        treatment=treatment_words(choice.after),
        name=choice.fit.name,
        n=f"{n:,}",
        ratio=f"{n / d:.2f}",
    )
