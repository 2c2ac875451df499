"""Calls of the library whose answers are cached: what is left until its users keep their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from geometry import Cloud, Corpus, Projection
from geometry.encode import ArrayStore

from .cache import Cache
from .corpus_cloud import SEED as SEED
from .corpus_cloud import CloudSpec as CloudSpec
from .corpus_cloud import coverage_of as coverage
from .corpus_cloud import encode_corpus
from .corpus_cloud import store as store
from .models import current_encoder as encoder
from .words import Translate

__all__ = ["SEED", "CloudSpec", "coverage", "encoder", "store"]

_PROJECTIONS: Cache[Projection] = Cache("old-projections", max_entries=8)
_VALUES: Cache[Any] = Cache("old-values", max_entries=64)
_MEASURES: Cache[Any] = Cache("old-measures", max_entries=128)
lab_value = _VALUES.get_or_make
measures_if_ready = _MEASURES.get
keep_measures = _MEASURES.put


def cloud(corpus: Corpus, spec: CloudSpec, _: Translate) -> Cloud:
    """The cloud of a corpus."""
    return encode_corpus(corpus, spec, _).cloud


def cloud_key(corpus: Corpus, spec: CloudSpec) -> str:
    """What the cloud and its numbers depend on."""
    return ArrayStore.key(encoder().fingerprint, corpus.sha256, corpus.labels, spec)


def projection(key: str, method: str, n_components: int, X: np.ndarray) -> Projection:
    """A linear projection of the vectors named by ``key``."""
    from geometry import project

    return _PROJECTIONS.get_or_make(
        f"{key}/{method}/{n_components}", lambda: project(X, method, n_components)
    )
