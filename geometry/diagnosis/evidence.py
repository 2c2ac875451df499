"""Does a cure help, and where? Paired gains of every cure over raw vectors, with two controls.

At each *place*, a layer and a pooling, every cure is fitted on the other folds at one fixed
setting. Two controls are judged alike: "rotated" is a random rotation, whose gain must be 0 but for
ranks of coordinates; "random:k" and "random-kept:k" remove the mean and k random directions, or all
but k. The intervals of all gains, and of all gains over controls, hold at 95% together (max-T:
Westfall, Young 1993), for the gain of these fits on other rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from .. import __version__
from ..data.relevance import JudgedQueries
from ..encode.disk_cache import ArrayStore
from ..evaluate.fitting import FitSet
from ..evaluate.specs import parse_treatment
from ..linalg.moments import Moments
from ..linalg.rows import UndefinedMeasure
from ..measure.intervals import Estimate
from ..process import Progress, no_report
from ..transform.flow import NormalizingFlow
from . import trial, yardsticks
from .trial import FOLDS, TrialSplit, chosen_by_fold, together
from .yardsticks import PairedDifference, Place, Score, TrialRows, Yardstick

At = tuple[str, str]  # cure or control, and similarity
Task = Literal["pairs", "labels", "probe", "queries"]
SIMILARITIES = ("cosine", "dot", "euclidean", "rank")
FLOW = "flow"  # among cures only where it is named: it trains for seconds at each fit
RAW, ROTATED, RANDOM, RANDOM_KEPT = "none", "rotated", "random", "random-kept"
CURES = (
    "centred",
    "standardised",
    "abtt:1",
    "abtt:3",
    "abtt:10",
    "projected:64",
    "pca:64:lw",
    "pca:t0.5:lw",
    "pca:lw",
)
TOP = 3  # directions whose share of the variance is measured
MEASURES = ("mean_cosine", "isoscore", "top_share")


@dataclass(frozen=True)
class CureGain:
    """A cure or control at a place, judged by one similarity."""

    layer: Any
    pooling: str
    similarity: str  # as in ``pair_similarities``; "" for a probe, which compares no vectors
    cure: str  # text for ``parse_treatment``, FLOW, or a control
    score: float | None = None  # None where the treated rows have no such score
    gain: Estimate | None = None  # over raw vectors
    control: str = ""  # with as many directions, or the rotation; "" for a control
    over_control: Estimate | None = None

    @property
    def is_control(self) -> bool:
        return not self.control


@dataclass(frozen=True)
class RawPlace:
    layer: Any
    pooling: str
    scores: Mapping[str, float | None]
    measures: Mapping[str, float | None]


@dataclass(frozen=True)
class GainGrid:
    task: Task  # Spearman, agreement of the 5 nearest, accuracy, or nDCG of the 10 nearest
    places: tuple[RawPlace, ...]
    gains: tuple[CureGain, ...]
    n_items: int  # pairs, rows or queries that judge
    n_units: int  # how many of them are independent
    n_fit: int
    d: int
    n_folds: int
    seed: int
    n_together: int  # differences whose intervals hold together
    about: Mapping[str, str]  # model, corpus and fit set, in words of the caller

    def of(self, layer: Any, pooling: str, cure: str, similarity: str) -> CureGain:
        wanted = (layer, pooling, cure, similarity)
        for each in self.gains:
            if (each.layer, each.pooling, each.cure, each.similarity) == wanted:
                return each
        raise KeyError(wanted)

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> GainGrid:
        """Of ``dataclasses.asdict`` of a grid, which JSON can hold."""
        places = tuple(RawPlace(**each) for each in stored["places"])
        ends = ("gain", "over_control")
        gains = tuple(
            CureGain(**each | {end: each[end] and Estimate(**each[end]) for end in ends})
            for each in stored["gains"]
        )
        return cls(**{**stored, "places": places, "gains": gains})


def evidence(
    places: Mapping[Place, np.ndarray],
    *,
    task: Task,
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    pairs: yardsticks.ScoredRows | None = None,
    queries: JudgedQueries | None = None,
    cures: Sequence[str] = CURES,
    similarities: Sequence[str] = ("cosine",),
    units: Sequence[int] | None = None,
    fittable: np.ndarray | None = None,
    about: Mapping[str, str] | None = None,
    store: ArrayStore | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> GainGrid:
    """Judge every cure and control at every place; what judges is as ``diagnose`` takes it.

    ``fittable`` rows (n,) alone are fitted on; by default those of the other folds. ``units`` (n,)
    are the text that each row is a sentence of. ``store`` has the scores of every finished place,
    so that an interrupted call resumes. UndefinedMeasure where too few items judge.
    """
    if task == "queries" and len(places) > 1:
        raise ValueError("queries have vectors at one layer and pooling only; give one place")
    # a row that is zero at one place has no direction there, and is left out everywhere
    alive = np.all([X.any(axis=1) for X in places.values()], axis=0)
    first = np.where(alive[:, None], next(iter(places.values())), 0)
    given: dict[str, Any] = {"labels": labels, "pairs": pairs, "queries": queries}
    rows = TrialRows.given(first, texts=texts, units=units, seed=seed, **given)
    base = _yardstick(rows, task, "cosine")
    judging = replace(rows, yardstick=base)
    if fittable is not None and rows.fittable.all():
        judging = replace(judging, fittable=fittable[rows.numbers])
    split = TrialSplit.of(judging, seed, n_folds=FOLDS)
    if split is None or base.amount() < base.least:
        raise UndefinedMeasure("too_few_rows", at_least=base.least, n=base.amount())
    named = ("",) if task == "probe" else tuple(similarities)
    judged = {each: _yardstick(rows, task, each or "cosine") for each in named}
    named_cures = list(map(cure_text, cures))
    controls = filter(None, map(_control_of, named_cures))
    kinds = dict.fromkeys([RAW, *named_cures, ROTATED, *controls])
    settings = (task, *kinds, *named, seed)
    # what the items are, and how they are scored, in the form of arrays
    scoring = [rows.groups, *map(np.asarray, pairs or (() if labels is None else (labels,)))]
    if task == "queries":
        store = None  # one place, which is either finished or not
    arms: dict[tuple[Place, str, str], _Arm] = {}
    raw_places = []
    for number, (place, vectors) in enumerate(places.items()):

        def report(done: int, total: int, number: int = number) -> None:
            (progress or no_report)(number * total + done, len(places) * total)

        X = rows.X if task == "queries" else vectors[rows.numbers]
        parts = (
            hashlib.sha256(f"{each.dtype}{each.shape}".encode() + each.tobytes()).hexdigest()
            for each in (X, *split.fits, split.item_folds, *scoring)
        )
        key = ArrayStore.key("evidence", __version__, *settings, *parts)
        kept = None if store is None else store.read(key)
        if kept is None:
            found = _compared(_judged(X, split, kinds, judged, seed, report), base.units)
            if store is not None:
                store.write(key, np.stack([arm.packed() for arm in found]))
        else:
            found = list(map(_Arm.unpacked, kept))
        arms |= {(place, *at): arm for at, arm in zip(product(kinds, named), found, strict=True)}
        of_raw = {name: arms[place, RAW, name].score for name in named}
        raw_places.append(RawPlace(*place, of_raw, _measures(X)))
    return GainGrid(
        task=task,
        places=tuple(raw_places),
        **_gains(arms, base.units),
        n_items=len(base.groups),
        n_units=base.amount(),
        n_fit=split.n_fit,
        d=first.shape[1],
        n_folds=split.n_folds,
        seed=seed,
        about=dict(about or {}),
    )


def cure_text(cure: str) -> str:
    """The canonical text of a cure; ValueError for an unknown one."""
    return cure if cure == FLOW else parse_treatment(cure).text


def _judged(
    X: np.ndarray,
    split: TrialSplit,
    kinds: Iterable[str],
    judges: Mapping[str, Yardstick],
    seed: int,
    report: Progress,
) -> dict[At, Score | None]:
    found: dict[At, list[Score | None]] = {}
    every = np.arange(len(split.item_folds))
    for number, (rows, items) in enumerate(split.judged(every)):
        rng = np.random.default_rng((seed, number))
        fitted = X[rows]
        fit_set = FitSet(fitted)
        for kind in kinds:
            if kind == FLOW:
                Z = NormalizingFlow(random_state=seed).fit(fitted).transform(X)
            else:
                Z = _treated(kind, fit_set, X, rng)
            for similarity, yardstick in judges.items():
                score = yardsticks.score_of(yardstick, Z, items)
                found.setdefault((kind, similarity), []).append(score)
        report(number + 1, split.n_folds)
    return {at: chosen_by_fold([each]) for at, each in found.items()}


def _yardstick(rows: TrialRows, task: Task, similarity: str) -> Yardstick:
    """What judges this task by that similarity; ValueError where the rows have no such evidence."""
    given = rows.yardstick
    if task == "pairs" and isinstance(given, yardsticks.PairYardstick):
        return replace(given, similarity=similarity)
    if task == "labels" and isinstance(given, yardsticks.LabelYardstick):
        return replace(given, similarity=similarity)
    if task == "probe" and isinstance(given, yardsticks.LabelYardstick):
        return yardsticks.ProbeYardstick(given.labels, given.row_groups, given.searched, given.seed)
    is_cosine = similarity == "cosine"
    if task == "queries" and is_cosine and isinstance(given, yardsticks.QueryYardstick):
        return given
    raise ValueError(f"task {task} by {similarity} needs other evidence than what is given")


def _treated(kind: str, fit_set: FitSet, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    name, _, count = kind.partition(":")
    if name not in (ROTATED, RANDOM, RANDOM_KEPT):
        return fit_set.fit(kind).reduced(X)
    n_directions = X.shape[1] if name == ROTATED else min(int(count), X.shape[1] - 1)
    directions = np.linalg.qr(rng.standard_normal((X.shape[1], n_directions)))[0]
    if name == ROTATED:
        return X @ directions
    centred = X - fit_set.moments.mean
    kept = centred @ directions
    return kept if name == RANDOM_KEPT else centred - kept @ directions.T


def _control_of(kind: str) -> str:
    """The control with as many directions, or the rotation; "" for raw vectors and controls."""
    if kind.partition(":")[0] in (RAW, ROTATED, RANDOM, RANDOM_KEPT):
        return ""
    if kind == FLOW:
        return ROTATED
    knobs = parse_treatment(kind).knobs
    if knobs.n_removed is not None:
        return f"{RANDOM}:{knobs.n_removed}"
    return ROTATED if knobs.n_components is None else f"{RANDOM_KEPT}:{knobs.n_components}"


@dataclass(frozen=True)
class _Arm:
    """A cure or control at a place: its score, and differences to raw vectors and its control."""

    score: float | None
    over: tuple[PairedDifference | None, ...]

    def packed(self) -> np.ndarray:
        """(2, 3 + DRAWS) for a store; NaN where there is none."""
        found = np.full((2, 3 + yardsticks.DRAWS), np.nan)
        found[:, 0] = np.nan if self.score is None else self.score
        for row, each in zip(found, self.over, strict=True):
            if each is not None:
                row[1:] = each.value, each.deviation, *each.replicates
        return found

    @classmethod
    def unpacked(cls, rows: np.ndarray) -> _Arm:
        over = (
            None if np.isnan(row[1]) else PairedDifference(float(row[1]), row[3:], float(row[2]))
            for row in rows
        )
        return cls(None if np.isnan(rows[0, 0]) else float(rows[0, 0]), tuple(over))


def _compared(scores: Mapping[At, Score | None], units: np.ndarray) -> list[_Arm]:
    found = []
    for (kind, similarity), arm in scores.items():
        others = (scores.get((each, similarity)) for each in (RAW, _control_of(kind)))
        over = (
            None if arm is None or other is None else PairedDifference.of(other, arm, units)
            for other in others
        )
        score = None if arm is None else float(arm.values[0])
        found.append(_Arm(score, tuple(over)))
    return found


def _measures(X: np.ndarray) -> dict[str, float | None]:
    X = X[X.any(axis=1)]
    variances = np.linalg.eigvalsh(Moments.of(X).scatter)[::-1]
    top_share = float(variances[:TOP].sum() / variances.sum())
    return {**trial.measures(X, MEASURES[:2]), "top_share": top_share}


def _gains(arms: Mapping[tuple[Place, str, str], _Arm], units: np.ndarray) -> dict[str, Any]:
    arms = {at: arm for at, arm in arms.items() if at[1] != RAW}
    differences = [each for arm in arms.values() for each in arm.over if each is not None]
    quantile = together(differences, len(np.unique(units)))

    def estimate(difference: PairedDifference | None) -> Estimate | None:
        return None if difference is None else difference.estimate(quantile, len(differences))

    gains = []
    for (place, kind, similarity), arm in arms.items():
        gain, over = map(estimate, arm.over)
        gains.append(CureGain(*place, similarity, kind, arm.score, gain, _control_of(kind), over))
    return {"gains": tuple(gains), "n_together": len(differences)}
