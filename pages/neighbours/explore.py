"""Neighbours' interactive part: one fragment with its lists, pictures and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from geometry import Corpus, CorpusError
from geometry.data import Judged, VectorSet, judge, read_relevance
from geometry.data.number_text import change, estimate, signed, with_sign
from geometry.figures.histogram import HistogramWords, cosine_histogram_figure
from geometry.figures.slopes import Item, SlopeWords, slopes_figure
from geometry.measure import (
    NeighbourChanges,
    RetrievalScore,
    mrr_at_k,
    ndcg_at_k,
    recall_at_k,
    retrieval_score,
)
from geometry.measure.cosines import isotropic_cosine_shares
from geometry.measure.intervals import MIN_ROWS, Estimate
from geometry.measure.retrieval import BOOTSTRAPPED, MIN_QUERIES
from geometry.palette import Theme
from geometry.projection.point_colours import PointColours, look_of
from pages.common import jobs
from pages.common.address import is_presenting
from pages.common.cache import kept
from pages.common.cloud_choices import Look, choose_cloud, choose_fit_set, warn_of_too_few
from pages.common.compare_two import show_two
from pages.common.corpus_cloud import (
    ALL_POINTS,
    OF_VECTORS,
    CorpusCloud,
    encoded_texts,
    row_numbers,
    warn_of_cache,
)
from pages.common.cosine_histogram import EDGES, HISTOGRAM_ROWS, cosine_histogram
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import Chart, chart_of, show_chart
from pages.common.draw.clouds import current_theme, draw_legend, point_colours
from pages.common.explore_panel import Explored, explored_part, open_panel
from pages.common.folded import folded
from pages.common.measures import (
    BigNumber,
    Control,
    NoControl,
    State,
    Verdict,
    change_words,
    explained_caption,
    label_name,
    nothing_measured,
    show_big_numbers,
    show_verdict,
)
from pages.common.messages import errors_shown, show_error
from pages.common.models import current_encoder
from pages.common.origin import coverage_of, of_known_text, warn_of_coverage, warn_of_typed
from pages.common.reading import read_upload
from pages.common.seed import SEED
from pages.common.selected_points import choose_row
from pages.common.shell import picture_place, show_question
from pages.common.table_form import refused_files_leave, upload_table
from pages.common.treatment_names import choose_treatment, treatment_words
from pages.common.words import (
    _,
    language,
    markdown,
    markdown_table,
    paragraph,
    plotly,
    prose,
    short_line,
)

from . import PAGE
from .scene import (
    AT_ONCE,
    MOST_TOKENS,
    NeighbourList,
    Scene,
    SearchedClouds,
    choose_query,
    how_to_search_all,
    provenance,
    rank,
    read_points,
    search_clouds,
)

# ---- pictures ----


LONGEST = 300  # characters of a text in the picture at most

Histograms = tuple[np.ndarray, np.ndarray, int, int]  # shares before and after, pairs, dimensions


def draw_rankings(scene: Scene) -> None:
    """Both lists; a click on a point makes it the query."""
    rankings, texts = scene.rankings, scene.points.cloud.texts
    colours = point_colours(scene.points, "topic")
    before, after = (_items(ranked, scene, colours) for ranked in (rankings.before, rankings.after))
    words = SlopeWords(
        before=_("Raw"),
        after=plotly(treatment_words(scene.after)),
        stays=_("stays"),
        leaves=_("leaves"),
        enters=_("enters"),
        beyond=_("not among the {k} nearest").format(k=len(rankings.after.rows)),
        shares=_own_topic(scene),
    )
    same = _("Nearest to **{text}**: {n} of the {k} are the same after the treatment.").format(
        text=markdown(short_line(rankings.query.text, LONGEST)),
        n=len(rankings.before.rows) - len(rankings.left),
        k=len(rankings.before.rows),
    )
    label = markdown(short_line(_own_label(scene), LONGEST))
    st.markdown(
        paragraph([same, _("Its label is “{label}”.").format(label=label) if label else ""])
    )
    rows = [*rankings.before.rows, *rankings.after.rows]
    show_chart(
        chart_of(slopes_figure(before, after, words, current_theme())),
        key="neighbour-lists",
        file_name="neighbours",
        alt=paragraph(
            [
                _("Raw: {texts}.").format(
                    texts=_("; ").join(
                        short_line(texts[row], LONGEST) for row in rankings.before.rows
                    )
                ),
                _("After the treatment: {texts}.").format(
                    texts=_("; ").join(
                        short_line(texts[row], LONGEST) for row in rankings.after.rows
                    )
                ),
            ]
        ),
        on_point=partial(_choose, rows),
        zoom=False,
    )
    draw_legend(colours, current_theme())


def _own_label(scene: Scene) -> str:
    """The query's own label; "" without labels or for a typed text."""
    labels, query = scene.points.cloud.labels, scene.rankings.query
    return "" if labels is None or query.row is None else labels[query.row]


