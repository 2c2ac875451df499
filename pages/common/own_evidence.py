"""Pairs and queries that a reader brought for their own vectors."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from geometry import Pairs
from geometry.data import JudgedQueries, RowPairs, VectorSet

from .words import _

EVIDENCE = "evidence"  # in the session, by its code


@dataclass(frozen=True, eq=False)
class Evidence:
    """Pairs or queries, matched with vectors of that digest."""

    name: str
    sha256: str
    found: RowPairs | JudgedQueries
    content_key: str
    sides: np.ndarray | None = None  # vectors of the pairs' sides, where they are no rows

    def __len__(self) -> int:
        return len(self.found)

    @property
    def queries(self) -> JudgedQueries | None:
        return self.found if isinstance(self.found, JudgedQueries) else None

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """The pairs as ``diagnose`` takes them; None for queries."""
        if isinstance(self.found, JudgedQueries):
            return None
        left, right, gold = self.found.left, self.found.right, self.found.gold_scores
        if self.sides is None:
            return left, right, gold
        return self.sides[left], self.sides[right], gold


def evidence_of(own: VectorSet) -> dict[str, Evidence]:
    found: dict[str, Evidence] = st.session_state.get(EVIDENCE, {})
    return {code: each for code, each in found.items() if each.sha256 == own.sha256}


def evidence_label(given: Pairs | Evidence) -> str:
    if isinstance(given, Pairs):
        words = _("pairs: {name}")
    else:
        words = _("pairs of rows: {name}") if given.queries is None else _("queries: {name}")
    return words.format(name=given.name)
