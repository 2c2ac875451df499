"""Neighbours' interactive part: one fragment with its lists, pictures and numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus
from geometry.data import Judged, VectorSet, judge, read_relevance
from geometry.data.limits import LIMITS
from geometry.data.number_text import change, estimate, signed, with_sign
from geometry.encode import ArrayStore
from geometry.evaluate.fitting import FitSet
from geometry.figures.slopes import Item, slopes_figure
from geometry.linalg.rows import some_rows
from geometry.measure import (
    NeighbourChanges,
    RetrievalScore,
    Search,
    mrr_at_k,
    ndcg_at_k,
    neighbour_changes,
    recall_at_k,
    retrieval_score,
)
from geometry.measure.intervals import MIN_ROWS, Estimate
from geometry.measure.retrieval import BOOTSTRAPPED, MIN_QUERIES
from geometry.process import Worker, send_progress
from geometry.projection.point_colours import PointColours, look_of
from geometry.transform.treatments import Treatment
from pages.common import cloud_choices, jobs, measures
from pages.common.address import is_presenting, put_in_url
from pages.common.cache import kept
from pages.common.cloud_parts import choose_spec, warn_of_reading
from pages.common.compare_two import show_two
from pages.common.corpus_cloud import (
    ALL_POINTS,
    CorpusCloud,
    encoded_texts,
    labels_of,
    row_cells,
    row_numbers,
)
from pages.common.cosine_histogram import EDGES, HISTOGRAM_ROWS, cosine_histogram, show_histogram
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import show_chart
from pages.common.draw.clouds import current_theme, draw_legend, point_colours
from pages.common.explore_panel import explored_part, open_panel
from pages.common.folded import show_folded
from pages.common.messages import ENCODER_ERRORS, errors_shown, show_error
from pages.common.origin import UNKNOWN_LIMIT, coverage_of, of_known_text, origin, warn_of_typed
from pages.common.reading import Keyed, read_upload
from pages.common.seed import SEED
from pages.common.selected_points import choose_row, chosen_row
from pages.common.shell import page_boxes, show_question
from pages.common.table_form import refused_files_leave, upload_table
from pages.common.treatment_names import choose_treatment, treatment_words
from pages.common.words import (
    _,
    aligned_table,
    dotted,
    markdown,
    paragraph,
    plotly,
    prose,
    short_line,
)

from . import PAGE


@dataclass(frozen=True)
class Query:
    text: str
    vector: np.ndarray  # (1, d), before the treatment
    row: int | None = None  # not among its own neighbours; None for a typed text


def choose_query(
    points: CorpusCloud, fit_code: str, *, search: DeltaGenerator, matches: DeltaGenerator
) -> Query:
    """The point of a click, the address or a search, or a typed text; else the first point."""
    row = chosen_row(points)
    cloud = points.cloud
    words = search.text_input(
        _("Search by text or row number"),
        key="find",
        bind="query-params",
        placeholder=_("a word, a sentence or a number"),
        max_chars=1_000,
    ).strip()
    rows, missing = _rows_with(words, points) if words else ([], "")
    with matches:
        if words and points.model is not None and cloud.unit == "sentences":
            label = _("Search for neighbours of the typed text")
            is_typed = not rows and not missing
            if is_typed or st.toggle(label, key="typed", bind="query-params"):
                # of a corpus that the model does not know, the page says it
                if coverage_of(points.corpus).unknown_share <= UNKNOWN_LIMIT:
                    warn_of_typed((words,), key="query")
                return Query(words, encoded_texts(points, (words,)))
        if words and not rows and not missing:
            missing = _("None of the {n} texts searched contains “{query}”.")
            missing = missing.format(n=f"{len(cloud):,}", query=markdown(words))
        if missing:
            st.info(paragraph([missing, how_to_search_all(fit_code)]))
        if rows:
            listed = rows[:50]  # so many at most
            numbers = row_numbers(cloud)
            row = st.selectbox(
                _("{n} found; the first {shown}").format(n=f"{len(rows):,}", shown=len(listed)),
                listed,
                index=listed.index(row) if row in listed else 0,
                format_func=lambda row: f"{numbers[row] + 1}: {cloud.texts[row]}",
            )
            st.session_state["point"] = row
            put_in_url("point", str(row))
    row = 0 if row is None else row
    return Query(cloud.texts[row], points.vectors[[row]], row)


def how_to_search_all(fit_code: str) -> str:
    """What to choose where only half of the points are searched; else ""."""
    if fit_code != cloud_choices.SPLIT:
        return ""
    return _("To search all points, choose “these points” or another corpus at *Fit on*.")


def _rows_with(words: str, points: CorpusCloud) -> tuple[list[int], str]:
    """The points with the words or that row number; a message if that row is not searched."""
    cloud = points.cloud
    needle = words.casefold()
    found = [row for row, text in enumerate(cloud.texts) if needle in text.casefold()]
    if not (words.isascii() and words.isdigit()):
        return found, ""
    number = int(words[:9])
    numbered = np.flatnonzero(row_numbers(cloud) == number - 1).tolist()
    if numbered:
        return list(dict.fromkeys([*numbered, *found])), ""
    last = len(cloud) if cloud.unit == "tokens" else len(points.corpus)
    if not 1 <= number <= last:
        return found, _("Rows go from 1 to {n}.").format(n=f"{last:,}")
    missing = _("Row {row} is not among the {n} points searched.")
    return found, missing.format(row=f"{number:,}", n=f"{len(cloud):,}")


@dataclass(frozen=True)
class SearchedClouds:
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
    rows: tuple[int, ...]  # nearest first
    cosines: tuple[float, ...]
    ranks_there: tuple[int, ...]  # the rank of each in the other list, from 1


def rank(clouds: SearchedClouds, query: Query, k: int) -> list[NeighbourList]:
    row = query.row
    found = []
    ranks = []
    treated = clouds.apply(query.vector)
    for search, vector in (clouds.before, query.vector), (clouds.after, treated):
        cosines = search.cosines(vector)[0]
        near = search.nearest(vector, k) if row is None else search.nearest_to_row(row, k)
        if row is not None:
            cosines[row] = -np.inf
        place = np.empty(len(cosines), dtype=np.int64)
        place[np.argsort(-cosines, kind="stable")] = np.arange(1, len(cosines) + 1)
        place[near.rows[0]] = np.arange(1, k + 1)  # the exact order; that of float32 may differ
        found.append((near.rows[0], near.cosines[0]))
        ranks.append(place)
    return [
        NeighbourList(tuple(rows.tolist()), tuple(cosines.tolist()), tuple(there[rows].tolist()))
        for (rows, cosines), there in zip(found, ranks[::-1], strict=True)
    ]


MOST_TOKENS = 20_000  # points at most, of tokens
MOST_BYTES = 3 * LIMITS.table_bytes  # of both clouds at most: three of an upload's largest tables
MOST_MEASURED = 50_000  # points that are measured at most: the time grows with their square
AT_ONCE = 5_000  # points up to which the page's run itself searches and measures
SHORT = 20_000  # points up to which a job takes only some seconds

SEARCH = Worker(idle_seconds=60)


@dataclass(frozen=True, eq=False)
class NeighboursScene:
    points: CorpusCloud  # these are searched
    fit: CorpusCloud  # the treatment is fitted on these
    fit_code: str  # "same", "split" or the code of another corpus
    after: str  # the treatment, a text for ``parse_treatment``
    k: int  # neighbours that are listed and counted
    clouds: SearchedClouds
    query: Query
    lists: list[NeighbourList]  # before and after the treatment

    @cached_property
    def measured_rows(self) -> np.ndarray:
        """The rows of the numbers over all points: all of them, or a sample of many."""
        return some_rows(len(self.points.cloud), MOST_MEASURED, SEED)

    @cached_property
    def changes(self) -> NeighbourChanges:
        """The numbers over all points. UndefinedMeasure, for example if all distances are equal."""
        n = len(self.measured_rows)
        what = _("Comparing {n} points with each other").format(n=f"{n:,}")
        how: dict[str, Any] = {"at_once": n <= AT_ONCE, "is_long": n > SHORT}
        return jobs.kept_or_made(_changes, self.points, self.clouds, self.k, what=what, **how)


@kept(100)
def _changes(
    points: CorpusCloud, clouds: SearchedClouds, k: int, report: jobs.Progress = jobs.no_report
) -> NeighbourChanges:
    rows = some_rows(len(points.cloud), MOST_MEASURED, SEED)
    some = points if len(rows) == len(points.cloud) else points.take(rows, "measured")
    changes = partial(
        neighbour_changes,
        some.vectors,
        clouds.apply(some.vectors),
        k=k,
        labels=None if labels_of(points.cloud) is None else some.cloud.labels,
        units=some.units,
        controls=5,  # random directions in which the points are shifted
        seed=SEED,
    )
    if len(rows) <= AT_ONCE:
        return changes()
    return SEARCH.run(partial(changes, progress=send_progress), report)


@kept(12)
def search_clouds(
    points: CorpusCloud, fit: CorpusCloud, after: str, report: jobs.Progress = jobs.no_report
) -> SearchedClouds:
    """Fit and prepare both searches. UndefinedMeasure for a row of zeros."""
    treatment = FitSet(fit.vectors).fit(after)
    report(0, 0)
    before = Search(points.vectors)
    report(0, 0)
    after_it = Search(treatment.apply(points.vectors).retained)
    key = ArrayStore.key(points.key, fit.key, after)
    return SearchedClouds(treatment, before, after_it, key, points.private or fit.private)


def provenance(scene: NeighboursScene) -> str:
    parts = [*origin(scene.points), treatment_words(scene.after)]
    parts.append(cloud_choices.fit_words(scene.fit_code, scene.fit))
    if scene.fit_code == cloud_choices.SAME:
        parts.append(_("the numbers are set by the fit"))
    ratio = len(scene.fit.cloud) / scene.fit.vectors.shape[1]
    parts.append(_("n/d = {ratio}").format(ratio=f"{ratio:.2f}"))
    parts.append(_("{k} nearest by cosine, exact").format(k=scene.k))
    n_measured = len(scene.measured_rows)
    if n_measured < len(scene.points.cloud):
        sample = _("numbers over all points: a random sample of {n}")
        parts.append(sample.format(n=f"{n_measured:,}"))
    return dotted(*parts, _("seed {seed}").format(seed=scene.points.spec.seed))


LONGEST = 300  # characters of a text in the picture at most

Histograms = tuple[np.ndarray, np.ndarray, int, int]  # shares before and after, pairs, dimensions


def draw_rankings(scene: NeighboursScene) -> None:
    texts = scene.points.cloud.texts
    colours = point_colours(scene.points, "topic")
    before, after = (_items(ranked, scene, colours) for ranked in scene.lists)
    near, then = (ranked.rows for ranked in scene.lists)
    figure = slopes_figure(
        before,
        after,
        current_theme(),
        titles=(_("Raw"), plotly(treatment_words(scene.after))),
        shares=(_same_label(scene, near), _same_label(scene, then)),
        moves=(_("stays"), _("leaves"), _("enters")),
        beyond=_("not among the {k} nearest").format(k=len(then)),
    )
    said = _("Nearest to **{text}**: {n} of the {k} are the same after the treatment.").format(
        text=markdown(short_line(scene.query.text, LONGEST)),
        n=len({*near} & {*then}),
        k=len(near),
    )
    if label := markdown(short_line(_own_label(scene), LONGEST)):
        said = paragraph([said, _("Its label is “{label}”.").format(label=label)])
    st.markdown(said)
    raw, treated = (
        _("; ").join(short_line(texts[row], LONGEST) for row in rows) for rows in (near, then)
    )
    alt = _("Raw: {texts}.").format(texts=raw)
    alt_after = _("After the treatment: {texts}.").format(texts=treated)
    show_chart(
        figure,
        key="neighbour-lists",
        file_name="neighbours",
        alt=paragraph([alt, alt_after]),
        on_point=partial(_choose, [*near, *then]),
        zoom=False,
    )
    draw_legend(colours)


def _own_label(scene: NeighboursScene) -> str:
    """The query's own label; "" without labels or for a typed text."""
    labels = scene.points.cloud.labels
    row = scene.query.row
    return "" if labels is None or row is None else labels[row]


