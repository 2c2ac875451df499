"""Static word vectors averaged over the pairs: the model's own, and a reader's uploaded ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, VectorFileError, read_vectors
from geometry.encode import ArrayStore
from geometry.evaluate.cells import Cell
from geometry.evaluate.from_words import AveragedPairs, average_pairs, evaluate_averages
from geometry.evaluate.type_average import type_averages
from geometry.vectors import rank_counts
from geometry.vectors.word_averages import WEIGHTINGS
from pages.common import cached, jobs
from pages.common.cached import SEED
from pages.common.controls import choose
from pages.common.messages.corpus_errors import MEGABYTE
from pages.common.messages.data_errors import vector_error_text
from pages.common.table_form import label_uploader
from pages.common.words import Translate, prose

from .scene import DRAWS, Asked

PAGE = "sentence_similarity"
UPLOADER = "vectors_file"
MOST_MEGABYTES = 200
MOST_TABLE = 500 * MEGABYTE  # in memory
STATIC = "static"


@dataclass(frozen=True, eq=False)
class Static:
    """Scored averages.   name : what of.   cells : raw and treated, by the treatment's text."""

    name: str
    averages: AveragedPairs
    cells: dict[str, Cell]

    @property
    def raw(self) -> Cell:
        return self.cells["none"]

    @property
    def is_whole(self) -> bool:
        """True where every pair has words on both sides, so that all scores are of the same."""
        return bool(self.averages.known.all())


def show_static_form(_: Translate) -> None:
    """The uploader; its file is read where the bars are drawn."""
    label = _(
        "Word vectors (GloVe’s, word2vec’s or fastText’s text, word2vec’s binary, .npz, "
        ".safetensors; also gzipped), at most {megabytes} MB"
    )
    st.file_uploader(
        label.format(megabytes=f"{MOST_MEGABYTES}"), key=UPLOADER, max_upload_size=MOST_MEGABYTES
    )
    label_uploader(UPLOADER, MOST_MEGABYTES * MEGABYTE, _)
    choose(
        st.segmented_control,
        _("Each word weighs"),
        WEIGHTINGS,
        key="weighting",
        default=WEIGHTINGS[0],
        labels=weighting_names(_),
        required=True,
    )
    st.caption(prose(PAGE, "weighting"))


def weighting_names(_: Translate) -> dict[str, str]:
    """What each weighting of words is called."""
    return {
        "mean": _("the same (mean)"),
        "sif": _("less, the more frequent it is (SIF)"),
        "zipf": _("the same, once whitened by frequency (Zipf)"),
    }


def own_static(asked: Asked, _: Translate) -> Static:
    """The model's input vectors, averaged."""
    name = _("the model’s own input vectors")

    def read() -> AveragedPairs:
        pairs, fit = asked.pairs, asked.fit
        return AveragedPairs(
            pairs.pairs,
            {STATIC: _type_averages(asked, pairs.corpus)},
            np.ones(len(pairs), dtype=bool),
            None if fit.is_target else {STATIC: _type_averages(asked, fit.corpus)},
        )

    what = _("Averaging the model’s input vectors")
    return _scored(asked, f"{asked.encoder.fingerprint}/own", name, what, read, _)


def _type_averages(asked: Asked, corpus: Corpus) -> np.ndarray:
    key = ArrayStore.key(asked.encoder.fingerprint, corpus.sha256, "type averages")
    found = cached.store().read(key)
    if found is None:
        found = type_averages(asked.encoder, corpus.texts)
        cached.store().write(key, found)
    return found


def uploaded_static(asked: Asked, _: Translate) -> Static | None:
    """The uploaded vectors, averaged; None without a file, or after saying what is wrong."""
    file = st.session_state.get(UPLOADER)
    if file is None:
        return None
    weighting = st.session_state.get("weighting") or WEIGHTINGS[0]

    def read() -> AveragedPairs:
        return uploaded_averages(file.getvalue(), file.name, asked, weighting)

    what = _("Reading {name}").format(name=file.name)
    name = f"{file.name}, {weighting}"
    try:
        return _scored(asked, f"{file.file_id}/{weighting}", name, what, read, _)
    except VectorFileError as error:
        st.error(vector_error_text(error, _))
    except ValueError:
        st.error(prose(PAGE, "vectors-unfit"))
    return None


def _scored(
    asked: Asked,
    source: str,
    name: str,
    what: str,
    read: Callable[[], AveragedPairs],
    _: Translate,
) -> Static:
    """Averages and scores of that source, each kept for this session, else made as one job.

    The name is not kept: it is in the reader's language, which may change.
    """
    averages_at = ArrayStore.key(source, asked.pairs.key, asked.fit.corpus.sha256)
    cells_at = ArrayStore.key(averages_at, asked.key, asked.treatments)
    kept, averaged = _kept(cells_at), _kept(averages_at)
    if "cells" not in kept:

        def work(report: jobs.Report) -> dict[str, Cell]:
            report(0, 1)
            if "averages" not in averaged:
                averaged["averages"] = read()
            return scored_averages(averaged["averages"], asked)

        kept["cells"] = jobs.wait_for(f"static-{cells_at}", work, _, what, lane="measure")
        kept["averages"] = averaged["averages"]
    return Static(name, kept["averages"], kept["cells"])


@st.cache_resource(max_entries=12, show_spinner=False, scope="session")
def _kept(key: str) -> dict[str, Any]:
    """Where the answer of that key is kept: a job's thread belongs to no session."""
    return {}


def uploaded_averages(content: bytes, name: str, asked: Asked, weighting: str) -> AveragedPairs:
    """Averages of the words that the file has.

    The whole file is read: a word may stand there in any case, and frequencies are guessed from
    the order. Raises VectorFileError for a file without vectors.
    """
    table = read_vectors(content, name=name, max_bytes=MOST_TABLE)
    return average_pairs(
        table,
        asked.pairs.pairs,
        weightings=weighting,
        counts=None if weighting == "mean" else rank_counts(table),
        fit_texts=None if asked.fit.is_target else asked.fit.corpus.texts,
    )


def scored_averages(found: AveragedPairs, asked: Asked) -> dict[str, Cell]:
    """Raw and treated, fitted on the fit set's averages, scored on the pairs that are known.

    Raises ValueError where fewer than three are, or their scores order nothing.
    """
    scored = evaluate_averages(
        found,
        treatments=("none", *asked.treatments),
        fit_on=None if asked.fit.is_target else asked.fit.name,
        similarity=asked.similarity,
        draws=DRAWS,
        seed=SEED,
    )
    return {cell.treatment: cell for cell in scored.grid.cells}
