"""Measures that need more than vectors: positive pairs, types and sentences of tokens, word counts.

Each is as its paper reports it, minus its anisotropy baseline where it has one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..linalg.rows import UndefinedMeasure, finite_rows, refuse_missing, row_pairs
from .context import Tokens, intra_sentence_baseline
from .cosines import alignment
from .intervals import estimated
from .neighbours import chance_agreement, label_agreement, label_agreement_interval
from .table import Measured, measured
from .zipf import zipfian_table

# labels in English; pages translate them
ANNOTATED = {
    "alignment": "alignment of positive pairs",
    "self_similarity": "self-similarity of types, minus the mean cosine",
    "intra_sentence_similarity": "intra-sentence similarity, minus the mean cosine",
    "max_explainable_variance": "maximum explainable variance, minus that of random types",
    "zipfian_mean_symmetry": "mean symmetry under word counts",
    "zipfian_spectral_entropy": "spectral entropy under word counts",
    "label_agreement": "label agreement of 5 neighbours",
}


@dataclass(frozen=True, eq=False)
class Annotations:
    """What is known about n rows; None for what is not known."""

    pairs: np.ndarray | None = None  #: (m, 2) numbers of the two rows of each positive pair
    #: types, sentences: (n,) ids or words of contextual tokens; both or neither
    types: np.ndarray | None = None
    sentences: np.ndarray | None = None
    frequencies: np.ndarray | None = None  #: (n,) counts of words
    labels: Sequence[object] | None = None  #: n labels of the rows, two different ones or more
    #: (n,) ids. Where labels are compared, rows of one unit, such as the sentences of one text, are
    #: no neighbours of each other. By default the sentences of tokens.
    units: np.ndarray | None = None

    def __post_init__(self) -> None:
        if (self.types is None) != (self.sentences is None):
            raise ValueError("types and sentences belong together: give both or neither")


def annotated_table(
    X: np.ndarray, annotations: Annotations, *, seed: int = 0
) -> tuple[Measured, ...]:
    """Rows like those of ``measure_table``, for what is known about the rows of X.

    - "alignment": over the pairs; n is their number.
    - "self_similarity", "intra_sentence_similarity", "max_explainable_variance": minus their
      anisotropy baselines, so isotropic tokens have 0, 1/sqrt(m) and 0.
    - "zipfian_mean_symmetry", "zipfian_spectral_entropy".
    - "label_agreement": of the five nearest neighbours of other units, beside that of neighbours
      drawn at random among other units.

    Intervals leave out groups of pairs or of words. Those of tokens are of value - baseline, for
    other sentences, and for other types in a mean over types (``Contextual.interval``). A measure
    that the cloud does not have is a row with ``undefined``.

    Parameters
    ----------
    X : (n, d) array of float
    annotations : Annotations
    seed : int, of the groups that intervals leave out, and of simulated baselines
    """
    X = finite_rows(X, at_least=1)
    rows: list[Measured] = []
    if annotations.pairs is not None:
        left, right = X[row_pairs(annotations.pairs, len(X)).T]
        n, d = left.shape
        of = partial(estimated, alignment, left, right, low=0.0, high=4.0, seed=seed)
        # E|u - v|^2 = 2 - 2 E cos, and independent directions have E cos = 0
        rows.append(measured("alignment", n, d, of, 2.0))
    if annotations.types is not None and annotations.sentences is not None:
        rows += _contextual(X, annotations.types, annotations.sentences, seed)
    if annotations.frequencies is not None:
        rows += zipfian_table(X, annotations.frequencies, seed=seed)
    if annotations.labels is not None:
        units = annotations.sentences if annotations.units is None else annotations.units
        rows.append(_agreement(X, annotations.labels, units, seed))
    return tuple(rows)


def _agreement(
    X: np.ndarray, labels: Sequence[object], units: np.ndarray | None, seed: int
) -> Measured:
    n, d = X.shape
    chance = chance_agreement(labels, units=units)
    try:
        value = label_agreement(X, labels, units=units)
    except UndefinedMeasure as error:
        return Measured("label_agreement", None, None, None, chance, n, d, error.code)
    low, high = label_agreement_interval(X, labels, units=units, seed=seed)
    return Measured("label_agreement", value, low, high, chance, n, d)


def _contextual(
    X: np.ndarray, types: np.ndarray, sentences: np.ndarray, seed: int
) -> list[Measured]:
    n, d = X.shape
    tokens = Tokens(X)
    found = []
    for ids, what in ((types, "type"), (sentences, "sentence")):
        refuse_missing(np.asarray(ids), what)
    for name, of in {
        "self_similarity": lambda: tokens.self_similarity(types),
        "intra_sentence_similarity": lambda: tokens.intra_sentence(sentences),
        "max_explainable_variance": lambda: tokens.max_explainable(types, seed),
    }.items():
        try:
            parts = of()
        except UndefinedMeasure as error:
            found.append(Measured(name, None, None, None, None, n, d, error.code))
            continue
        is_of_sentences = name == "intra_sentence_similarity"
        low, high = parts.interval(sentences, None if is_of_sentences else types)
        isotropic = intra_sentence_baseline(sentences) if is_of_sentences else 0.0
        found.append(Measured(name, parts.difference, low, high, isotropic, n, d))
    return found