def _same_label(scene: NeighboursScene, rows: Sequence[int]) -> str:
    own = _own_label(scene)
    if not own:
        return ""
    labels = scene.points.cloud.labels or ()
    n = sum(labels[row] == own for row in rows)
    return _("same label {n}/{k}").format(n=n, k=len(rows))


def _choose(rows: list[int], place: int) -> None:
    if place < len(rows):
        choose_row(rows[place])


def _items(ranked: NeighbourList, scene: NeighboursScene, colours: PointColours) -> list[Item]:
    cloud = scene.points.cloud
    theme = current_theme()
    about = _("cosine {cosine} · rank {here} · rank {there} in the other list")
    items = []
    for place, (row, cosine) in enumerate(zip(ranked.rows, ranked.cosines, strict=True)):
        there = f"{ranked.ranks_there[place]:,}"
        words = about.format(cosine=signed(cosine, 3), here=place + 1, there=there)
        if cloud.labels is not None:
            words = f"{plotly(short_line(cloud.labels[row], LONGEST))} · {words}"
        look = ("", "circle") if colours.names is None else look_of(colours.codes[row], theme)
        text = plotly(short_line(cloud.texts[row], LONGEST))
        items.append(Item(row, text, signed(cosine, 2), words, *look))
    return items


@kept(100)
def histograms(points: CorpusCloud, clouds: SearchedClouds) -> Histograms:
    """Shares of the cosines of pairs, raw and treated. UndefinedMeasure for a row of zeros."""
    X = points.vectors[some_rows(len(points.vectors), HISTOGRAM_ROWS, SEED)]
    Z = clouds.apply(X)
    before, pairs = cosine_histogram(X)
    return before, cosine_histogram(Z)[0], pairs, Z.shape[1]


