"""Two at once: the same rows by two models, layers, poolings or treatments, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from geometry import Corpus, Encoder, Pairs
from geometry.data import VectorSet
from geometry.data.number_text import estimate, signed
from geometry.data.pairs import BUNDLED_PAIRS, read_bundled_pairs
from geometry.encode.pool import DEFAULT_POOLING
from geometry.evaluate.fitting import FitSet
from geometry.explore import Comparison, Preference, align, compare, nearest_rows, prefer
from geometry.measure import mean_cosine
from geometry.projection import Projection, project
from geometry.projection.packing import pack_cloud
from geometry.projection.twin import common_scale
from geometry.projection.twin_message import Picture, Points, TwinCloud

from . import jobs
from .cache import kept
from .cloud_choices import Look, choose_pooling
from .controls import choose_in, layer_options, pooling_names
from .corpus_cloud import (
    MOST_DRAWN,
    CloudSpec,
    CorpusCloud,
    cloud_of_vectors,
    encode_corpus,
    labels_of,
)
from .draw.clouds import alternative_with, axis_titles, current_theme, point_colours
from .draw.twin_cloud import has_no_webgl2, show_twin_cloud
from .explore_panel import Explored
from .folded import show_folded
from .measures import label_name
from .messages import errors_shown
from .models import USED, bundled_names, chosen_model, current_encoder, other_encoder
from .origin import origin
from .seed import SEED
from .selected_points import choose_row, chosen_marks, short, store_selection
from .treatment_names import offered, treatment_words
from .uploads import OWN_PAIRS, OWN_VECTORS, own_labels, own_vectors
from .words import _, aligned_table, dotted, markdown, paragraph

SIDES = ("first", "second")
RAW = "raw"
CHOSEN = "chosen"  # code of a model that needs a download
THIS = "this"  # code of a reader's own vectors that the page shows
MOST_COMPARED = 10_000  # rows of the numbers, a sample of more
AT_ONCE = 3_000  # rows whose numbers take less than a second
K = 10  # neighbours of each row
LEAST_PAIRS = 30


@dataclass(frozen=True)
class TwoSide:
    """One of the two: the rows by a model at a layer, and a treatment fitted on them."""

    points: CorpusCloud  # raw, the rows that both sides have
    treatment: str

    @property
    def private(self) -> bool:
        return self.points.private

    @property
    def title(self) -> str:
        model = self.points.model
        words = [self.points.corpus.name if model is None else model.name.rpartition("/")[2]]
        if model is not None and model.n_layers:
            words.append(_("layer {layer}").format(layer=self.points.spec.layer))
            words.append(pooling_names(model)[self.points.spec.pooling])
        treatment = _("raw") if self.treatment == RAW else treatment_words(self.treatment)
        return dotted(*words, treatment)


# ---- the choice ----


def show_two(*given: Any) -> None:
    """A part with any two sets of vectors of the points' rows beside each other; as ``_show``."""
    show_folded(_("Two at once"), "two", _show, *given, icon=":material/compare:")


def _show(
    corpus: Corpus | VectorSet,
    points: CorpusCloud,
    look: Look,
    explored: Explored,
    chosen: int | None,
) -> None:
    if points.cloud.unit not in ("sentences", "vectors"):
        st.info(_("This needs sentences or a file of vectors, not tokens or types."))
        return
    st.markdown(
        _(
            "The same rows by two models, layers, poolings or treatments. Any set of vectors with "
            "a row for each text can be one of them: open it on the page *Your corpus*. So can "
            "models that you have chosen before in the sidebar."
        )
    )
    sides = [_choose_side(corpus, points, side) for side in SIDES]
    rows = points.corpus_rows
    for cloud, _treatment in sides:
        rows = np.intersect1d(rows, cloud.corpus_rows)
    if len(rows) < max(K + 2, look.n_components + 1):
        st.info(_("The two have {n} rows in common, which are too few.").format(n=len(rows)))
        return
    first, second = (TwoSide(_rows_of(cloud, rows), treatment) for cloud, treatment in sides)
    if (first.points.key, first.treatment) == (second.points.key, second.treatment):
        st.info(_("Both are the same. Choose another model, layer, pooling or treatment."))
        return
    place = np.flatnonzero(np.isin(points.corpus_rows, rows))
    shown = points if len(place) == len(points.cloud) else points.take(place, "two")
    marked = None if chosen is None or chosen not in place else int(np.searchsorted(place, chosen))
    residual = _draw(first, second, shown, place, look, explored, marked)
    with errors_shown():
        if _show_numbers(first, second, residual) and marked is not None:
            _show_lists(first, second, shown, marked)


