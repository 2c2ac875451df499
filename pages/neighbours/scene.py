"""The neighbours of a query before and after a treatment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Cloud, Corpus
from geometry.data import VectorSet
from geometry.data.limits import LIMITS
from geometry.encode import ArrayStore
from geometry.evaluate.fitting import FitSet
from geometry.evaluate.specs import parse_treatment
from geometry.measure import NeighbourChanges, Search, neighbour_changes
from geometry.process import Worker, send_progress
from geometry.transform.treatments import Treatment
from pages.common import jobs
from pages.common.address import put_in_url
from pages.common.cache import kept
from pages.common.cloud_choices import SAME, SPLIT, fit_words, points_and_fit
from pages.common.corpus_cloud import CloudSpec, CorpusCloud, encoded_texts, labels_of, row_numbers
from pages.common.origin import UNKNOWN_LIMIT, coverage_of, origin, warn_of_typed
from pages.common.seed import SEED
from pages.common.selected_points import chosen_row
from pages.common.treatment_names import treatment_words
from pages.common.words import _, markdown, paragraph

# ---- the query ----


MATCHES = 50  # points that a search lists at most
LONGEST = 1_000  # characters of a typed text at most


@dataclass(frozen=True)
class Query:
    """A point or a typed text, whose neighbours are shown."""

    text: str
    vector: np.ndarray  # (1, d), before the treatment
    row: int | None = None  # not among its own neighbours; None for a typed text


def choose_query(
    points: CorpusCloud, fit_code: str, *, search: DeltaGenerator, matches: DeltaGenerator
) -> Query:
    """The point of a click, of the address or of a search; by default the first point.

    The search is by text or row number. With an encoder the typed text can be the query.
    """
    row = chosen_row(points)
    with search:
        words = st.text_input(
            _("Search by text or row number"),
            key="find",
            bind="query-params",
            placeholder=_("a word, a sentence or a number"),
            max_chars=LONGEST,
        ).strip()
    can_encode = points.model is not None and points.cloud.unit == "sentences"
    rows = rows_with(words, points.cloud) if words else []
    numbers = row_numbers(points.cloud)
    missing = _missing_row(words, points)
    with matches:
        if words and can_encode and ((not rows and not missing) or _is_typed()):
            if coverage_of(points.corpus).unknown_share <= UNKNOWN_LIMIT:  # else the page says it
                warn_of_typed((words,), key="query")
            return Query(words, encoded_texts(points, (words,)))
        if missing or (words and not rows):
            message = missing or _("None of the {n} texts searched contains “{query}”.").format(
                n=f"{len(points.cloud):,}", query=markdown(words)
            )
            st.info(paragraph([message, how_to_search_all(fit_code)]))
        if rows:
            listed = rows[:MATCHES]
            row = st.selectbox(
                _("{n} found; the first {shown}").format(n=f"{len(rows):,}", shown=len(listed)),
                listed,
                index=listed.index(row) if row in listed else 0,
                format_func=lambda row: f"{numbers[row] + 1}: {points.cloud.texts[row]}",
            )
            st.session_state["point"] = row
            put_in_url("point", str(row))
    row = 0 if row is None else row
    return Query(points.cloud.texts[row], points.vectors[[row]], row)


def how_to_search_all(fit_code: str) -> str:
    """What to choose where only half of the points are searched; else ""."""
    if fit_code != SPLIT:
        return ""
    return _("To search all points, choose “these points” or another corpus at *Fit on*.")


def _is_typed() -> bool:
    return bool(
        st.toggle(_("Search for neighbours of the typed text"), key="typed", bind="query-params")
    )


def _missing_row(words: str, points: CorpusCloud) -> str:
    """A message if the words are the number of a row that is not searched; else empty."""
    if not _is_number(words):
        return ""
    number, numbers = int(words[:9]), row_numbers(points.cloud)
    if np.any(numbers == number - 1):
        return ""
    last = len(points.cloud) if points.cloud.unit == "tokens" else len(points.corpus)
    if not 1 <= number <= last:
        return _("Rows go from 1 to {n}.").format(n=f"{last:,}")
    return _("Row {row} is not among the {n} points searched.").format(
        row=f"{number:,}", n=f"{len(numbers):,}"
    )


def _is_number(words: str) -> bool:
    return words.isascii() and words.isdigit()


def rows_with(words: str, cloud: Cloud) -> list[int]:
    """The points whose text contains the words. The point with that row number comes first."""
    needle = words.casefold()
    found = [row for row, text in enumerate(cloud.texts) if needle in text.casefold()]
    if _is_number(words):
        numbered = np.flatnonzero(row_numbers(cloud) == int(words[:9]) - 1)
        found = list(dict.fromkeys([*map(int, numbered), *found]))
    return found


# ---- ranked rows ----


@dataclass(frozen=True)
class SearchedClouds:
    """A fitted treatment, and the points before and after it, ready to be searched."""

    treatment: Treatment
    before: Search
    after: Search
    content_key: str  # names the points, the fit and the treatment
    private: bool  # True if a reader's own data are among the points or the fit

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Other rows (m, d), such as queries, after the treatment."""
        return self.treatment.apply(X).retained