def _own_topic(scene: Scene) -> tuple[str, str]:
    """How many of each list have the query's own label; "" if it has none."""
    labels, own = scene.points.cloud.labels, _own_label(scene)
    if labels is None or not own:
        return "", ""
    before, after = (
        _("same label {n}/{k}").format(n=sum(labels[row] == own for row in rows), k=len(rows))
        for rows in (scene.rankings.before.rows, scene.rankings.after.rows)
    )
    return before, after


def _choose(rows: list[int], place: int) -> None:
    if place < len(rows):
        choose_row(rows[place])


def _items(ranked: NeighbourList, scene: Scene, colours: PointColours) -> list[Item]:
    cloud, theme = scene.points.cloud, current_theme()
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
    """Shares of the cosines of pairs, of the same points raw and treated.

    Raises UndefinedMeasure for a row of zeros.
    """
    X = points.vectors
    if len(X) > HISTOGRAM_ROWS:
        X = X[np.sort(np.random.default_rng(SEED).choice(len(X), HISTOGRAM_ROWS, replace=False))]
    Z = clouds.apply(X)
    before, pairs = cosine_histogram(X)
    return before, cosine_histogram(Z)[0], pairs, Z.shape[1]


def draw_histogram(scene: Scene) -> None:
    """The cosines of pairs, raw and treated, and those of isotropic directions."""
    before, after, pairs, _d = histograms(scene.points, scene.clouds)
    name = treatment_words(scene.after)
    middle = (EDGES[:-1] + EDGES[1:]) / 2
    st.markdown(_("How similar are two points?"))
    show_chart(
        _histogram_chart(scene.points, scene.clouds, name, current_theme(), language()),
        key="neighbour-cosines",
        file_name="neighbours-cosines",
        alt=_("Cosines of {n} pairs. Mean: raw {raw}, {name} {white}.").format(
            n=f"{pairs:,}",
            raw=signed(float(before @ middle), 2),
            white=signed(float(after @ middle), 2),
            name=name,
        ),
    )


@kept(128)
def _histogram_chart(
    points: CorpusCloud, clouds: SearchedClouds, name: str, theme: Theme, _language: str
) -> Chart:
    before, after, _pairs, d = histograms(points, clouds)
    words = HistogramWords(
        raw=_("Raw"),
        white=plotly(name),
        reference=_("isotropic, d = {d}").format(d=d),
        x=_("cosine of two points"),
        y=_("share of the pairs"),
    )
    reference = isotropic_cosine_shares(EDGES, d)
    figure = cosine_histogram_figure(before, after, reference, EDGES, words, theme, height=330)
    return chart_of(figure.update_xaxes(dtick=0.5))  # the column is narrow


# ---- numbers ----


LONGEST_CELL = 160  # characters of a text in the table at most


def with_ends(each: Estimate, decimals: int = 2, *, sign: bool = False) -> str:
    """A value with its interval, if it has one."""
    show = change if sign else estimate
    return show(each.value, each.low, each.high, decimals)


def show_headlines(scene: Scene) -> None:
    """The share of neighbours that stay, the hubness, and the largest hub."""
    found = scene.changes
    jaccard, before, after = found.jaccard, found.before, found.after
    raw = _("raw: {value}")
    numbers = [
        BigNumber(
            _("overlap of the lists, all points (Jaccard)"),
            f"{jaccard.value:.0%}",
            "" if jaccard.low is None else f"[{jaccard.low:.0%}, {jaccard.high or 0:.0%}]",
        ),
        BigNumber(
            _("hubness (skewness of k-occurrence)"),
            signed(after.hubness, 2),
            raw.format(value=signed(before.hubness, 2)),
            change_words(with_sign(after.hubness - before.hubness, 2)),
        ),
        BigNumber(
            _("most frequent neighbour: of how many points"),
            f"{after.occurrences.max():,}",
            raw.format(value=f"{before.occurrences.max():,}"),
            change_words(with_sign(float(after.occurrences.max() - before.occurrences.max()), 0)),
        ),
    ]
    show_big_numbers(_("Neighbours of all points"), numbers, key="neighbour-numbers")
    explained_caption(provenance(scene))


