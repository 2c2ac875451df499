"""The choices of the sentence-similarity page, and their words."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from geometry import Corpus, Encoder, recommended_whitening
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.similarities import SIMILARITIES
from geometry.evaluate.specs import LADDER, parse_treatment
from geometry.treatments import EIGEN

from .controls import choose, layer_labels
from .sts_pairs import ScoredSet, is_private, pair_labels, pair_set
from .uploads import chosen_corpus, corpus_labels
from .words import Translate

SAME = "same"
AUTO = "recommended"
SHRUNK = ("pca:lw", "pca:128:lw")
OTHER_PAIRS = "pairs-"  # before the code of a set of pairs


@dataclass(frozen=True)
class FitChoice:
    """What treatments are fitted on: its code, its sentences, its name in words."""

    code: str
    corpus: Corpus
    name: str

    @property
    def is_target(self) -> bool:
        """True where the sentences of the fit are those that are scored."""
        return self.code == SAME


def choose_fit(pairs: ScoredSet, _: Translate) -> FitChoice:
    """The evaluation sentences themselves, another set of pairs, or a corpus."""
    corpora = {
        code: name
        for code, name in corpus_labels(_).items()
        if chosen_corpus(code).sha256 != pairs.corpus.sha256
    }
    others = {
        f"{OTHER_PAIRS}{code}": _("other pairs: {name}").format(name=name)
        for code, name in pair_labels(_).items()
        # the bundled pairs are among the corpora
        if code not in (pairs.code, "bundled")
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
        return FitChoice(code, pairs.corpus, _("the evaluation sentences"))
    if code.startswith(OTHER_PAIRS):
        other = pair_set(code.removeprefix(OTHER_PAIRS), _).corpus
    else:
        other = chosen_corpus(code)
    once = Corpus(other.name, tuple(dict.fromkeys(other.texts)))  # a repeated text says no more
    return FitChoice(code, once, once.name)


def choose_after(fit: FitChoice, d: int, _: Translate) -> str:
    """The treatment of "after", as a text for ``parse_treatment``."""
    advised = advised_whitening(len(fit.corpus), d)
    labels = {code: treatment_words(code, _) for code in (*LADDER[1:], *SHRUNK)}
    told = _("recommended for this n/d: {name}").format(name=treatment_words(advised, _))
    code = choose(
        st.selectbox,
        _("After: treated by"),
        [AUTO, *labels],
        key="after",
        default=AUTO,
        labels={AUTO: told, **labels},
    )
    return advised if code == AUTO else code


def advised_whitening(n: int, d: int) -> str:
    """The whitening that pages default to for n rows in d dimensions."""
    settings = recommended_whitening(n, d)
    kept = settings.get("n_components")
    shrinks = "shrinkage" in settings
    return "pca" + (f":{kept}" if kept else "") + (":lw" if shrinks else "")


def treatment_words(code: str, _: Translate) -> str:
    """What a treatment is called."""
    spec = parse_treatment(code)
    plain = {
        "raw": _("Raw"),
        "centred": _("Centred"),
        "standardised": _("Standardised"),
    }
    if spec.name in plain:
        return plain[spec.name]
    if spec.name == "removed":
        return _("top {k} directions removed").format(k=spec.knobs.n_removed)
    parts = [_("whitened")]
    if spec.knobs.n_components is not None:
        parts.append(f"k = {spec.knobs.n_components}")
    elif spec.knobs.shrinkage is None:
        parts = [_("whitened in full")]
    if spec.knobs.shrinkage is not None:
        parts.append(_("Ledoit-Wolf"))
    return _(", ").join(parts)


def is_whitening(code: str) -> bool:
    """True for a treatment that divides by what it estimated; centring and removal do not."""
    return parse_treatment(code).name in (*EIGEN, "cholesky")


def choose_cell(encoder: Encoder, _: Translate) -> tuple[int, str, str]:
    """Layer and pooling of what is shown for one cell only, and the similarity of all."""
    last = encoder.n_layers
    left, middle, right = st.columns(3)
    with left:
        layer = choose(
            st.selectbox,
            _("Layer"),
            [str(i) for i in range(last + 1)],
            key="sts-layer",
            default=str(max(0, last - 1)),
            labels=layer_labels(last, _),
        )
    with middle:
        pooling = choose(
            st.selectbox, _("Pooling"), POOLINGS_SHOWN, key="sts-pooling", default="mean"
        )
    with right:
        similarity = choose(
            st.selectbox,
            _("Similarity"),
            SIMILARITIES,
            key="similarity",
            default=SIMILARITIES[0],
            labels=similarity_names(_),
        )
    return int(layer), pooling, similarity


def similarity_names(_: Translate) -> dict[str, str]:
    """What each similarity is called beside a number."""
    return {
        "cosine": _("cosine"),
        "dot": _("dot product"),
        "euclidean": _("Euclidean distance"),
        "mahalanobis": _("Mahalanobis distance"),
        "rank": _("rank correlation of coordinates"),
    }
