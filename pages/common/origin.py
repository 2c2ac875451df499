"""What the numbers of a cloud were measured on, in words."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from geometry import Corpus, Encoder
from geometry.diagnosis.diagnosis import MOST_UNKNOWN
from geometry.encode import Coverage
from geometry.encode.encoder import WordEncoder
from geometry.encode.layers import resolve_layers
from geometry.hub.bundled import E5

from . import jobs
from .cache import kept
from .controls import act_button, pooling_names
from .corpus_cloud import CorpusCloud, characters_of, labels_of, takes_long
from .measures import Verdict
from .models import bundled_names, choose_model, chosen_model, current_encoder
from .uploads import is_own
from .words import _, code, paragraph


def counted(n: int, unit: str) -> str:
    """So many points of a unit: "1,224 sentences"."""
    return {
        "sentences": _("{n} sentences"),
        "tokens": _("{n} tokens"),
        "types": _("{n} types"),
        "vectors": _("{n} vectors"),
    }[unit].format(n=f"{n:,}")


def type_words(encoder: Encoder) -> str:
    return _("word vectors") if isinstance(encoder, WordEncoder) else _("input embeddings")


def model_line(encoder: Encoder) -> str:
    parts = [encoder.name]
    if encoder.revision:
        parts.append(_("commit {commit}").format(commit=encoder.revision[:7]))
    if encoder.prefix:
        # no line begins with the quotation mark
        prefix = encoder.prefix.replace(" ", "\u00a0")
        parts.append(_("prefix “{prefix}”").format(prefix=prefix))
    if encoder.is_approximate:
        parts.append(_("{dtype}: fast, approximate").format(dtype=encoder.dtype))
    return _(", ").join(parts)


def layer_words(layer: int | str, last: int) -> str:
    """One layer, or the average of a set such as "first-last", among layers 0 to ``last``."""
    layers = sorted(set(resolve_layers(layer, n_layers=last, name="")))
    words = {
        1: _("layer {layer} of {last}"),
        2: _("mean of layers {first} and {final} (of {last})"),
    }.get(len(layers), _("mean of layers {first} to {final} (of {last})"))  # one after the other
    return words.format(layer=layers[0], first=layers[0], final=layers[-1], last=last)


def origin(points: CorpusCloud, *, is_one_layer: bool = True) -> list[str]:
    cloud = points.cloud
    count = f"n = {counted(len(cloud), cloud.unit)}"
    if cloud.n_available > len(cloud):
        count = _("{count} (a sample of {n})").format(count=count, n=f"{cloud.n_available:,}")
    parts = [_("corpus {name}").format(name=points.corpus.name), count]
    if points.model is None:
        parts.append(_("vectors of a file"))
    else:
        parts.append(model_line(points.model))
        if cloud.unit == "types":
            parts.append(type_words(points.model))
        elif is_one_layer:
            parts.append(layer_words(points.spec.layer, points.model.n_layers))
    if points.n_zero:
        parts.append(_("rows of zeros, left out: {n}").format(n=f"{points.n_zero:,}"))
    if cloud.unit == "sentences":
        parts.append(
            _("pooling {name}").format(name=pooling_names(points.model)[points.spec.pooling])
        )
        if not points.spec.special_tokens:
            parts.append(_("without special tokens"))
    if points.corpus.sources is not None and points.units is not None:
        parts.append(_("sentences of one text are one unit"))
    return parts


def agreement_note(points: CorpusCloud) -> list[str]:
    if points.units is None or labels_of(points.cloud) is None:
        return []
    if points.cloud.unit == "sentences":
        return [
            _("where labels are compared, sentences of one text are no neighbours of each other")
        ]
    if points.corpus.sources is not None:
        return [_("where labels are compared, tokens of one text are no neighbours of each other")]
    return [_("where labels are compared, tokens of one sentence are no neighbours of each other")]


def weight_column(points: CorpusCloud) -> str:
    return points.corpus.weight_column or "weight"


def weight_words(points: CorpusCloud) -> list[str]:
    """A note that the fit on these points is weighted; empty if it is not."""
    if points.weights is None:
        return []
    words = _("fit weighted by {column} (effective n = {n}); measures are unweighted")
    return [words.format(column=weight_column(points), n=f"{points.effective_n:,.0f}")]


COUNTED_CHARACTERS = 100_000  # characters whose tokens are counted in less than a second
UNKNOWN_LIMIT = 0.05  # share of tokens above which a picture is not about the texts
MULTILINGUAL_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


def coverage_of(corpus: Corpus, *, private: bool = False) -> Coverage:
    what = _("Counting the tokens of {n} texts").format(n=f"{len(corpus):,}")
    is_quick = chosen_model().is_bundled and characters_of(corpus) <= COUNTED_CHARACTERS
    given = current_encoder(), corpus, private or is_own(corpus)
    how = {"at_once": is_quick, "is_long": takes_long(corpus)}
    return jobs.kept_or_made(_coverage, *given, what=what, **how)


@kept(32)
def _coverage(
    encoder: Encoder, corpus: Corpus, private: bool, report: jobs.Progress = jobs.no_report
) -> Coverage:
    return encoder.coverage(corpus.texts, progress=report)


def warn_of_coverage(coverage: Coverage) -> None:
    if coverage.truncated:
        said = _(
            "Longer than the model's limit of {max_tokens} tokens: {truncated} of {n} texts. Only "
            "their beginnings are in the picture. Split them into sentences to see the rest."
        )
        n, limit = f"{coverage.n_texts:,}", f"{coverage.max_tokens:,}"
        said = said.format(truncated=f"{coverage.truncated:,}", n=n, max_tokens=limit)
        st.warning(said, icon=":material/content_cut:")
    if coverage.unknown_share > UNKNOWN_LIMIT:
        is_unread = coverage.unknown_share > MOST_UNKNOWN
        is_foreign = bool(coverage.unknown_token) or is_unread
        # page.css makes the page's numbers grey where this container is
        with st.container(key="unread" if is_unread else "half-read"):
            st.warning(_unknown_warning(coverage, is_foreign), icon=":material/translate:")
            if is_foreign:
                _offer_e5("use-e5")


def warn_of_typed(texts: Sequence[str], *, key: str) -> bool:
    """A warning if the model does not know typed texts; True if they are too little known."""
    coverage = _coverage(current_encoder(), Corpus(key, tuple(texts)), True)
    share = coverage.unknown_share
    if share <= UNKNOWN_LIMIT:
        return False
    is_unread = share > MOST_UNKNOWN
    said = _(
        "The model does not know {share} of this text's tokens. Above {limit}, numbers say nothing "
        "about the text."
    ).format(share=f"{share:.0%}", limit=f"{MOST_UNKNOWN:.0%}")
    if is_unread:
        lacking = _("Not enough data.")
        said = paragraph([f"**{lacking}**", said])
    with st.container(key=f"{'unread' if is_unread else 'half-read'}-{key}"):
        st.warning(said, icon=":material/translate:")
        _offer_e5(f"use-e5-{key}")
    return is_unread


def _offer_e5(key: str) -> None:
    if E5 in bundled_names() and chosen_model().name != E5:
        label = _("Use {model}").format(model=bundled_names()[E5])
        act_button(label, key, "translate", choose_model, E5)


def of_known_text(
    verdict: Verdict, data: Corpus | CorpusCloud, *, private: bool = False
) -> Verdict:
    """The verdict; "not enough data" if the model does not know MOST_UNKNOWN of the tokens."""
    if isinstance(data, CorpusCloud) and data.model is None:
        return verdict
    corpus = data.corpus if isinstance(data, CorpusCloud) else data
    share = coverage_of(corpus, private=private).unknown_share
    if share <= MOST_UNKNOWN:
        return verdict
    unread = _(
        "The model does not know this text: {share} of its tokens are unknown (the limit of a "
        "verdict is {limit}). So the numbers say nothing about it."
    )
    said = unread.format(share=f"{share:.0%}", limit=f"{MOST_UNKNOWN:.0%}")
    return replace(verdict, state="unknown", measured=paragraph([said, verdict.measured]))


def coverage_line(coverage: Coverage) -> str:
    return _(
        "The model read {n} texts: {truncated} cut at {max_tokens} tokens, "
        "{unknown} of {tokens} tokens unknown ({share})."
    ).format(
        n=f"{coverage.n_texts:,}",
        truncated=f"{coverage.truncated:,}",
        max_tokens=f"{coverage.max_tokens:,}",
        unknown=f"{coverage.unknown:,}",
        tokens=f"{coverage.tokens:,}",
        share=f"{coverage.unknown_share:.1%}",
    )


def _unknown_warning(coverage: Coverage, is_foreign: bool) -> str:
    values = {
        "share": f"{coverage.unknown_share:.0%}",
        "limit": f"{UNKNOWN_LIMIT:.0%}",
        "model": bundled_names().get(E5, f"`{MULTILINGUAL_MODEL}`"),
        "token": code(coverage.unknown_token),
    }
    if not coverage.unknown_token:
        said = _(
            "Not in the model's vocabulary: {share} of the words (the limit is {limit}). They are "
            "left out, so this picture is about the rest alone."
        ).format_map(values)
        if not is_foreign:
            return said
        foreign = _(
            "Most likely the texts' language or script is not the model's. {model} was trained on "
            "many languages: choose it under “Model”."
        ).format_map(values)
        return paragraph([said, foreign])
    return _(
        "Not in the model's vocabulary: {share} of the tokens (the limit is {limit}). So this "
        "picture shows the unknown token, {token}, more than the texts. Most likely "
        "their language or script is not the model's. {model} was trained on many "
        "languages: choose it under “Model”."
    ).format_map(values)