def _rows_of(cloud: CorpusCloud, rows: np.ndarray) -> CorpusCloud:
    if np.array_equal(cloud.corpus_rows, rows):
        return cloud
    taken = np.intersect1d(cloud.corpus_rows, rows, return_indices=True)[1]
    return cloud.take(taken, f"two-{Points.of(rows.tobytes()).name}")


def _choose_side(
    corpus: Corpus | VectorSet, points: CorpusCloud, side: str
) -> tuple[CorpusCloud, str]:
    models = _models(corpus, points)
    usual = next(iter(models))
    boxes = st.columns([3, 2, 2, 3])
    label = _("First") if side == "first" else _("Second")
    model = choose_in(boxes[0], label, models, key=f"{side}-model")
    if model == THIS:
        cloud = points
    elif model in own_vectors():
        cloud = cloud_of_vectors(own_vectors()[model])
    else:
        if isinstance(corpus, VectorSet):
            labels = corpus.labels
            corpus = Corpus(corpus.name, corpus.texts or (), labels=labels, columns=corpus.columns)
        is_chosen = model in (CHOSEN, chosen_model().name)
        encoder = current_encoder() if is_chosen else other_encoder(model)
        spec = _choose_spec(encoder, points, side, boxes[1:3], is_usual=model == usual)
        cloud = encode_corpus(corpus, spec, encoder=encoder, private=points.private)
    codes = offered(of_moments=False)
    treatments = {RAW: _("raw")} | {code: treatment_words(code) for code in codes}
    first = RAW if side == "first" or points.model is not None else codes[0]
    return cloud, choose_in(boxes[3], _("Treatment"), treatments, first, key=f"{side}-treatment")


def _models(corpus: Corpus | VectorSet, points: CorpusCloud) -> dict[str, str]:
    found: dict[str, str] = {}
    if points.model is None:
        found[THIS] = points.corpus.name
    if isinstance(corpus, Corpus) or corpus.texts is not None:
        own = chosen_model().name
        models = bundled_names()
        models |= {name: name for name in st.session_state.get(USED, ()) if name != own}
        if not chosen_model().is_in_project:
            models = {CHOSEN: current_encoder().name, **models}
        found |= {code: models[code] for code in sorted(models, key=lambda code: code != own)}
    names = own_labels(OWN_VECTORS)
    for code, vectors in own_vectors().items():
        if vectors is not corpus and len(vectors) == len(corpus):
            found[code] = names[code]
    return found


def _choose_spec(
    encoder: Encoder, points: CorpusCloud, side: str, boxes: Sequence[Any], *, is_usual: bool
) -> CloudSpec:
    """Layer and pooling: of the first side those of the page, of the second the last layer."""
    spec = points.spec
    last = encoder.n_layers
    layer, pooling = str(last), DEFAULT_POOLING
    if is_usual and points.model is not None and f"{spec.layer}".isdigit():
        pooling = spec.pooling
        if side == "first":
            layer = str(spec.layer)
        elif spec.layer == last:
            layer = "0"
    if last:
        layer = choose_in(boxes[0], _("Layer"), layer_options(last), layer, key=f"{side}-place")
    with boxes[1]:
        pooling = choose_pooling(encoder, encoder.poolings, key=f"{side}-pooling", default=pooling)
    at = last if pooling == "own" else int(layer)
    return CloudSpec("sentences", at, pooling, spec.special_tokens, MOST_DRAWN)


# ---- pictures ----


@kept(16)
def _treated(side: TwoSide) -> np.ndarray:
    """The vectors (n, k) after the treatment, fitted on them, in the directions that are left."""
    X = side.points.vectors
    if side.treatment == RAW:
        return X
    return FitSet(X).fit(side.treatment).apply(X).retained


@kept(16)
def _drawn(side: TwoSide, method: str, k: int) -> Projection:
    return project(_treated(side), method, k, random_state=SEED)


