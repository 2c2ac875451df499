"""Static word vectors: the model's own and uploaded ones, averaged over the pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from geometry import Corpus
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
from pages.common.cache import Cache
from pages.common.controls import choose
from pages.common.corpus_cloud import store
from pages.common.escape import markdown
from pages.common.limit_notes import upload_limits
from pages.common.messages import error_text
from pages.common.reading import WIDE, apart, takes_long
from pages.common.seed import SEED
from pages.common.table_form import upload_word_vectors
from pages.common.words import _, prose

from . import PAGE
from .choices import ScoringChoice
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


_AVERAGES: Cache[AveragedPairs] = Cache("averages of word vectors", max_entries=6)
_CELLS: Cache[dict[str, Cell]] = Cache("scores of word vectors", max_entries=256)


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
    name = _("the model’s input vectors")

    def read(report: jobs.Progress) -> AveragedPairs:
        pairs, fit = choice.pairs, choice.fit
        return AveragedPairs(
            pairs.pairs,
            {STATIC: _type_averages(choice, pairs.corpus, report)},
            np.ones(len(pairs), dtype=bool),
            None if fit.is_target else {STATIC: _type_averages(choice, fit.corpus, report)},
        )

    what = _("Averaging the model’s input vectors")
    return _scored(choice, f"{choice.encoder.fingerprint}/own", name, what, read, lane="measure")


def _type_averages(choice: ScoringChoice, corpus: Corpus, report: jobs.Progress) -> np.ndarray:
    key = type_averages_key(choice.encoder, corpus)

    def compute() -> dict[str, np.ndarray]:
        return {key: type_averages(choice.encoder, corpus.texts, progress=report)}

    return recall(store(), (key,), compute)[0]


def uploaded_static(choice: ScoringChoice) -> Static | str | None:
    """The uploaded vectors, averaged, or an error message; None without a file."""
    file = st.session_state.get(UPLOADER)
    if file is None:
        return None
    weighting = st.session_state.get("weighting") or WEIGHTINGS[0]
    limits = upload_limits()

    def read(report: jobs.Progress) -> AveragedPairs:
        call = partial(
            averages_of_file,
            file.getvalue(),
            choice.pairs.pairs,
            name=file.name,
            limits=limits,
            weighting=weighting,
            fit_texts=None if choice.fit.is_target else choice.fit.corpus.texts,
        )
        return apart(call, report)

    what = _("Reading {name}").format(name=markdown(file.name))
    name = f"{file.name}, {weighting}"
    is_long = takes_long(file.getvalue())
    source = f"{file.file_id}/{weighting}"
    try:
        return _scored(choice, source, name, what, read, lane="read", is_long=is_long)
    except GeometryError as error:
        text = error_text(error)
        is_unknown = error.code in ("too_few_known_pairs", "too_few_known_texts")
        return f"{text} {prose(PAGE, 'known-words')}" if is_unknown else text


def _scored(
    choice: ScoringChoice,
    source: str,
    name: str,
    what: str,
    read: Callable[[jobs.Progress], AveragedPairs],
    *,
    lane: str,
    is_long: bool = False,
) -> Static:
    """Averages and scores of that source, cached or computed as two jobs.

    Results of an uploaded file are cached for this session only. The name is not cached, because
    it depends on the language.
    """
    private = lane == "read" or choice.is_private
    averages_key = ArrayStore.key(source, choice.pairs.key, choice.fit.corpus.sha256)
    cells_key = ArrayStore.key(averages_key, choice.key, choice.treatments)
    averages = jobs.cached(
        _AVERAGES, averages_key, read, what, private=private, lane=lane, is_long=is_long
    )
    cells = jobs.cached(
        _CELLS,
        cells_key,
        lambda report: scored_averages(averages, choice, report),
        what,
        private=private,
        lane="measure",
    )
    return Static(name, averages, cells["none"], cells[choice.whitening], lane == "read")


def scored_averages(
    averages: AveragedPairs, choice: ScoringChoice, report: jobs.Progress
) -> dict[str, Cell]:
    """Raw and treated, fitted on averages of the fit set, scored on pairs with known words.

    A separate process scores wide vectors. Raises ValueError for fewer than three such pairs and
    for constant gold scores.

    Parameters
    ----------
    averages : AveragedPairs
    choice : ScoringChoice
    report : callable
        As in ``process.run``.
    """
    is_wide = max(X.shape[1] for X in averages.vectors.values()) > WIDE
    call = partial(
        evaluate_averages,
        averages,
        treatments=("none", *choice.treatments),
        fit_on=None if choice.fit.is_target else choice.fit.name,
        similarity=choice.similarity,
        draws=DRAWS,
        seed=SEED,
    )
    scored: WordGrid = apart(call, report) if is_wide else call()
    return {cell.treatment: cell for cell in scored.grid.cells}