def show_hubs(scene: Scene) -> None:
    """The ten largest hubs of the raw points, with their counts as neighbours before and after."""
    rows, cloud, found = scene.measured_rows, scene.points.cloud, scene.changes
    head = [_("the ten largest hubs, raw"), _("raw"), _("after"), _("cosine to the mean, raw")]
    lines = [head, ["---", "---:", "---:", "---:"]]
    X = scene.points.vectors[rows]
    mean = X.mean(axis=0, dtype=np.float64)
    for place in found.before.hubs():
        row = rows[place]
        x = X[place].astype(np.float64)
        lengths = float(np.linalg.norm(x) * np.linalg.norm(mean))
        lines.append(
            [
                markdown(short_line(cloud.texts[row], LONGEST_CELL)),
                f"{found.before.occurrences[place]:,}",
                f"{found.after.occurrences[place]:,}",
                signed(float(x @ mean) / lengths, 3) if lengths else "—",
            ]
        )
    st.markdown(markdown_table(lines))
    never = [int(np.sum(side.occurrences == 0)) for side in (found.before, found.after)]
    st.caption(prose(PAGE, "hubs", {"k": found.k, "never": never[0], "never_after": never[1]}))


def offer_lists(scene: Scene) -> None:
    """A download of the two lists."""
    table = partial(lists_csv, scene, provenance(scene))
    offer_csv(_("Download both lists (CSV)"), "neighbours", table)


def offer_points(scene: Scene) -> None:
    """A download of the counts of every point."""
    table = partial(points_csv, scene, provenance(scene))
    offer_csv(_("Download all points (CSV)"), "neighbours-points", table)


def lists_csv(scene: Scene, basis: str) -> bytes:
    """A row for each neighbour of the query.

    basis : corpus, model and settings in words.
    """
    rankings = scene.rankings
    cloud, numbers = scene.points.cloud, row_numbers(scene.points.cloud)
    lines: list[list[CsvCell]] = []
    after = scene.after, treatment_words(scene.after)
    for name, ranked in ((("raw", _("Raw")), rankings.before), (after, rankings.after)):
        for place, row in enumerate(ranked.rows):
            lines.append(
                [
                    name,
                    str(place + 1),
                    str(numbers[row] + 1),
                    cloud.texts[row],
                    "" if cloud.labels is None else cloud.labels[row],
                    short_number(ranked.cosines[place]),
                    str(ranked.ranks_there[place]),
                ]
            )
    head = ["list", "rank", "row", "text", "label", "cosine", "rank_in_other_list"]
    return csv_bytes(head, lines, f"{rankings.query.text} · {basis}")


def points_csv(scene: Scene, basis: str) -> bytes:
    """A row for each measured point: its overlap, and how often it is a neighbour.

    basis : corpus, model and settings in words.
    """
    cloud, numbers, found = scene.points.cloud, row_numbers(scene.points.cloud), scene.changes
    lines = [
        [
            str(numbers[row] + 1),
            cloud.texts[row],
            "" if cloud.labels is None else cloud.labels[row],
            short_number(found.jaccards[place]),
            str(found.before.occurrences[place]),
            str(found.after.occurrences[place]),
        ]
        for place, row in enumerate(scene.measured_rows)
    ]
    head = ["row", "text", "label", "jaccard", "k_occurrence_raw", "k_occurrence_after"]
    return csv_bytes(head, lines, basis)


# ---- claim ----


def hub_state(found: NeighbourChanges) -> State:
    """Whether the hubness falls, and below every control; as printed, to two decimals."""
    raw, after, *controls = (
        round(each, 2) for each in (found.before.hubness, found.after.hubness, *found.controls)
    )
    if not controls or found.n < MIN_ROWS:
        return "unknown"
    if after < min(raw, *controls):
        return "holds"
    if after > max(raw, *controls):
        return "fails"
    return "partly" if after < raw else "unknown"


