"""Every measure at every layer, from the cache or by one job with progress and Cancel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from geometry import UndefinedMeasure
from geometry.linalg.threads import in_threads
from geometry.measure import Annotations, annotated_table, cosine_parts, measure_table
from geometry.transform import fit_treatment
from geometry.transform.treatments import Knobs
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.corpus_cloud import CorpusCloud
from pages.common.measures import DIMENSION_SHARES
from pages.common.seed import SEED
from pages.common.words import _

from .film import Table
from .series import Series, vectors_key

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

# a model of 24 layers has a hundred tables of a corpus
_TABLES: Cache[Table] = Cache("layer-tables", max_entries=2048)
_CONTEXTUAL: Cache[Table] = Cache("layer-contextual-tables", max_entries=512)
_PARTS: Cache[np.ndarray] = Cache("layer-cosine-parts", max_entries=512)


def sweep(series: Sequence[Series], *, contextual: bool = False) -> Sweep:
    """The tables of every layer of every series.

    Parameters
    ----------
    series : sequence of Series
    contextual : bool
        True for the measures that compare a token with its type and its sentence. They take
        longer, so they have a separate job. The series must be that of the tokens.
    """
    cache, make = (_CONTEXTUAL, _contextual_table) if contextual else (_TABLES, _table)
    clouds = [(each, points) for each in series for points in each.layers]
    missing = [
        (each, points)
        for each, points in clouds
        if cache.get(vectors_key(points), private=points.private) is None
    ]
    if missing:

        def work(report: jobs.Progress) -> list[Table]:
            made: list[Table] = []
            for table in in_threads(lambda pair: make(*pair), missing, THREADS):
                made.append(table)
                report(len(made), len(missing))
            return made

        what = _("Measuring clouds: {n}").format(n=len(missing))
        kind = "contextual" if contextual else "table"
        key = "-".join(["layers", kind, *(vectors_key(points)[:12] for _each, points in missing)])
        made = jobs.wait_for(key, work, what, lane="measure", is_long=True)
        for (_each, points), table in zip(missing, made, strict=True):
            cache.put(vectors_key(points), table, private=points.private)
    return {
        each.name: tuple(
            cache.get_or_make(
                vectors_key(points), partial(make, each, points), private=points.private
            )
            for points in each.layers
        )
        for each in series
    }


def _table(series: Series, points: CorpusCloud) -> Table:
    names = (*MEASURES, *DIMENSION_SHARES)
    table = measure_table(points.vectors, names=names, seed=SEED, units=series.units)
    return {row.name: row for row in table}


def _contextual_table(_series: Series, points: CorpusCloud) -> Table:
    sentences = points.cloud.sources
    annotations = Annotations(types=np.array(points.cloud.texts), sentences=sentences)
    return {row.name: row for row in annotated_table(points.vectors, annotations, seed=SEED)}


def parts_of(series: Series, treatment: str) -> np.ndarray:
    """Each dimension's part of the mean cosine at each layer, (layers, d).

    NaN if a layer has none, for example if all its rows are equal.

    Parameters
    ----------
    series : Series
    treatment : str
        "raw" or "standardised", fitted on the points of each layer.
    """
    return np.array([_parts(points, treatment) for points in series.layers])


def _parts(points: CorpusCloud, treatment: str) -> np.ndarray:
    def make() -> np.ndarray:
        X = points.vectors
        try:
            treated = fit_treatment(treatment, X).turn(Knobs()).apply(X)
            return cosine_parts(treated.vectors)
        except UndefinedMeasure:
            return np.full(X.shape[1], np.nan)

    return _PARTS.get_or_make(f"{vectors_key(points)}/{treatment}", make, private=points.private)
