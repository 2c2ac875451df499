"""Every measure at every layer, from the cache or by one job with progress and Cancel."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from geometry import UndefinedMeasure
from geometry.measure import Annotations, annotated_table, cosine_parts, measure_table
from geometry.transform import fit_treatment
from geometry.transform.treatments import Knobs
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.measures import DIMENSION_SHARES
from pages.common.seed import SEED
from pages.common.words import _

from .film import Table
from .series import Series

MEASURES = (
    "mean_cosine",
    "positive_cosine_share",
    "opening_angle",
    "isoscore",
    "effective_rank",
    "mean_norm_share",
)
CONTEXTUAL = ("self_similarity", "intra_sentence_similarity", "max_explainable_variance")
THREADS = 2  # tables that are measured at a time

Sweep = dict[str, tuple[Table, ...]]  # by the series' name, a table for each layer


def sweep(series: Sequence[Series], *, contextual: bool = False) -> Sweep:
    """The tables of every layer of every series.

    Parameters
    ----------
    series : sequence of Series
    contextual : bool
        True for the measures that compare a token with its type and its sentence. They take
        longer, so they have a separate job. The series must be that of the tokens.
    """
    tables = iter(
        jobs.all_kept_or_made(
            _contextual_table if contextual else _table,
            [(points,) for each in series for points in each.layers],
            what=_("Measuring clouds: {n}"),
            threads=THREADS,
            lane="measure",
            is_long=True,
        )
    )
    return {each.name: tuple(islice(tables, len(each.layers))) for each in series}


@kept(2048)  # a model of 24 layers has a hundred tables of a corpus
def _table(points: CorpusCloud) -> Table:
    names = (*MEASURES, *DIMENSION_SHARES)
    table = measure_table(points.vectors, names=names, seed=SEED, units=points.units)
    return {row.name: row for row in table}


@kept(512)
def _contextual_table(points: CorpusCloud) -> Table:
    sentences = points.cloud.sources
    annotations = Annotations(types=np.array(points.cloud.texts), sentences=sentences)
    return {row.name: row for row in annotated_table(points.vectors, annotations, seed=SEED)}


@kept(512)
def parts_of(points: CorpusCloud, treatment: str) -> np.ndarray:
    """(d,) each dimension's part of the mean cosine; NaN without one, such as for equal rows.

    treatment : "raw" or "standardised", fitted on the points.
    """
    X = points.vectors
    try:
        return cosine_parts(fit_treatment(treatment, X).turn(Knobs()).apply(X).vectors)
    except UndefinedMeasure:
        return np.full(X.shape[1], np.nan)