def neighbours_verdict(scene: Scene) -> Verdict:
    """The claim, with the change of the neighbours' labels if the points have labels."""
    return Verdict(
        claim=_(
            "Hubs lie close to the mean vector. A treatment that subtracts the mean makes fewer "
            "hubs."
        ),
        source=_("Suzuki et al. (2013)"),
        state=hub_state(scene.changes),
        measured=paragraph([_hub_words(scene), _label_words(scene)]),
        control=_hub_control(scene.changes),
        basis=" · ".join(
            [
                provenance(scene),
                _("hubness has no interval, because a few points decide it"),
                _("95% intervals: subsamples of the points"),
            ]
        ),
    )


def _hub_control(found: NeighbourChanges) -> Control | NoControl:
    if not found.controls:
        return nothing_measured()
    return Control(
        _(
            "minus a vector as long as the mean, but in a random direction, the raw points have a "
            "hubness of **{low} to {high}** ({n} directions)."
        ).format(
            low=signed(min(found.controls), 2),
            high=signed(max(found.controls), 2),
            n=len(found.controls),
        )
    )


def _hub_words(scene: Scene) -> str:
    found = scene.changes
    if found.n < MIN_ROWS:
        return _("Hubs are judged from {least} points on, and {n} are shown.").format(
            least=MIN_ROWS, n=found.n
        )
    words = {
        "holds": _("{name} makes fewer hubs: hubness {before} → {after}."),
        "partly": _(
            "{name} makes fewer hubs, but not fewer than every random direction does: hubness "
            "{before} → {after}."
        ),
        "fails": _("{name} makes more hubs: hubness {before} → {after}."),
        "unknown": _("{name}: no clear difference in hubs, hubness {before} → {after}."),
    }
    return words[hub_state(found)].format(
        name=_capital(treatment_words(scene.after)),
        before=signed(found.before.hubness, 2),
        after=f"**{signed(found.after.hubness, 2)}**",
    )