def draw_histogram(scene: NeighboursScene) -> None:
    before, after, pairs, d = histograms(scene.points, scene.clouds)
    name = treatment_words(scene.after)
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    raw, white = (signed(float(shares @ middle), 2) for shares in (before, after))
    alt = _("Cosines of {n} pairs. Mean: raw {raw}, {name} {white}.")
    st.markdown(_("How similar are two points?"))
    show_histogram(
        (before, after),
        (_("Raw"), name),
        d,
        key="neighbour-cosines",
        file_name="neighbours-cosines",
        alt=alt.format(n=f"{pairs:,}", raw=raw, white=white, name=name),
        step=0.5,  # the column is narrow
    )


def _with_ends(each: Estimate) -> str:
    return estimate(each.value, each.low, each.high)


def show_headlines(scene: NeighboursScene) -> None:
    found = scene.changes
    jaccard = found.jaccard
    before, after = found.before, found.after
    most, most_after = (int(side.occurrences.max()) for side in (before, after))
    raw = _("raw: {value}")
    numbers = [
        measures.BigNumber(
            _("overlap of the lists, all points (Jaccard)"),
            f"{jaccard.value:.0%}",
            "" if jaccard.low is None else f"[{jaccard.low:.0%}, {jaccard.high or 0:.0%}]",
        ),
        measures.BigNumber(
            _("hubness (skewness of k-occurrence)"),
            signed(after.hubness, 2),
            raw.format(value=signed(before.hubness, 2)),
            measures.change_words(with_sign(after.hubness - before.hubness, 2)),
        ),
        measures.BigNumber(
            _("most frequent neighbour: of how many points"),
            f"{most_after:,}",
            raw.format(value=f"{most:,}"),
            measures.change_words(with_sign(float(most_after - most), 0)),
        ),
    ]
    measures.show_big_numbers(_("Neighbours of all points"), numbers, key="neighbour-numbers")
    measures.explained_caption(provenance(scene))