def _draw(
    first: TwoSide,
    second: TwoSide,
    points: CorpusCloud,
    place: np.ndarray,  # (n,) the rows of these points on the page, which a click chooses
    look: Look,
    explored: Explored,
    chosen: int | None,
) -> float:
    """Both pictures with a film from the first to the second; returns Procrustes' residual."""
    is_raw = first.treatment == second.treatment == RAW
    method = "svd" if look.is_map or (look.view != "pca" and not is_raw) else look.view
    k = look.n_components
    sides = (first, second)
    picture, other = (_drawn(side, method, k) for side in sides)
    aligned, residual = align(picture.around_origin, other.around_origin)
    if has_no_webgl2():
        st.info(_("The two pictures need WebGL2, which this browser does not have."))
        return residual
    reach = max(common_scale(picture, picture)[1], float(np.abs(aligned).max()))
    places = [picture.around_origin, aligned]
    names = [side.title for side in sides]
    n = len(points.cloud)
    alts = [alternative_with(side.title, n, mean_cosine(_treated(side)), None) for side in sides]
    twin = TwinCloud(
        points=Points.of(pack_cloud(places, reach)),
        rows_key=f"two-{points.key}",
        pictures=[
            Picture([0], [names[0]]),
            Picture([0, 1], names, _("to {name}: {share}").format(name=names[1], share="{0}")),
        ],
        colours=point_colours(points, look.colour, picture.around_origin),
        reach=reach,
        axis_titles=axis_titles(method, k),
        origin_label=None if picture.origin is None else _("origin"),
        name=_("The same rows twice"),
        film_name=_("From the first to the second"),
        at=1.0,
        knobs=((0.0,), (1.0,)),
        landmarks=list(enumerate(names)),
        alt=paragraph(alts),
        marks=chosen_marks(points, chosen),
        provenance=dotted(*origin(points), _("seed {seed}").format(seed=SEED)),
        file_name="two-at-once",
        dots=explored.dots(points),
    )
    how: dict[str, Any] = {
        "texts": points.cloud.texts,
        "on_point": lambda row: choose_row(int(place[row])),
        "on_selection": partial(store_selection, points.shared_key),
    }
    show_twin_cloud(twin, current_theme(), key="two-clouds", in_address=False, **how)
    return residual


# ---- numbers ----


@kept(16)
def _compared(
    first: TwoSide, second: TwoSide, report: jobs.Progress = jobs.no_report
) -> Comparison:
    points = first.points
    how: dict[str, Any] = {"labels": labels_of(points.cloud), "units": points.units}
    return compare(_treated(first), _treated(second), k=K, seed=SEED, progress=report, **how)


@kept(16)
def _preferred(first: TwoSide, second: TwoSide, pairs: Pairs | None) -> Preference | None:
    points = first.points
    labels = labels_of(points.cloud)
    if pairs is None and labels is None:
        return None
    how: dict[str, Any] = {"texts": points.cloud.texts, "units": points.units, "seed": SEED}
    if pairs is None:
        how["labels"] = labels
    else:
        how["pairs"] = rows_of_pairs(pairs, points.cloud.texts)
    return prefer(_treated(first), _treated(second), **how)


