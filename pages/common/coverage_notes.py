"""Texts cut at the model's limit and unknown tokens: their numbers, and notes on them."""

from __future__ import annotations

import streamlit as st

from geometry import Corpus, Encoder
from geometry.encode import Coverage

from . import jobs
from .cache import kept
from .corpus_cloud import characters_of, takes_long
from .escape import code
from .models import chosen_model, current_encoder
from .words import _

COUNTED_CHARACTERS = 100_000  # characters whose tokens are counted in less than a second
UNKNOWN_LIMIT = 0.05  # share of tokens above which a picture is not about the texts
MULTILINGUAL_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


def coverage_of(corpus: Corpus) -> Coverage:
    """The numbers of cut texts and of unknown tokens, by the chosen encoder.

    They are counted by a job if that may take more than a second.
    """
    return jobs.kept_or_made(
        _coverage,
        *(current_encoder(), corpus),
        what=_("Counting the tokens of {n} texts").format(n=f"{len(corpus):,}"),
        at_once=chosen_model().is_bundled and characters_of(corpus) <= COUNTED_CHARACTERS,
        lane="measure",
        is_long=takes_long(corpus),
    )


@kept(32)
def _coverage(encoder: Encoder, corpus: Corpus, report: jobs.Progress = jobs.no_report) -> Coverage:
    return encoder.coverage(corpus.texts, progress=report)


def warn_of_coverage(coverage: Coverage) -> None:
    """Warnings for cut texts and for too many unknown tokens, if there are any."""
    if coverage.truncated:
        st.warning(truncation_warning(coverage), icon=":material/content_cut:")
    if coverage.unknown_share > UNKNOWN_LIMIT:
        st.warning(unknown_warning(coverage), icon=":material/translate:")


def coverage_line(coverage: Coverage) -> str:
    """The counts in one line."""
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


def truncation_warning(coverage: Coverage) -> str:
    """A warning that texts were cut: the limit and a remedy."""
    return _(
        "Longer than the model's limit of {max_tokens} tokens: {truncated} of {n} texts. Only "
        "their beginnings are in the picture. Split them into sentences to see the rest."
    ).format(
        truncated=f"{coverage.truncated:,}",
        n=f"{coverage.n_texts:,}",
        max_tokens=f"{coverage.max_tokens:,}",
    )


def unknown_warning(coverage: Coverage) -> str:
    """A warning of too many unknown tokens: the limit, the consequence, and another model."""
    values = {
        "share": f"{coverage.unknown_share:.0%}",
        "limit": f"{UNKNOWN_LIMIT:.0%}",
        "model": f"`{MULTILINGUAL_MODEL}`",
        "token": code(coverage.unknown_token),
    }
    if not coverage.unknown_token:
        return _(
            "Not in the model's vocabulary: {share} of the words (the limit is {limit}). They are "
            "left out, so this picture is about the rest alone. Most likely the texts' "
            "language or script is not the model's. {model} was trained on more than 50 "
            "languages: choose it under “Model”."
        ).format_map(values)
    return _(
        "Not in the model's vocabulary: {share} of the tokens (the limit is {limit}). So this "
        "picture shows the unknown token, {token}, more than the texts. Most likely "
        "their language or script is not the model's. {model} was trained on more than 50 "
        "languages: choose it under “Model”."
    ).format_map(values)