def show_hubs(scene: NeighboursScene) -> None:
    rows = scene.measured_rows
    found = scene.changes
    head = [_("the ten largest hubs, raw"), _("raw"), _("after"), _("cosine to the mean, raw")]
    lines = []
    X = scene.points.vectors[rows]
    mean = X.mean(axis=0, dtype=np.float64)
    for place in found.before.hubs():
        x = X[place].astype(np.float64)
        lengths = float(np.linalg.norm(x) * np.linalg.norm(mean))
        cosine = signed(float(x @ mean) / lengths, 3) if lengths else "—"
        counts = [f"{side.occurrences[place]:,}" for side in (found.before, found.after)]
        text = short_line(scene.points.cloud.texts[rows[place]], 160)  # characters at most
        lines.append([markdown(text), *counts, cosine])
    st.markdown(aligned_table(head, lines))
    never = [int(np.sum(side.occurrences == 0)) for side in (found.before, found.after)]
    st.caption(prose(PAGE, "hubs", {"k": found.k, "never": never[0], "never_after": never[1]}))


def lists_csv(scene: NeighboursScene, basis: str) -> bytes:
    lines: list[list[CsvCell]] = []
    names = (("raw", _("Raw")), (scene.after, treatment_words(scene.after)))
    for name, ranked in zip(names, scene.lists, strict=True):
        for place, cells in enumerate(row_cells(scene.points.cloud, ranked.rows)):
            numbers = short_number(ranked.cosines[place]), str(ranked.ranks_there[place])
            lines.append([name, str(place + 1), *cells, *numbers])
    head = ["list", "rank", "row", "text", "label", "cosine", "rank_in_other_list"]
    return csv_bytes(head, lines, f"{scene.query.text} · {basis}")


