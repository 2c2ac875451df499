"""The state of the page: the same points raw and treated, ready to be searched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from geometry import Corpus
from geometry.data import VectorSet
from geometry.encode import ArrayStore
from geometry.evaluate.fitting import FitSet
from geometry.evaluate.specs import parse_treatment
from geometry.measure import NeighbourChanges, Search, neighbour_changes
from geometry.transform.treatments import Treatment
from pages.common import jobs
from pages.common.cache import Cache
from pages.common.corpus_cloud import SEED, CloudSpec, CorpusCloud, labels_of
from pages.common.fit_set import points_and_fit
from pages.common.words import Translate
from pages.common.workers import SEARCH

MOST_TOKENS = 20_000
MOST_BYTES = 1_200_000_000  # of both clouds: three times the largest table of an upload
MOST_MEASURED = 50_000  # points of the numbers over all rows: their time grows with the square
AT_ONCE = 5_000  # points that are searched or measured within the page's run
SHORT = 20_000  # points that take some seconds

_SEARCHES: Cache[Treated] = Cache("neighbour-searches", max_entries=12)
_CHANGES: Cache[NeighbourChanges] = Cache("neighbour-changes", max_entries=100)


@dataclass(frozen=True)
class Treated:
    """A fitted treatment, and both clouds ready to be searched."""

    treatment: Treatment
    before: Search
    after: Search


@dataclass(frozen=True)
class Scene:
    """Points, what the treatment was fitted on, and both clouds.

    Attributes
    ----------
    points, fit : CorpusCloud
        Those searched, and those of the fit.
    fit_code : str
        "same", "split" or the code of another corpus.
    after : str
        The treatment, a text for ``parse_treatment``.
    k : int
        Neighbours that are listed and counted.
    treated : Treated
    key : str
        Names points, fit and treatment.
    """

    points: CorpusCloud
    fit: CorpusCloud
    fit_code: str
    after: str
    k: int
    treated: Treated
    key: str

    @property
    def is_private(self) -> bool:
        """True if a reader's own data are among the points or the fit."""
        return self.points.private or self.fit.private

    @property
    def n_searched(self) -> int:
        """How many points are searched."""
        return len(self.points.cloud)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The points' labels, where two or more differ."""
        return labels_of(self.points.cloud)

    @property
    def measured_rows(self) -> np.ndarray | None:
        """The points of the numbers over all rows; None for all."""
        if self.n_searched <= MOST_MEASURED:
            return None
        rng = np.random.default_rng(SEED)
        return np.sort(rng.choice(self.n_searched, MOST_MEASURED, replace=False))

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Other rows (m, d), such as queries, after the treatment."""
        return self.treated.treatment.apply(X).retained


def read_points(
    corpus: Corpus | VectorSet, spec: CloudSpec, code: str, _: Translate
) -> tuple[CorpusCloud, CorpusCloud]:
    """The points that are searched, and those of the fit. Raises what the encoder raises.

    Parameters
    ----------
    corpus : Corpus or VectorSet
    spec : CloudSpec
    code : str
        Of the fit set, as in ``points_and_fit``.
    """
    points, fit = points_and_fit(corpus, spec, code, _)
    most = MOST_BYTES // (2 * 4 * points.vectors.shape[1])
    if len(points.cloud) > most:
        rng = np.random.default_rng(SEED)
        rows = np.sort(rng.choice(len(points.cloud), most, replace=False))
        points = points.take(rows, f"{most}")
    return points, fit


def build_scene(
    points: CorpusCloud, fit: CorpusCloud, fit_code: str, after: str, k: int, _: Translate
) -> Scene:
    """Fit the treatment and prepare both searches.

    Raises UndefinedMeasure for a row of zeros, which has no direction.

    Parameters
    ----------
    points : CorpusCloud
        They are searched.
    fit : CorpusCloud
        The treatment is fitted on them.
    fit_code : str
        "same", "split" or the code of another corpus.
    after : str
        A text for ``parse_treatment``.
    k : int
        Neighbours of each point.
    """
    key = ArrayStore.key(points.key, fit.key, after)
    private = points.private or fit.private
    treated = _SEARCHES.get(key, private=private)
    if treated is None:
        work = partial(_treat, points.vectors, fit.vectors, after)
        if len(points.cloud) <= AT_ONCE:
            treated = work(_no_report)
        else:
            what = _("Preparing {n} points for the search").format(n=f"{len(points.cloud):,}")
            treated = jobs.wait_for(f"search-{key}", work, _, what, lane="measure")
        treated = _SEARCHES.put(key, treated, private=private)
    return Scene(points, fit, fit_code, after, k, treated, key)


def _treat(X: np.ndarray, fit_rows: np.ndarray, after: str, report: jobs.Report) -> Treated:
    treatment = FitSet(fit_rows, eps=float(np.finfo(fit_rows.dtype).eps)).fit(
        parse_treatment(after)
    )
    report(0, 0)
    before = Search(X)
    report(0, 0)
    return Treated(treatment, before, Search(treatment.apply(X).retained))


def _no_report(done: int, total: int) -> None:
    return None


def changes_of(scene: Scene, _: Translate) -> NeighbourChanges:
    """The numbers over all rows: from the cache, at once, or by a worker process.

    Raises UndefinedMeasure, for example where all points are equally far.
    """
    key = f"{scene.key}/{scene.k}"
    found = _CHANGES.get(key, private=scene.is_private)
    if found is not None:
        return found
    rows = scene.measured_rows
    X = scene.points.vectors if rows is None else scene.points.vectors[rows]
    units = scene.points.units
    labels = scene.labels
    options: dict[str, Any] = {
        "k": scene.k,
        "labels": labels if labels is None or rows is None else [labels[row] for row in rows],
        "units": units if units is None or rows is None else units[rows],
        "seed": SEED,
    }
    if len(X) <= AT_ONCE:
        found = neighbour_changes(X, scene.apply(X), **options)
    else:
        found = jobs.wait_for(
            f"neighbours-{key}",
            lambda report: SEARCH.run(
                neighbour_changes, X, scene.apply(X), report=report, **options
            ),
            _,
            _("Comparing {n} points with each other").format(n=f"{len(X):,}"),
            lane="measure",
            is_long=len(X) > SHORT,
        )
    return _CHANGES.put(key, found, private=scene.is_private)
