"""The choices of the sentence-similarity page, and their words."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from geometry import Corpus, Encoder
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.similarities import SIMILARITIES
from geometry.evaluate.specs import LADDER, TreatmentSpec, parse_treatment
from geometry.transform import recommended_whitening
from geometry.transform.treatments import WHITENINGS
from pages.common.controls import choose, layer_labels
from pages.common.uploads import chosen_corpus, corpus_labels
from pages.common.words import Translate, prose

from .pairs import ScoredSet, is_private, pair_labels, pair_set

SAME = "same"
AUTO = "recommended"
PAGE = "sentence_similarity"
LONGEST = 60  # characters of a wrong text that are shown
# a large fit set leaves sums of its rows only, and no Mahalanobis distance follows it
NEEDS_ROWS = ("clusterwise",)
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
    typed = st.session_state.get("after") or st.query_params.get("after")
    told = _("recommended for this n/d: {name}").format(name=treatment_words(advised, _))
    code = choose(
        st.selectbox,
        _("After: treated by"),
        list(dict.fromkeys([AUTO, *labels, *([typed] if typed else [])])),
        key="after",
        default=AUTO,
        labels={AUTO: told, **labels},
        accept_new_options=True,
        help=_("Choose one, or type any other, such as pca:64 or abtt:5."),
    )
    if code.strip() in (AUTO, ""):
        return advised
    try:
        spec = parse_treatment(code)
    except ValueError:
        spec = None
    if spec is None or not spec.is_fitted or spec.name in NEEDS_ROWS:
        shown = " ".join(code.split())[:LONGEST].replace("`", "'")
        st.warning(prose(PAGE, "other-treatment", {"text": shown}))
        return advised
    return spec.text


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
    if spec.name in ("removed", "svd", "clusterwise"):
        return _removal_words(spec, _)
    knobs = spec.knobs
    parts = [_("whitened")]
    if knobs.n_components is not None:
        parts.append(f"k = {knobs.n_components}")
    elif knobs.shrinkage is None:
        parts = [_("whitened in full")]
    if knobs.shrinkage is not None:
        share = _("shrinkage {share}").format(share=knobs.shrinkage)
        parts.append(_("Ledoit-Wolf") if isinstance(knobs.shrinkage, str) else share)
    if spec.name != "pca":  # the cosines of pca are those of zca, not of the others
        parts.append(spec.name)
    return _(", ").join(parts)


def _removal_words(spec: TreatmentSpec, _: Translate) -> str:
    if spec.name == "clusterwise":
        return _("top directions removed in each cluster")
    k = "d/100" if spec.knobs.n_removed is None else spec.knobs.n_removed
    if spec.name == "svd":
        return _("top {k} singular directions removed, nothing centred").format(k=k)
    return _("top {k} directions removed").format(k=k)


def is_whitening(code: str) -> bool:
    """True for a treatment that divides by what it estimated; centring and removal do not."""
    return parse_treatment(code).name in WHITENINGS


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
