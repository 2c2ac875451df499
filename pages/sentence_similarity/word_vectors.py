"""Static word vectors: the model's own and uploaded ones, averaged over the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder
from geometry.encode import ArrayStore
from geometry.encode.cloud import type_averages, type_averages_key
from geometry.encode.disk_cache import recall
from geometry.errors import GeometryError
from geometry.evaluate.bootstrap import DRAWS
from geometry.evaluate.from_words import (
    AveragedPairs,
    WordGrid,
    evaluate_averages,
)
from geometry.evaluate.grid import Cell
from geometry.vectors.word_averages import WEIGHTINGS
from pages.common import jobs
from pages.common.cache import kept
from pages.common.controls import choose
from pages.common.corpus_cloud import store
from pages.common.escape import markdown
from pages.common.messages import error_text
from pages.common.reading import WIDE, apart, read_upload
from pages.common.seed import SEED
from pages.common.table_form import upload_word_vectors
from pages.common.words import _, prose

from . import PAGE
from .choices import FitTexts, ScoringChoice
from .pairs import ScoredSet
from .vector_files import averages_of_file

UPLOADER = "vectors_file"
STATIC = "static"


@dataclass(frozen=True, eq=False)
class Static:
    """Scored averages of word vectors, raw and whitened."""

    name: str
    averages: AveragedPairs
    raw: Cell
    treated: Cell
    is_uploaded: bool

    @property
    def is_whole(self) -> bool:
        """True if every pair has a known word in both sentences."""
        return bool(self.averages.known.all())


def show_vector_form() -> None:
    """The uploader of word vectors; ``uploaded_static`` reads the file."""
    upload_word_vectors(UPLOADER)
    choose(
        st.segmented_control,
        _("Weight of each word"),
        WEIGHTINGS,
        key="weighting",
        default=WEIGHTINGS[0],
        labels=weighting_names(),
        required=True,
    )
    st.caption(prose(PAGE, "weighting"))


def weighting_names() -> dict[str, str]:
    """Weightings of words by code."""
    return {
        "mean": _("equal (mean)"),
        "sif": _("smaller for frequent words (SIF)"),
        "zipf": _("equal, after whitening by frequency (Zipf)"),
    }


def own_static(choice: ScoringChoice) -> Static:
    """The model's input vectors, averaged."""
    pairs, fit = choice.pairs, choice.fit
    what = _("Averaging the model’s input vectors")
    averages = jobs.kept_or_made(
        _own_averages, *(choice.encoder, pairs, fit), what=what, lane="measure"
    )
    name, private = _("the model’s input vectors"), pairs.private or fit.private
    return _scored(name, averages, choice, what, private=private)


@kept(6)
def _own_averages(
    encoder: Encoder, pairs: ScoredSet, fit: FitTexts, report: jobs.Progress = jobs.no_report
) -> AveragedPairs:
    return AveragedPairs(
        pairs.pairs,
        {STATIC: _type_averages(encoder, pairs.corpus, report)},
        np.ones(len(pairs), dtype=bool),
        None if fit.is_target else {STATIC: _type_averages(encoder, fit.corpus, report)},
    )


def _type_averages(encoder: Encoder, corpus: Corpus, report: jobs.Progress) -> np.ndarray:
    key = type_averages_key(encoder, corpus)

    def compute() -> dict[str, np.ndarray]:
        return {key: type_averages(encoder, corpus.texts, progress=report)}

    return recall(store(), (key,), compute)[0]


def uploaded_static(choice: ScoringChoice) -> Static | str | None:
    """The uploaded vectors, averaged, or an error message; None without a file."""
    file = st.session_state.get(UPLOADER)
    if file is None:
        return None
    weighting = st.session_state.get("weighting") or WEIGHTINGS[0]
    try:
        averages: AveragedPairs = read_upload(
            averages_of_file,
            file,
            beside={
                "pairs": choice.pairs.pairs,
                "fit_texts": None if choice.fit.is_target else choice.fit.corpus.texts,
            },
            named=ArrayStore.key(choice.pairs.content_key, choice.fit.content_key),
            weighting=weighting,
        )
        what = _("Reading {name}").format(name=markdown(file.name))
        return _scored(f"{file.name}, {weighting}", averages, choice, what, is_uploaded=True)
    except GeometryError as error:
        text = error_text(error)
        is_unknown = error.code in ("too_few_known_pairs", "too_few_known_texts")
        return f"{text} {prose(PAGE, 'known-words')}" if is_unknown else text


def _scored(
    name: str,
    averages: AveragedPairs,
    choice: ScoringChoice,
    what: str,
    *,
    is_uploaded: bool = False,
    private: bool = True,
) -> Static:
    """The scores, cached or computed as a job."""
    cells = jobs.kept_or_made(
        _cells,
        *(averages, choice.fit, choice.treatments, choice.similarity, private),
        what=what,
        lane="measure",
    )
    return Static(name, averages, cells["none"], cells[choice.whitening], is_uploaded)


@kept(256)
def _cells(
    averages: AveragedPairs,
    fit: FitTexts,
    treatments: tuple[str, ...],
    similarity: str,
    private: bool,
    report: jobs.Progress = jobs.no_report,
) -> dict[str, Cell]:
    """Raw and treated, fitted on averages of the fit set, scored on pairs with known words.

    A separate process scores wide vectors. Raises ValueError for fewer than three such pairs and
    for constant gold scores.
    """
    call = partial(
        evaluate_averages,
        averages,
        treatments=("none", *treatments),
        fit_on=None if fit.is_target else fit.name,
        similarity=similarity,
        draws=DRAWS,
        seed=SEED,
    )
    is_wide = max(X.shape[1] for X in averages.vectors.values()) > WIDE
    scored: WordGrid = apart(call, report) if is_wide else call()
    return {cell.treatment: cell for cell in scored.grid.cells}