def points_csv(scene: NeighboursScene, basis: str) -> bytes:
    found = scene.changes
    lines = row_cells(scene.points.cloud, scene.measured_rows)
    for place, line in enumerate(lines):
        line.append(short_number(found.jaccards[place]))
        line += [str(side.occurrences[place]) for side in (found.before, found.after)]
    head = ["row", "text", "label", "jaccard", "k_occurrence_raw", "k_occurrence_after"]
    return csv_bytes(head, lines, basis)


def hub_state(found: NeighbourChanges) -> measures.State:
    """Whether the hubness falls by more than noise, and below every control."""
    after = found.after.hubness
    change = after - found.before.hubness
    if found.hubness_reach is None or abs(change) <= found.hubness_reach:
        return "unknown"
    if change > 0:
        return "fails"
    return "holds" if after < min(found.controls) else "partly"


def neighbours_verdict(scene: NeighboursScene) -> measures.Verdict:
    claim = _(
        "Hubs lie close to the mean vector. A treatment that subtracts the mean makes fewer hubs."
    )
    shifted = scene.changes.controls
    said = _(
        "minus a vector as long as the mean, but in a random direction, the raw points have a "
        "hubness of **{low} to {high}** ({n} directions)."
    )
    low, high = signed(min(shifted), 2), signed(max(shifted), 2)
    control = measures.Control(said.format(low=low, high=high, n=len(shifted)))
    state = hub_state(scene.changes)
    measured = paragraph([_hub_words(scene), _label_words(scene)])
    basis = [provenance(scene), _("hubness has no interval, because a few points decide it")]
    heading = ""
    if (reach := scene.changes.hubness_reach) is not None:
        heading = _("Not clear.") if state == "unknown" else ""
        clear = _(
            "a change of hubness is clear if it is larger than {reach}: 1.96 standard deviations "
            "of that change over random halves of the points"
        )
        basis.append(clear.format(reach=signed(reach, 2)))
    where = dotted(*basis, _("95% intervals: subsamples of the points"))
    source = _("Suzuki et al. (2013)")
    return measures.Verdict(claim, source, state, measured, control, where, heading)