@dataclass(frozen=True)
class NeighbourList:
    """The nearest points of a query in one cloud."""

    rows: tuple[int, ...]  # nearest first
    cosines: tuple[float, ...]
    ranks_there: tuple[int, ...]  # the rank of each in the other list, from 1


@dataclass(frozen=True)
class Rankings:
    """Both lists of a query."""

    query: Query
    before: NeighbourList
    after: NeighbourList

    @property
    def left(self) -> tuple[int, ...]:
        """Rows that only the first list has."""
        return tuple(row for row in self.before.rows if row not in self.after.rows)

    @property
    def jaccard(self) -> float:
        """Neighbours in both lists over neighbours in at least one."""
        both = len(self.before.rows) - len(self.left)
        return both / (len(self.after.rows) + len(self.left))


def rank(clouds: SearchedClouds, query: Query, k: int) -> Rankings:
    """The k nearest points before and after, and their ranks on the other side."""
    vectors = (query.vector, clouds.apply(query.vector))
    searches = (clouds.before, clouds.after)
    found, ranks = [], []
    for search, vector in zip(searches, vectors, strict=True):
        if query.row is None:
            near = search.nearest(vector, k)
        else:
            near = search.nearest_to_row(query.row, k)
        found.append((near.rows[0], near.cosines[0]))
        cosines = search.cosines(vector)[0]
        if query.row is not None:
            cosines[query.row] = -np.inf
        place = np.empty(len(cosines), dtype=np.int64)
        place[np.argsort(-cosines, kind="stable")] = np.arange(1, len(cosines) + 1)
        place[near.rows[0]] = np.arange(1, k + 1)  # the exact order; that of float32 may differ
        ranks.append(place)
    lists = [
        NeighbourList(
            tuple(map(int, rows)), tuple(map(float, cosines)), tuple(map(int, there[rows]))
        )
        for (rows, cosines), there in zip(found, ranks[::-1], strict=True)
    ]
    return Rankings(query, *lists)


# ---- the scene ----


MOST_TOKENS = 20_000  # points at most, of tokens
MOST_BYTES = 3 * LIMITS.table_bytes  # of both clouds at most: three of an upload's largest tables
MOST_MEASURED = 50_000  # points that are measured at most: the time grows with their square
AT_ONCE = 5_000  # points up to which the page's run itself searches and measures
SHIFTS = 5  # random directions in which the points are shifted, as the control of the hubs
SHORT = 20_000  # points up to which a job takes only some seconds

SEARCH = Worker(idle_seconds=60)


@dataclass(frozen=True, eq=False)
class Scene:
    """The points, the query and the treatment of one run, with all that is shown of them."""

    points: CorpusCloud  # these are searched
    fit: CorpusCloud  # the treatment is fitted on these
    fit_code: str  # "same", "split" or the code of another corpus
    after: str  # the treatment, a text for ``parse_treatment``
    k: int  # neighbours that are listed and counted
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
        "controls": SHIFTS,
        "seed": SEED,
    }
    if len(rows) <= AT_ONCE:
        return neighbour_changes(X, clouds.apply(X), **options)
    both = X, clouds.apply(X)
    return SEARCH.run(partial(neighbour_changes, *both, **options, progress=send_progress), report)


def read_points(
    corpus: Corpus | VectorSet, spec: CloudSpec, code: str, kept_rows: np.ndarray | None
) -> tuple[CorpusCloud, CorpusCloud]:
    """The points that are searched, and those of the fit. Raises the errors of the encoder.

    kept_rows : of the corpus, (n,) bool; None for all
    """
    points, fit = points_and_fit(corpus, spec, code, kept_rows)
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


# ---- what the numbers were measured on ----


def provenance(scene: Scene) -> str:
    """Points, treatment, fit set, n/d, k, seed."""
    d = scene.fit.vectors.shape[1]
    parts = [
        *origin(scene.points),
        treatment_words(scene.after),
        fit_words(scene.fit_code, scene.fit),
        *([_("the numbers are set by the fit")] if scene.fit_code == SAME else []),
        _("n/d = {ratio}").format(ratio=f"{len(scene.fit.cloud) / d:.2f}"),
        _("{k} nearest by cosine, exact").format(k=scene.k),
    ]
    n_measured = len(scene.measured_rows)
    if n_measured < scene.n_searched:
        parts.append(
            _("numbers over all points: a random sample of {n}").format(n=f"{n_measured:,}")
        )
    return " · ".join([*parts, _("seed {seed}").format(seed=scene.points.spec.seed)])