def _label_words(scene: Scene) -> str:
    found = scene.changes
    each = found.agreement
    if each is None or each.low is None or each.high is None:
        return ""
    words = (
        _(
            "Neighbours become better: of the {k} nearest, the share with the same {label} is "
            "{before} → {after}, change {change}."
        )
        if each.low > 0
        else _(
            "Neighbours become worse: of the {k} nearest, the share with the same {label} is "
            "{before} → {after}, change {change}."
        )
        if each.high < 0
        else _(
            "There is no clear difference in labels: of the {k} nearest, the share with the same "
            "{label} is {before} → {after}, change {change}."
        )
    )
    before, after = found.before.agreement, found.after.agreement
    return words.format(
        k=found.k,
        label=markdown(label_name(scene.points.corpus)),
        before="" if before is None else with_ends(before, 3),
        after="" if after is None else with_ends(after, 3),
        change=with_ends(each, 3, sign=True),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---- judged queries ----


FILE = "relevance-file"
MEASURES = {"recall": recall_at_k, "nDCG": ndcg_at_k, "MRR": mrr_at_k}
AT_ONCE_BYTES = 300_000  # of a file whose answers are found in less than a second


@dataclass(frozen=True)
class Named:
    """A file's queries and answers, or those judged on some points; a reader's own."""

    found: Any
    content_key: str
    private: bool = True


@dataclass(frozen=True)
class Retrieved:
    """The judged queries, and the scores (q,) of each, raw and treated, with their means."""

    judged: Judged
    scores: Mapping[str, tuple[np.ndarray, np.ndarray]]  # by the names of MEASURES
    means: Mapping[str, RetrievalScore]


def show_relevance(scene: Scene) -> None:
    """The upload, the scores before and after, and their change."""
    st.markdown(prose(PAGE, "relevance"))
    label = _("Queries and their answers (.csv, .tsv, .jsonl), at most {megabytes} MB")
    file = upload_table(label, FILE)
    if file is None:
        return
    try:
        with refused_files_leave(file):
            relevance = read_upload(read_relevance, file)
    except CorpusError as error:
        show_error(error)
        return
    how: dict[str, Any] = {
        "what": _("Answers of {n} queries").format(n=f"{len(relevance):,}"),
        "at_once": file.size <= AT_ONCE_BYTES,
        "lane": "measure",
    }
    queries = jobs.kept_or_made(_judged, Named(relevance, file.file_id), scene.points, **how)
    judged: Judged = queries.found
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
    _show_scores(scene, found)
    offer_csv(
        _("Download scores by query (CSV)"),
        "neighbours-queries",
        partial(queries_csv, found, provenance(scene)),
    )


@kept(4)
def _judged(file: Named, points: CorpusCloud, report: jobs.Progress = jobs.no_report) -> Named:
    """All queries, or only those that are points if no encoder can encode the others."""
    report(0, 0)
    judged = judge(file.found, points.cloud.texts, row_numbers(points.cloud).tolist())
    if points.model is None or points.cloud.unit != "sentences":
        places = [place for place, row in enumerate(judged.rows) if row is not None]
        judged = Judged(
            tuple(judged.queries[place] for place in places),
            tuple(judged.rows[place] for place in places),
            tuple(judged.relevant[place] for place in places),
            tuple(judged.left_out[place] for place in places),
            judged.n_queries,
            judged.n_missing,
        )
    return Named(judged, f"{file.content_key}/{points.key}")


def _warn_of_missing(scene: Scene, judged: Judged) -> None:
    if len(judged) == judged.n_queries and not judged.n_missing:
        return
    message = _(
        "{n} of {all} queries are used. Answers that are not among the {points} points searched: "
        "{missing}."
    ).format(
        n=f"{len(judged):,}",
        all=f"{judged.n_queries:,}",
        points=f"{scene.n_searched:,}",
        missing=f"{judged.n_missing:,}",
    )
    st.warning(paragraph([message, how_to_search_all(scene.fit_code)]))


@kept(8)
def _retrieved(
    queries: Named,
    points: CorpusCloud,
    clouds: SearchedClouds,
    k: int,
    typed: np.ndarray | None,  # (m, d) of the queries that are no points
    report: jobs.Progress = jobs.no_report,
) -> Retrieved:
    """The scores of each query. A query and its copies do not count as answers."""
    judged: Judged = queries.found
    is_typed = np.array([row is None for row in judged.rows])
    vectors = np.zeros((len(judged), points.vectors.shape[1]), dtype=np.float32)
    vectors[~is_typed] = points.vectors[[row for row in judged.rows if row is not None]]
    if typed is not None:
        vectors[is_typed] = typed
    report(0, 2)
    before = clouds.before.nearest_except(vectors, k, judged.left_out).rows
    report(1, 2)
    after = clouds.after.nearest_except(clouds.apply(vectors), k, judged.left_out).rows
    scores = {
        name: (measure(before, judged.relevant), measure(after, judged.relevant))
        for name, measure in MEASURES.items()
    }
    means = {name: retrieval_score(*both, seed=SEED) for name, both in scores.items()}
    return Retrieved(judged, scores, means)


def _show_scores(scene: Scene, found: Retrieved) -> None:
    k = scene.k
    head = [_("measure"), _("Raw"), treatment_words(scene.after), _("change")]
    lines = [head, ["---", "---:", "---:", "---:"]]
    for name, score in found.means.items():
        lines.append(
            [
                f"{name}@{k}",
                with_ends(score.before, 3),
                with_ends(score.after, 3),
                with_ends(score.change, 3, sign=True),
            ]
        )
    st.markdown(markdown_table(lines))
    n = len(found.judged)
    st.caption(
        _("{n} queries; 95% intervals by a bootstrap over queries, seed {seed}.").format(
            n=f"{n:,}", seed=SEED
        )
        if n >= BOOTSTRAPPED
        else _(
            "{n} queries; 95% intervals by a bootstrap over queries, those of changes by random "
            "signs, seed {seed}."
        ).format(n=n, seed=SEED)
        if n >= MIN_QUERIES
        else _("{n} queries. An interval needs {least} or more.").format(n=n, least=MIN_QUERIES)
    )


def queries_csv(found: Retrieved, basis: str) -> bytes:
    """A row for each query."""
    columns = [side for both in found.scores.values() for side in both]
    lines = [
        [query, str(len(relevant)), *(short_number(column[place]) for column in columns)]
        for place, (query, relevant) in enumerate(
            zip(found.judged.queries, found.judged.relevant, strict=True)
        )
    ]
    sides = [f"{name.lower()}_{side}" for name in found.scores for side in ("raw", "after")]
    return csv_bytes(["query", "answers", *sides], lines, basis)


# ---- controls ----


MOST_NEAREST, NEAREST = 25, 10


def choose_nearest() -> int:
    """How many neighbours are counted and listed."""
    return int(
        st.slider(_("Neighbours k"), 1, MOST_NEAREST, NEAREST, key="nearest", bind="query-params")
    )


# ---- the fragment ----


@st.fragment
def explore(corpus: Corpus | VectorSet) -> None:
    """The controls and pictures, then the results in words and numbers."""
    control_box, notes_box = st.container(key="cloud-controls"), st.container()
    # a separate container: a progress bar would shift the elements below it,
    # and the browser would build them again and lose the focus
    progress_box, look_box, panel = st.container(), picture_place(), open_panel(has_cloud=False)
    answer_box = st.container()
    more_box = st.expander(_("More controls and downloads"), key="more-controls")
    with panel.parts:
        explored = explored_part(corpus, has_picture=False)
    scene = None
    with errors_shown(notes_box):
        scene = _choose_scene(
            corpus,
            explored,
            controls=control_box,
            more=more_box,
            notes=notes_box,
            progress=progress_box,
        )
    if scene is None:
        return
    is_measured = False
    with look_box, errors_shown():
        is_measured = _show_pictures(scene)
    with panel.parts, errors_shown():
        look = Look(view="mean", n_components=2, colour="topic")
        show_two(corpus, scene.points, look, explored, scene.rankings.query.row)
    with notes_box:  # above the pictures, but computed after they were sent
        if isinstance(corpus, Corpus):
            with errors_shown():
                warn_of_coverage(coverage_of(corpus))
        warn_of_cache()
    if not is_presenting():
        with answer_box, errors_shown():
            _answer(scene, is_measured=is_measured)
    with more_box, st.container(horizontal=True):
        offer_lists(scene)
        if is_measured:
            offer_points(scene)


def _choose_scene(
    corpus: Corpus | VectorSet,
    explored: Explored,
    *,
    controls: DeltaGenerator,
    more: DeltaGenerator,
    notes: DeltaGenerator,
    progress: DeltaGenerator,
) -> Scene | None:
    """The controls and the scene; None if there are too few points."""
    with controls:
        if isinstance(corpus, VectorSet):
            spec = OF_VECTORS
        else:
            spec = choose_cloud(current_encoder(), more=more)
            most = MOST_TOKENS if spec.unit == "tokens" else ALL_POINTS
            spec = replace(spec, max_points=most)
        after_box, fit_box, nearest_box, search_box, match_box = st.columns(5)
    with fit_box:
        code = choose_fit_set(corpus)
    with progress:
        points, fit = read_points(corpus, spec, code, explored.left_in)
    with notes:
        if warn_of_too_few(min(len(points.cloud), len(fit.cloud))):
            return None
    with nearest_box:
        k = min(choose_nearest(), len(points.cloud) - 2)
    with after_box:
        after = choose_treatment(PAGE, len(fit.cloud), fit.vectors.shape[1], notes=notes)
    with progress:
        clouds = jobs.kept_or_made(
            search_clouds,
            *(points, fit, after),
            what=_("Preparing {n} points for the search").format(n=f"{len(points.cloud):,}"),
            at_once=len(points.cloud) <= AT_ONCE,
            lane="measure",
        )
    chosen = choose_query(points, code, search=search_box, matches=match_box)
    rankings = rank(clouds, chosen, k)
    return Scene(points, fit, code, after, k, clouds, rankings)


def _show_pictures(scene: Scene) -> bool:
    """The lists, the histogram and the numbers; False if these are undefined."""
    with st.container(key="neighbour-pictures"):
        lists_box, histogram_box = st.columns([7, 3])
    with lists_box:
        draw_rankings(scene)
    with histogram_box:
        draw_histogram(scene)
    show_headlines(scene)
    return True


def _answer(scene: Scene, *, is_measured: bool) -> None:
    """Below the picture: the claim, the questions, hubs, queries with known answers.

    is_measured : False if the numbers over all points are undefined.
    """
    if is_measured:
        show_verdict(of_known_text(neighbours_verdict(scene), scene.points), key="neighbours")
    for question in ("hub", "better", "fit"):
        show_question(PAGE, question)
    if is_measured:
        with folded(_("Hubs"), key="hubs", icon=":material/table:") as is_open:
            if is_open:
                show_hubs(scene)
    with folded(
        _("Queries with known answers"), key="relevance", icon=":material/rule:"
    ) as is_open:
        if is_open:
            with errors_shown():
                show_relevance(scene)