def _hub_words(scene: NeighboursScene) -> str:
    found = scene.changes
    least = max(MIN_ROWS, 4 * found.k)
    if found.n < least:
        few = _("Hubs are judged from {least} points on, and {n} are shown.")
        return few.format(least=least, n=found.n)
    words = {
        "holds": _("{name} makes fewer hubs: hubness {before} → {after}."),
        "partly": _(
            "{name} makes fewer hubs, but not fewer than every random direction does: hubness "
            "{before} → {after}."
        ),
        "fails": _("{name} makes more hubs: hubness {before} → {after}."),
        "unknown": _("{name}: no clear difference in hubs, hubness {before} → {after}."),
    }
    name = treatment_words(scene.after)
    return words[hub_state(found)].format(
        name=name[:1].upper() + name[1:],
        before=signed(found.before.hubness, 2),
        after=f"**{signed(found.after.hubness, 2)}**",
    )


def _label_words(scene: NeighboursScene) -> str:
    found = scene.changes
    each = found.agreement
    if each is None or each.low is None or each.high is None:
        return ""
    better = _(
        "Neighbours become better: of the {k} nearest, the share with the same {label} is "
        "{before} → {after}, change {change}."
    )
    worse = _(
        "Neighbours become worse: of the {k} nearest, the share with the same {label} is "
        "{before} → {after}, change {change}."
    )
    neither = _(
        "There is no clear difference in labels: of the {k} nearest, the share with the same "
        "{label} is {before} → {after}, change {change}."
    )
    shares = (found.before.agreement, found.after.agreement)
    before, after = (_with_ends(share) for share in shares if share is not None)
    label = markdown(measures.label_name(scene.points.corpus))
    moved = change(each.value, each.low, each.high)
    words = measures.by_direction(each, better, worse, neither)
    return words.format(k=found.k, label=label, before=before, after=after, change=moved)


MEASURES = {"recall": recall_at_k, "nDCG": ndcg_at_k, "MRR": mrr_at_k}


# by the names of MEASURES: the scores (q,) of each query, raw and treated, and their means
QueryScores = Mapping[str, tuple[np.ndarray, np.ndarray, RetrievalScore]]


@errors_shown()
def show_relevance(scene: NeighboursScene) -> None:
    st.markdown(prose(PAGE, "relevance"))
    label = _("Queries and their answers (.csv, .tsv, .jsonl), at most {megabytes} MB")
    file = upload_table(label, "relevance-file")
    if file is None:
        return
    with refused_files_leave(file):
        relevance = read_upload(read_relevance, file)
    how: dict[str, Any] = {
        "what": _("Answers of {n} queries").format(n=f"{len(relevance):,}"),
        "at_once": file.size <= 300_000,  # bytes: less than a second
    }
    queries = jobs.kept_or_made(_judged, Keyed(relevance, file.file_id), scene.points, **how)
    judged: Judged = queries.value
    _warn_of_missing(scene, judged)
    if not len(judged):
        return
    typed = tuple(q for q, row in zip(judged.queries, judged.rows, strict=True) if row is None)
    if typed:
        warn_of_typed(typed, key="queries")
    vectors = encoded_texts(scene.points, typed) if typed else None
    found = jobs.kept_or_made(
        _retrieved, queries, scene.points, scene.clouds, scene.k, vectors, **how
    )
    _show_scores(scene, found, len(judged))
    table = partial(queries_csv, judged, found, provenance(scene))
    offer_csv(_("Download scores by query (CSV)"), "neighbours-queries", table)


