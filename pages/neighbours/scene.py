"""What the page shows in one run: the same points raw and treated, and a query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from geometry import Corpus
from geometry.data import VectorSet
from geometry.data.limits import LIMITS
from geometry.encode import ArrayStore
from geometry.evaluate.fitting import FitSet
from geometry.evaluate.specs import parse_treatment
from geometry.measure import NeighbourChanges, Search, neighbour_changes
from geometry.process import Worker, send_progress
from pages.common import jobs
from pages.common.cache import kept
from pages.common.corpus_cloud import CloudSpec, CorpusCloud, labels_of
from pages.common.fit_set import points_and_fit
from pages.common.seed import SEED
from pages.common.words import _

from .ranking import Rankings, SearchedClouds

MOST_TOKENS = 20_000  # points at most, of tokens
MOST_BYTES = 3 * LIMITS.table_bytes  # of both clouds at most: three of an upload's largest tables
MOST_MEASURED = 50_000  # points that are measured at most: the time grows with their square
AT_ONCE = 5_000  # points up to which the page's run itself searches and measures
SHORT = 20_000  # points up to which a job takes only some seconds

SEARCH = Worker(idle_seconds=60)


@dataclass(frozen=True, eq=False)
class Scene:
    """The points, the query and the treatment of one run, with all that is shown of them.

    Attributes
    ----------
    points, fit : CorpusCloud
        The points that are searched, and those of the fit.
    fit_code : str
        "same", "split" or the code of another corpus.
    after : str
        The treatment, a text for ``parse_treatment``.
    k : int
        Neighbours that are listed and counted.
    clouds : SearchedClouds
        The points before and after the treatment.
    rankings : Rankings
        Both lists of the query.
    """

    points: CorpusCloud
    fit: CorpusCloud
    fit_code: str
    after: str
    k: int
    clouds: SearchedClouds
    rankings: Rankings

    @property
    def n_searched(self) -> int:
        """The number of points that are searched."""
        return len(self.points.cloud)

    @cached_property
    def measured_rows(self) -> np.ndarray:
        """The rows of the numbers over all points: all of them, or a sample of many."""
        return _measured_rows(self.n_searched)

    @cached_property
    def changes(self) -> NeighbourChanges:
        """The numbers over all points: from the cache, at once, or by a worker process.

        Raises UndefinedMeasure, for example if all points are equally far from each other.
        """
        n = len(self.measured_rows)
        return jobs.kept_or_made(
            _changes,
            *(self.points, self.clouds, self.k),
            what=_("Comparing {n} points with each other").format(n=f"{n:,}"),
            at_once=n <= AT_ONCE,
            lane="measure",
            is_long=n > SHORT,
        )


def _measured_rows(n: int) -> np.ndarray:
    if n <= MOST_MEASURED:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, MOST_MEASURED, replace=False))


@kept(100)
def _changes(
    points: CorpusCloud, clouds: SearchedClouds, k: int, report: jobs.Progress = jobs.no_report
) -> NeighbourChanges:
    rows, labels, units = _measured_rows(len(points.cloud)), labels_of(points.cloud), points.units
    X = points.vectors if len(rows) == len(points.cloud) else points.vectors[rows]
    options: dict[str, Any] = {
        "k": k,
        "labels": None if labels is None else [labels[row] for row in rows],
        "units": None if units is None else units[rows],
        "seed": SEED,
    }
    if len(rows) <= AT_ONCE:
        return neighbour_changes(X, clouds.apply(X), **options)
    both = X, clouds.apply(X)
    return SEARCH.run(partial(neighbour_changes, *both, **options, progress=send_progress), report)


def read_points(
    corpus: Corpus | VectorSet, spec: CloudSpec, code: str
) -> tuple[CorpusCloud, CorpusCloud]:
    """The points that are searched, and those of the fit. Raises the errors of the encoder.

    Parameters
    ----------
    corpus : Corpus or VectorSet
    spec : CloudSpec
    code : str
        The fit set, as in ``points_and_fit``.
    """
    points, fit = points_and_fit(corpus, spec, code)
    most = MOST_BYTES // (2 * 4 * points.vectors.shape[1])
    if len(points.cloud) > most:
        rng = np.random.default_rng(SEED)
        rows = np.sort(rng.choice(len(points.cloud), most, replace=False))
        points = points.take(rows, f"{most}")
    return points, fit


@kept(12)
def search_clouds(
    points: CorpusCloud, fit: CorpusCloud, after: str, report: jobs.Progress = jobs.no_report
) -> SearchedClouds:
    """Fit the treatment and prepare both searches.

    Raises UndefinedMeasure for a row of zeros, which has no direction.

    Parameters
    ----------
    points : CorpusCloud
        They are searched.
    fit : CorpusCloud
        The treatment is fitted on them.
    after : str
        A text for ``parse_treatment``.
    report : callable
    """
    treatment = FitSet(fit.vectors).fit(parse_treatment(after))
    report(0, 0)
    before = Search(points.vectors)
    report(0, 0)
    return SearchedClouds(
        treatment,
        before,
        Search(treatment.apply(points.vectors).retained),
        content_key=ArrayStore.key(points.key, fit.key, after),
        private=points.private or fit.private,
    )