def rows_of_pairs(pairs: Pairs, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of the texts (n,) that pairs are of, and their scores; other pairs are left out."""
    place = {text: row for row, text in enumerate(texts)}
    found = [
        (place[left], place[right], score)
        for left, right, score in zip(pairs.left, pairs.right, pairs.gold_scores, strict=True)
        if left in place and right in place
    ]
    left, right, scores = np.array(found, dtype=float).reshape(-1, 3).T
    return left.astype(np.int64), right.astype(np.int64), scores


def _show_numbers(first: TwoSide, second: TwoSide, residual: float) -> bool:
    """The numbers of both; False where no row has nearest neighbours."""
    # of many rows a sample, the same on both sides
    sides = [replace(side, points=side.points.sample(MOST_COMPARED)) for side in (first, second)]
    n = len(sides[0].points.cloud)
    what = _("Comparing {n} points with each other").format(n=f"{n:,}")
    found = jobs.kept_or_made(_compared, *sides, what=what, at_once=n <= AT_ONCE, passing=True)
    in_both = None if found.neighbours is None else found.neighbours.jaccard
    jaccard = "—" if in_both is None else estimate(in_both.value, in_both.low, in_both.high, 2)
    ranks = "—" if found.rank_correlation is None else signed(found.rank_correlation, 3)
    cka = "—" if found.cka is None else f"{found.cka:.3f}"
    equal = _("equal: {value}")
    one = equal.format(value="1")
    shuffled = _("rows shuffled: {value}").format(value=f"{found.cka_by_chance or 0:.3f}")
    left_over = _("left over by the alignment of the pictures (Procrustes)")
    rows = [
        (_("neighbours in both lists (Jaccard, k = {k})").format(k=K), jaccard, one),
        (_("rank correlation of all cosines (Spearman)"), ranks, one),
        (_("linear CKA"), cka, shuffled),
        (left_over, f"{residual:.1%}", equal.format(value="0%")),
    ]
    st.markdown(aligned_table([_("measure"), _("value"), _("reference")], rows))
    for pairs in (None, *pairs_of(sides[0].points)):
        preferred = _preferred(sides[0], sides[1], pairs)
        if preferred is not None:
            st.markdown(_preference_line(preferred, pairs, sides))
    notes = [
        _("{n} rows").format(n=f"{n:,}"),
        _("cosines of all pairs of {n} rows").format(n=f"{found.n_paired:,}"),
        _("treatments are fitted on these rows"),
        _("seed {seed}").format(seed=SEED),
    ]
    if {first.treatment, second.treatment} != {RAW}:
        doubt = _(
            "A treatment is fitted here on the rows that judge it, so it may look better than it "
            "is. The diagnosis on *Your corpus* fits and judges on different rows."
        )
        st.markdown(doubt)
    about_cka = _(
        "CKA weighs directions by their variance: Kornblith et al. (2019). So sets with different "
        "neighbours may have a high one."
    )
    st.caption(paragraph([dotted(*notes), about_cka]))
    return in_both is not None


def pairs_of(points: CorpusCloud) -> list[Pairs]:
    own = st.session_state.get(OWN_PAIRS, {}).values()
    bundled = [] if points.private else [read_bundled_pairs(name) for name in BUNDLED_PAIRS]
    texts = points.cloud.texts
    return [each for each in (*own, *bundled) if len(rows_of_pairs(each, texts)[2]) >= LEAST_PAIRS]


def _preference_line(found: Preference, pairs: Pairs | None, sides: Sequence[TwoSide]) -> str:
    what = label_name(sides[0].points.corpus) if pairs is None else pairs.name
    better = {"first": sides[0].title, "second": sides[1].title}.get(found.better)
    verdict = _("**{name}** is better for {what}.")
    if better is None:
        verdict = _("**No clear difference** for {what}.")
    measure = _("Spearman with the scores of {n} pairs")
    if pairs is None:
        measure = _("share of the 5 nearest neighbours with the same label, of {n} rows")
    numbers = _("{measure}: {first} → {second}, change {change}.").format(
        measure=measure.format(n=f"{found.n:,}"),
        first=signed(found.first, 3),
        second=signed(found.second, 3),
        change=estimate(found.change.value, found.change.low, found.change.high, 3),
    )
    verdict = verdict.format(name=markdown(better or ""), what=markdown(what))
    return paragraph([verdict, numbers[:1].upper() + numbers[1:]])


# ---- the chosen point ----


def _show_lists(first: TwoSide, second: TwoSide, points: CorpusCloud, row: int) -> None:
    clouds = map(_treated, (first, second))
    # the point itself is the nearest, unless K others are equal
    found = [nearest_rows(X, X[row], K + 1).tolist() for X in clouds]
    near = [[each for each in rows if each != row][:K] for rows in found]
    parts = (
        (_("In both"), [each for each in near[0] if each in near[1]]),
        (_("Lost"), [each for each in near[0] if each not in near[1]]),
        (_("Gained"), [each for each in near[1] if each not in near[0]]),
    )
    texts = points.cloud.texts
    st.markdown(_("The {k} nearest to **{text}**").format(k=K, text=short(texts[row])))
    for box, (title, rows) in zip(st.columns(3), parts, strict=True):
        lines = "\n".join(f"- {short(texts[each])}" for each in rows)
        box.markdown(f"**{title}** ({len(rows)})\n\n{lines}")
