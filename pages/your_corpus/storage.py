"""What fewer dimensions and fewer bits lose: a folded part that is computed when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from geometry.diagnosis import Cure, Diagnosis, Storage, storage_sentences, storage_table
from pages.common import jobs
from pages.common.cache import kept
from pages.common.folded import folded
from pages.common.seed import SEED
from pages.common.words import _, markdown, markdown_table

if TYPE_CHECKING:
    from .diagnosis import DiagnosedData

Given = Callable[["DiagnosedData"], dict[str, Any]]


def show_storage(data: DiagnosedData, diagnosis: Diagnosis, given: Given) -> Storage | None:
    """The table, and the same for the report; None while it is closed or nothing can judge."""
    if diagnosis.trial.cures[0].score is None:
        return None
    kinds = ("leave", "centre", diagnosis.trial.here.kind)
    cures = tuple(
        (cure.kind, cure.treatment) for cure in diagnosis.trial.cures if cure.kind in kinds
    )
    key = _storage.name_of(data, cures)
    with folded(_("What storage costs"), key="storage-part", icon=":material/save:") as is_open:
        if not is_open:
            return _storage.find(data, cures)
        found = _storage.find(data, cures)
        if found is None:
            beside = given(data)

            def work(report: jobs.Progress) -> Storage | None:
                return storage_table(
                    diagnosis,
                    data.vectors,
                    cures=[Cure(kind, treatment) for kind, treatment in cures],
                    seed=SEED,
                    progress=report,
                    **beside,
                )

            made = jobs.wait_for(key, work, _("Storing vectors, steps"), lane="measure")
            found = _storage.put(made, data, cures)
        if found is None:
            return None
        st.markdown(markdown(storage_sentences.summary(found, _)))
        head, rows = storage_sentences.table(found, _)
        with st.container(key="cures-storage"):
            table = [head, ["---", *["---:"] * (len(head) - 1)]]
            table += [[markdown(cell) for cell in row] for row in rows]
            st.markdown(markdown_table(table))
        st.caption(markdown(storage_sentences.basis(found, _)))
        return found


@kept(4)
def _storage(data: DiagnosedData, cures: tuple[tuple[str, str], ...]) -> Storage | None:
    """The place of the answer, which ``show_storage`` computes in a job."""
    raise NotImplementedError
