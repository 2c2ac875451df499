"""The diagnosis of a cloud of vectors: findings, a trial of the cures, one recommendation."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from itertools import count
from typing import Any

import numpy as np

from ..data.corpus import Corpus
from ..data.frames import Framed
from ..data.relevance import JudgedQueries
from ..encode.sentence_modules import is_sentence_model, module_name, module_vectors
from ..evaluate.fitting import FitSet
from ..linalg.rows import UndefinedMeasure, float_rows, some_rows
from ..measure import cosine_contributions, pairwise_cosines
from ..measure.cosines import cosine_shares, isotropic_cosine_shares
from ..measure.intervals import units_of
from ..process import no_report
from ..projection import project
from ..transform.treatments import Treatment
from . import yardsticks
from .findings import Finding, find_all
from .thresholds import Thresholds, find_thresholds
from .trial import Cure, Trial, n_steps, run_trial
from .yardsticks import LEAST_ROWS, LabelYardstick, QueryYardstick, TrialRows, Yardstick, change

# Rows that findings measure; neighbours take n² d operations, so a larger cloud is sampled
MOST_ROWS = 5000
MOST_ITEMS = 1000  # by which the effect of a finding is judged
LARGE_EFFECT = 0.01  # on the yardstick, where it is clear
MOST_UNKNOWN = 0.2  # share of a text's tokens; above it, vectors say little about the text
FINDINGS_STEPS = 2  # findings of the cloud, thresholds
BINS, COSINE_ROWS, TOP, POINTS = 50, 1200, 10, 800  # of the pictures
OF_THE_DATA = ("rank", "duplicates")  # findings that do not depend on what the model knows


@dataclass(frozen=True)
class Pictures:
    """The numbers behind the pictures, few enough to be stored; empty where they are undefined."""

    edges: np.ndarray  # (b + 1,) of the bins of cosines, from -1 to 1
    cosines: np.ndarray  # (b,) share of the pairs in each bin
    isotropic: np.ndarray  # (b,) the same of isotropic data, from d = 3 on
    dimensions: np.ndarray  # (t,) those with the largest shares of the mean cosine
    shares: np.ndarray  # (t,)
    points: np.ndarray  # (m, 2) along the mean and the main direction across it, the origin at 0


@dataclass(frozen=True)
class Diagnosis(Framed):
    """Findings about a cloud, and whether a treatment helps."""

    n: int  #: n, d: vectors and dimensions
    d: int
    n_measured: int  #: vectors that were measured: all, or a sample of MOST_ROWS
    n_zero: int  #: rows of zeros, which have no direction and are left out
    seed: int  #: seed of samples, folds and intervals
    findings: tuple[Finding, ...]
    trial: Trial  #: with the recommendation, ``trial.chosen``
    yardstick: str  #: "labels", "pairs", "queries" or "none"
    vectors_sha256: str  #: digest of the vectors as float32
    texts_sha256: str | None  #: digest of the texts, each after its length
    pictures: Pictures  #: the numbers behind a report's pictures
    #: what the caller adds: name, model, layer, pooling
    about: Mapping[str, str] = field(default_factory=dict)
    #: number of texts, if the rows are sentences of texts. None where each row is a unit.
    n_units: int | None = None
    #: n_pairs, n_pairs_drawn: scored pairs, and those behind the score; None without pairs
    n_pairs: int | None = None
    n_pairs_drawn: int | None = None
    #: share of the texts' tokens that the model does not know, in [0, 1]
    unknown_share: float | None = None
    #: cosines of related and unrelated pairs; None with too few rows, or with unknown text
    thresholds: Thresholds | None = None

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "cure": cure.kind,
                "treatment": cure.treatment,
                "place": None if cure.place is None else "{}, {}".format(*cure.place),
                "score": cure.score,
                "gain": getattr(cure.against.get("leave"), "value", None),
                "low": getattr(cure.against.get("leave"), "low", None),
                "high": getattr(cure.against.get("leave"), "high", None),
                "recommended": cure is self.chosen,
                **cure.measures,
            }
            for cure in self.trial.cures
        ]

    def _repr_html_(self) -> str:
        from .report import report_html

        document = escape(report_html(self))
        style = "width:100%;height:40em;border:0"
        return f'<iframe srcdoc="{document}" sandbox style="{style}"></iframe>'

    @property
    def chosen(self) -> Cure:
        """The recommendation."""
        return self.trial.chosen


def need_directions(n: int) -> None:
    """Raise UndefinedMeasure "too_few_rows" for fewer than LEAST_ROWS vectors that are not zero."""
    if n < LEAST_ROWS:
        raise UndefinedMeasure("few_directions", n=n, limit=LEAST_ROWS)


def diagnose(
    vectors: np.ndarray | Any,
    texts: Sequence[str] | None = None,
    *,
    module: int | None = None,
    labels: Sequence[str] | None = None,
    pairs: yardsticks.ScoredRows | None = None,
    queries: JudgedQueries | None = None,
    others: Mapping[yardsticks.Place, yardsticks.Vectors] | None = None,
    units: Sequence[int] | np.ndarray | None = None,
    seed: int = 0,
    about: Mapping[str, str] | None = None,
    numbers: np.ndarray | None = None,
    unknown_share: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    first: Callable[[tuple[Finding, ...]], None] | None = None,
) -> Diagnosis:
    """What is unusual about vectors, and which treatment helps, measured on held-out rows.

    The score is of the pairs if there are pairs, else of the queries, else of the labels. A row
    whose label is "" is fitted on, and judges nothing. Raises UndefinedMeasure for fewer than 4
    vectors that are not zero.

    Parameters
    ----------
    vectors : (n, d) array of float, n >= 4, or SentenceTransformer
        Rows of zeros are left out and counted. A loaded SentenceTransformer gives the vectors of
        ``texts``.
    texts : sequence of n str, optional
        Copies of a text stay in one fold. A SentenceTransformer needs them.
    module : int, optional
        Of a SentenceTransformer: the index of the module whose vectors are diagnosed, by default
        the last one. A module that gives token vectors is followed by mean pooling.
    labels : sequence of n str, optional
    pairs : (left, right, gold_scores), optional
        left and right are row numbers (p,), or vectors (p, d) of other rows. Vectors of pairs are
        only scored; findings and fits are of ``vectors`` alone. More than MOST_PAIRS are
        sampled. Pairs alone, without a corpus, are ``(*pairs.rows, pairs.gold_scores)`` with the
        vectors of ``pairs.sentences``: sentences of a scored pair are then in no fit.
    queries : JudgedQueries, optional
        Vectors of queries with the rows that are relevant to each. They are in no fit.
    others : mapping of (layer, pooling) to array (n, d') or callable, optional
        Not with queries. The same rows at other layers, which the trial compares raw. With pairs
        that are vectors of p left and p right sides: those sides there, (2 p, d'), left ones first.
    units : (n,) ids, optional
        Rows of one unit, such as the sentences of one text, stay in one fold. Intervals draw them
        or leave them out together. The trial uses repeated texts and vectors only once: a sentence
        that many texts contain would otherwise join them into one unit.
    seed : int
    about : mapping of str to str, optional
        Name, model, layer and pooling, for a report.
    numbers : (n,) array of int, optional
        The number of each row in its file, from 1, by which findings name rows.
    unknown_share : float, optional
        Share of the texts' tokens that the model does not know (``Coverage.unknown_share``). Above
        MOST_UNKNOWN nothing is scored or found of the vectors, and the recommendation says so.
    progress : callable, optional
        Called with (steps done, steps). An exception raised in it ends the work.
    first : callable, optional
        Called with the findings as soon as they are known, before their effects on the score.
    """
    if is_sentence_model(vectors):
        if texts is None:
            raise ValueError("a SentenceTransformer needs texts: diagnose(model, texts)")
        place = -1 if module is None else module
        about = {"module": module_name(vectors, place), **(about or {})}
        vectors = module_vectors(vectors, texts, module=place)
    elif module is not None:
        raise ValueError("module is for a SentenceTransformer; vectors have none")
    X = float_rows(vectors, at_least=LEAST_ROWS)
    n, d = X.shape
    for name, given in (("texts", texts), ("labels", labels), ("units", units)):
        if given is not None and len(given) != n:
            raise ValueError(f"{len(given)} {name} for {n} vectors; each vector needs one")
    is_unread = unknown_share is not None and unknown_share > MOST_UNKNOWN
    if is_unread:
        labels, pairs, queries, others = None, None, None, {}
    others = others or {}
    unit = None if units is None else units_of(np.asarray(units), n)
    nonzero = np.flatnonzero(X.any(axis=1))
    need_directions(len(nonzero))
    sample = nonzero[some_rows(len(nonzero), MOST_ROWS, seed)]
    total = FINDINGS_STEPS + n_steps(d, len(others))
    report = progress or no_report
    steps = count(1)

    def step() -> None:
        report(min(next(steps), total), total)

    report(0, total)
    findings, members = find_all(
        X, nonzero, sample, texts=texts, units=unit, numbers=numbers, seed=seed
    )
    if first is not None and not is_unread:
        first(findings)
    pictures = make_pictures(X[sample], seed=seed)
    step()
    judges = {"pairs": pairs, "queries": queries, "labels": labels}
    rows = TrialRows.given(X, texts=texts, units=units, seed=seed, **judges)  # type: ignore[arg-type]
    trial = run_trial(replace(rows, others=others), seed=seed, step=step)
    if trial.cures[0].score is not None:
        by_kind = {cure.kind: cure.against.get("leave") for cure in trial.cures}
        # what centring changes for the cone, and whitening all directions for n/d
        effects = {"cone": by_kind.get("centre"), "rank": by_kind.get("level")}
        findings = tuple(
            replace(each, effect=effects[each.code])
            if each.code in effects
            else _with_effect(each, members.get(each.code), rows, sample, seed)
            for each in findings
        )
    thresholds = None if is_unread else find_thresholds(rows, cures=trial.cures, seed=seed)
    if is_unread:
        trial = replace(trial, because="unknown_text")
        findings = tuple(each for each in findings if each.code in OF_THE_DATA)
    report(total, total)
    return Diagnosis(
        n=n,
        d=d,
        n_measured=len(sample),
        n_zero=n - len(nonzero),
        seed=seed,
        findings=findings,
        trial=trial,
        yardstick=next((name for name, each in judges.items() if each is not None), "none"),
        vectors_sha256=hashlib.sha256(np.ascontiguousarray(X, np.float32).ravel().data).hexdigest(),
        texts_sha256=None if texts is None else Corpus("", tuple(texts)).sha256,
        pictures=pictures,
        about=dict(about or {}),
        n_units=None if unit is None else len(np.unique(unit[nonzero])),
        n_pairs=None if pairs is None else len(pairs[2]),
        n_pairs_drawn=rows.n_pairs,
        unknown_share=unknown_share,
        thresholds=thresholds,
    )


def recommended_treatment(diagnosis: Diagnosis, vectors: np.ndarray) -> Treatment:
    """The treatment that is recommended at this layer, fitted on all vectors (n, d) but zeros.

    It is "raw" where none is recommended.
    """
    return fit_cure(diagnosis.trial.here.treatment, vectors)


def fit_cure(treatment: str, vectors: np.ndarray) -> Treatment:
    """A treatment, as ``parse_treatment`` reads it, fitted on all vectors (n, d) but zeros."""
    X = float_rows(vectors, at_least=2)
    return FitSet(X[X.any(axis=1)]).fit(treatment)


def _with_effect(
    finding: Finding,
    members: np.ndarray | None,
    rows: TrialRows,
    sample: np.ndarray,
    seed: int,
) -> Finding:
    """The finding with what its dimensions, or its rows as neighbours, change in the score."""
    X = rows.X
    yardstick = rows.yardstick
    assert yardstick is not None
    dimensions = finding.numbers.get("dimensions")
    if finding.code == "rogue" and finding.state != "none" and isinstance(dimensions, tuple):
        items = _some_items(yardstick, seed)
        try:
            before = yardstick.score(X, items)
            after = yardstick.score(np.delete(X, dimensions, axis=1), items)
        except UndefinedMeasure:  # nothing but these dimensions
            return finding
    elif members is not None and isinstance(yardstick, LabelYardstick | QueryYardstick):
        yardstick, X, searched = yardstick.among(np.isin(rows.numbers, sample), X)
        hidden = np.isin(rows.numbers[searched], members)
        items = _some_items(yardstick, seed)
        if isinstance(yardstick, LabelYardstick):
            items = items[~hidden[items]]
        if not 0 < hidden.sum() < len(hidden) / 2 or not len(items):
            return finding
        before, after = yardstick.score(X, items), yardstick.score(X, items, hidden=hidden)
    else:
        return finding
    effect = change(before, after, yardstick.units)
    is_large = (effect.rises or effect.falls) and abs(effect.value) >= LARGE_EFFECT
    return replace(finding, effect=effect, state="found" if is_large else finding.state)


def _some_items(yardstick: Yardstick, seed: int) -> np.ndarray:
    n = len(yardstick.groups)
    return np.sort(np.random.default_rng(seed).permutation(n)[:MOST_ITEMS])


def make_pictures(X: np.ndarray, *, seed: int) -> Pictures:
    """The pictures of X (n, d), n >= 2, no zero row; large clouds are sampled."""
    n, d = X.shape
    edges = np.linspace(-1, 1, BINS + 1)
    cosines = cosine_shares(pairwise_cosines(X, max_rows=COSINE_ROWS, seed=seed), edges)
    isotropic = isotropic_cosine_shares(edges, d) if d >= 3 else np.empty(0)
    shares = np.empty(0)
    with suppress(UndefinedMeasure):  # there is no mean cosine
        shares = cosine_contributions(X)
    dimensions = np.argsort(-shares)[:TOP]
    points = np.empty((0, 2))
    with suppress(UndefinedMeasure):  # there is no mean direction
        if min(n, d) > 2:
            rows = some_rows(n, POINTS, seed)
            points = project(X, "mean", n_components=2).around_origin[rows]
    return Pictures(edges, cosines, isotropic, dimensions, shares[dimensions], points)