@kept(4)
def _judged(file: Keyed, points: CorpusCloud, report: jobs.Progress = jobs.no_report) -> Keyed:
    """All queries, or only those that are points if no encoder can encode the others."""
    report(0, 0)
    judged = judge(file.value, points.cloud.texts, row_numbers(points.cloud).tolist())
    if points.model is None or points.cloud.unit != "sentences":
        places = [place for place, row in enumerate(judged.rows) if row is not None]
        names = ("queries", "rows", "relevant", "left_out")
        of_points: dict[str, Any] = {
            name: tuple(getattr(judged, name)[place] for place in places) for name in names
        }
        judged = replace(judged, **of_points)
    return Keyed(judged, f"{file.content_key}/{points.key}")


def _warn_of_missing(scene: NeighboursScene, judged: Judged) -> None:
    if len(judged) == judged.n_queries and not judged.n_missing:
        return
    n, n_all, missing = (f"{each:,}" for each in (len(judged), judged.n_queries, judged.n_missing))
    message = _(
        "{n} of {all} queries are used. Answers that are not among the {points} points searched: "
        "{missing}."
    ).format(n=n, all=n_all, points=f"{len(scene.points.cloud):,}", missing=missing)
    st.warning(paragraph([message, how_to_search_all(scene.fit_code)]))


@kept(8)
def _retrieved(
    queries: Keyed,
    points: CorpusCloud,
    clouds: SearchedClouds,
    k: int,
    typed: np.ndarray | None,  # (m, d) of the queries that are no points
    report: jobs.Progress = jobs.no_report,
) -> QueryScores:
    """The scores of each query. A query and its copies do not count as answers."""
    judged: Judged = queries.value
    is_typed = np.array([row is None for row in judged.rows])
    vectors = np.zeros((len(judged), points.vectors.shape[1]), dtype=np.float32)
    vectors[~is_typed] = points.vectors[[row for row in judged.rows if row is not None]]
    if typed is not None:
        vectors[is_typed] = typed
    report(0, 2)
    before = clouds.before.nearest_except(vectors, k, judged.left_out).rows
    report(1, 2)
    after = clouds.after.nearest_except(clouds.apply(vectors), k, judged.left_out).rows
    found = {}
    for name, measure in MEASURES.items():
        both = measure(before, judged.relevant), measure(after, judged.relevant)
        found[name] = (*both, retrieval_score(*both, seed=SEED))
    return found


def _show_scores(scene: NeighboursScene, found: QueryScores, n: int) -> None:
    head = [_("measure"), _("Raw"), treatment_words(scene.after), _("change")]
    lines = []
    for name, (_raw, _treated, mean) in found.items():
        moved = change(mean.change.value, mean.change.low, mean.change.high)
        ends = (_with_ends(mean.before), _with_ends(mean.after), moved)
        lines.append([f"{name}@{scene.k}", *ends])
    st.markdown(aligned_table(head, lines))
    note = _("{n} queries. An interval needs {least} or more.")
    if n >= BOOTSTRAPPED:
        note = _("{n} queries; 95% intervals by a bootstrap over queries, seed {seed}.")
    elif n >= MIN_QUERIES:
        note = _(
            "{n} queries; 95% intervals by a bootstrap over queries, those of changes by random "
            "signs, seed {seed}."
        )
    st.caption(note.format(n=f"{n:,}", seed=SEED, least=MIN_QUERIES))


def queries_csv(judged: Judged, found: QueryScores, basis: str) -> bytes:
    columns = [side for raw, after, _mean in found.values() for side in (raw, after)]
    lines = [
        [query, str(len(relevant)), *map(short_number, scores)]
        for query, relevant, *scores in zip(judged.queries, judged.relevant, *columns, strict=True)
    ]
    sides = [f"{name.lower()}_{side}" for name in found for side in ("raw", "after")]
    return csv_bytes(["query", "answers", *sides], lines, basis)


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    control_box, notes_box, progress_box, look_box = page_boxes()
    panel = open_panel(has_cloud=False)
    answer_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    is_measured = False
    try:
        with control_box:
            spec = choose_spec(corpus, more=more_box)
            if isinstance(corpus, Corpus):
                of_unit = MOST_TOKENS if spec.unit == "tokens" else ALL_POINTS
                spec = replace(spec, max_points=of_unit)
            after_box, fit_box, nearest_box, search_box, match_box = st.columns(5)
        with panel.parts:
            explored = explored_part(corpus, unit=spec.unit, has_picture=False)
        with fit_box:
            code = cloud_choices.choose_fit_set(corpus)
        with progress_box:
            points, fit = cloud_choices.points_and_fit(corpus, spec, code, explored.left_in)
        most = MOST_BYTES // (2 * 4 * points.vectors.shape[1])
        if len(points.cloud) > most:
            points = points.take(some_rows(len(points.cloud), most, SEED), f"{most}")
        n = len(points.cloud)
        with notes_box:
            if cloud_choices.warn_of_too_few(min(n, len(fit.cloud))):
                return
            if (fit.vectors == fit.vectors[0]).all():
                st.info(prose("narrow_cone", "all-equal"))
                return
        k = nearest_box.slider(_("Neighbours k"), 1, 25, 10, key="nearest", bind="query-params")
        k = min(int(k), n - 2)
        with after_box:
            after = choose_treatment(PAGE, len(fit.cloud), fit.vectors.shape[1], notes=notes_box)
        what = _("Preparing {n} points for the search").format(n=f"{n:,}")
        given = points, fit, after
        with progress_box:
            clouds = jobs.kept_or_made(search_clouds, *given, what=what, at_once=n <= AT_ONCE)
        query = choose_query(points, code, search=search_box, matches=match_box)
        lists = rank(clouds, query, k)
        scene = NeighboursScene(points, fit, code, after, k, clouds, query, lists)
    except ENCODER_ERRORS as error:
        with notes_box:
            show_error(error)
        return
    with look_box, errors_shown():
        lists_box, histogram_box = st.container(key="neighbour-pictures").columns([7, 3])
        with lists_box:
            draw_rankings(scene)
        with histogram_box:
            draw_histogram(scene)
        show_headlines(scene)
        is_measured = True
    with panel.parts, errors_shown():
        look = cloud_choices.Look(view="mean", n_components=2, colour="topic")
        show_two(corpus, scene.points, look, explored, query.row)
    with notes_box:  # above the pictures, but computed after they were sent
        warn_of_reading(corpus)
    if not is_presenting():
        with answer_box, errors_shown():
            _answer(scene, is_measured=is_measured)
    with more_box, st.container(horizontal=True):
        basis = provenance(scene)
        both = partial(lists_csv, scene, basis)
        offer_csv(_("Download both lists (CSV)"), "neighbours", both)
        if is_measured:
            rows = partial(points_csv, scene, basis)
            offer_csv(_("Download all points (CSV)"), "neighbours-points", rows)


def _answer(scene: NeighboursScene, *, is_measured: bool) -> None:
    if is_measured:
        verdict = of_known_text(neighbours_verdict(scene), scene.points)
        measures.show_verdict(verdict, key="neighbours")
    for question in ("hub", "better", "fit"):
        show_question(PAGE, question)
    if is_measured:
        show_folded(_("Hubs"), "hubs", show_hubs, scene, icon=":material/table:")
    label = _("Queries with known answers")
    show_folded(label, "relevance", show_relevance, scene, icon=":material/rule:")
