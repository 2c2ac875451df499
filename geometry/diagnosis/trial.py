"""Which treatment helps on held-out rows: settings chosen on some folds, judged on another.

Each *arm* (leave, centre, remove, project, level, whiten, another layer) has settings. That for a
fold has the best mean score on the *other* folds; no item that judges an arm has a part in its
choice. The rules are in docs/diagnosis.md. Intervals hold together by max-T (Westfall, Young 1993).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from statistics import NormalDist
from typing import Any, Literal, cast

import numpy as np
from scipy.special import stdtrit

from ..evaluate.fitting import FitSet
from ..measure.intervals import MIN_ROWS, Estimate
from ..measure.table import measure_table
from ..transform.treatments import simple_first
from . import yardsticks
from .yardsticks import ERROR, PairedDifference, Place, Score, TrialRows, mean_score

Because = Literal["helps", "nothing_helps", "no_yardstick", "too_few", "unknown_text"]
FOLDS, SPLITS = 5, 3
MANY = 5000  # rows from which half of them are enough for a fit, and each fit takes seconds
FOLDS_OF_MANY = SPLITS_OF_MANY = 2
# Items x rows x dimensions that each setting may compare: 20,000 rows of 384 numbers then take
# about 15 seconds of two cores
COMPARED = 1.6e10
LEAST_ITEMS = 1000  # judged in any case
LEAST_HALF = 2  # rows of each fold and of its fit
POWER = 0.8  # probability with which a gain of ``Cure.smallest_gain`` is shown
TIE = 0.005  # a difference below this is a tie where it is not clear
# Measures of held-out rows after each treatment
CHANGED = ("mean_cosine", "isoscore", "hubness")
MEASURED = 2000  # held-out rows that are measured


@dataclass(frozen=True)
class Cure:
    """One treatment on the held-out rows."""

    #: kind, treatment: the ``cure`` of a ``TreatmentKind``, or "layer"; and as ``parse_treatment``
    #: reads it, with the best setting on all folds. "none" for raw vectors, of another layer too.
    kind: str
    treatment: str
    #: None without a yardstick, and where the treated rows have no score
    score: float | None = None
    #: (layer, pooling); the other layer and pooling; None for the layer of the trial
    place: Place | None = None
    #: by the kind of each simpler treatment
    against: Mapping[str, Estimate] = field(default_factory=dict)
    #: the gain over raw vectors that such a trial shows with probability POWER
    smallest_gain: float | None = None
    #: each further score of the yardstick less that of raw vectors, at 95% by itself
    more: Mapping[str, Estimate] = field(default_factory=dict)
    #: ``CHANGED``, of held-out rows
    measures: Mapping[str, float | None] = field(default_factory=dict)

    def beats(self, simpler: str) -> bool:
        """True if the interval of the difference is above 0."""
        return simpler in self.against and self.against[simpler].rises

    @property
    def hurts(self) -> bool:
        """True if the interval of the difference to raw vectors is below 0."""
        return "leave" in self.against and self.against["leave"].falls


@dataclass(frozen=True)
class Trial:
    """Treatments fitted on some folds of the rows and judged on another."""

    cures: tuple[Cure, ...]  #: from simple to complex, raw vectors first
    #: chosen, here: the recommended one; and, where that is another layer, what is recommended at
    #: this one. Its intervals are at 95% together without the other layer.
    chosen: Cure
    here: Cure
    #: "helps", "nothing_helps", "no_yardstick", "too_few" units for it, or "unknown_text"
    because: Because
    n_fit: int  #: n_fit, n_held_out: rows of a fit, and of its fold, in the first split
    n_held_out: int
    amount: int  #: units (rows without copies, or pairs, or queries) behind the score
    #: n_compared, n_settings: treatments compared with raw vectors, and settings to choose from
    n_compared: int
    n_settings: int = 0
    chance: float | None = None  #: the score of neighbours drawn at random, for labels
    others: tuple[Place, ...] = ()  #: the other places that were compared
    #: n_items, n_searched: items that are judged, and rows that each of them is compared with
    n_items: int = 0
    n_searched: int = 0
    #: n_folds, n_splits, n_agree: ``n_agree`` splits alone lead to the same recommendation
    n_folds: int = 0
    n_splits: int = 0
    n_agree: int = 0
    #: kinds of other arms whose difference to the recommended one is unclear and below TIE
    ties: tuple[str, ...] = ()


def run_trial(rows: TrialRows, *, seed: int, step: Callable[[], None]) -> Trial:
    """The trial of rows, n >= 4, none zero."""
    d = rows.X.shape[1]
    yardstick = rows.yardstick
    first = TrialSplit.of(rows, seed)
    unjudged = TrialSplit.of(rows, seed, is_judged=False)
    because: Because = "no_yardstick" if yardstick is None else "too_few"
    if first is None or unjudged is None:  # nearly all rows are copies or connected by pairs
        raw = Cure("leave", "none", measures=measures(rows.X[:MEASURED]))
        return Trial((raw,), raw, raw, because, 0, 0, 0, 0)
    amount = 0 if yardstick is None else yardstick.amount()
    more: dict[str, Any] = {}
    if yardstick is None or amount < yardstick.least or first.n_fit < MIN_ROWS:
        compared = tuple(Cure(kind, text) for kind, text in usual_settings(first.n_fit, d).items())
        chosen = here = compared[0]
        # without a score, the fits are those of the measures, unless there are too few rows to fit
        n_fit = first.n_fit if first.n_fit < MIN_ROWS else unjudged.n_fit
    else:
        arms = _arms(first.n_fit, d)
        if rows.others:
            arms["layer"] = tuple(rows.others)
        # all items in SPLITS splits, or a sample in fewer
        n_splits = SPLITS if yardstick.cost < MANY else SPLITS_OF_MANY
        affordable = max(LEAST_ITEMS, int(COMPARED / (yardstick.cost * d)))
        per_split = max(1, affordable // n_splits)
        # another seed than that of any split: (seed, 0) gives the numbers of seed
        order = np.random.default_rng((seed, SPLITS)).permutation(len(yardstick.groups))
        draws, judged = [], []
        for number in range(n_splits):
            drawn = np.sort(np.roll(order, -number * per_split)[:per_split])
            split = TrialSplit.of(rows, (seed, number))
            if split is not None:
                draws.append(drawn)
                judged.append(_judge(rows, arms, split, drawn, step))
        best = {}
        for kind, settings in arms.items():
            totals = np.sum([[_mean(each) for each in found[kind]] for found in judged], axis=0)
            best[kind] = settings[int(np.argmax(totals))]
        stay = {kind: setting for kind, setting in best.items() if kind != "layer"}
        scores = [{kind: chosen_by_fold(found[kind]) for kind in arms} for found in judged]
        same_items = all(np.array_equal(draws[0], each) for each in draws)
        tried = partial(_cures, yardstick=yardstick, same_items=same_items)
        compared = tried(scores, best)
        chosen = recommended(compared)
        here = recommended(tried(scores, stay))
        if compared[0].score is not None:
            because = "helps" if chosen.kind != "leave" else "nothing_helps"
        n_fit = first.n_fit
        more = {
            "others": tuple(rows.others),
            "n_items": len(np.unique(np.concatenate(draws))),
            "n_searched": round(yardstick.cost),
            "n_splits": len(scores),
            "n_agree": sum(recommended(tried([s], best)).kind == chosen.kind for s in scores),
            "n_settings": sum(map(len, arms.values())) - 1,
        }
    compared = _measured(rows, compared, unjudged, step)
    by_kind = {cure.kind: cure for cure in compared}
    return Trial(
        cures=compared,
        chosen=by_kind[chosen.kind],
        here=replace(here, measures=by_kind[here.kind].measures),
        because=because,
        n_fit=n_fit,
        n_held_out=len(unjudged.held_out),
        amount=amount,
        n_compared=len(compared) - 1,
        chance=yardstick.chance if isinstance(yardstick, yardsticks.LabelYardstick) else None,
        n_folds=first.n_folds,
        ties=_ties(compared, chosen),
        **more,
    )


def folds(
    groups: np.ndarray,
    n_folds: int,
    seed: int | tuple[int, ...],
    judges: np.ndarray | None = None,
) -> np.ndarray:
    """(n,) the fold of each row: whole groups; each fold has its share of those that judge."""
    if judges is not None and judges.any() and not judges.all():
        found = np.empty(len(groups), dtype=np.int64)
        for part in (judges, ~judges):
            found[part] = folds(groups[part], n_folds, seed)
        return found
    names, group, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(names))
    middle = np.cumsum(sizes[order]) - sizes[order] / 2
    fold = np.empty(len(names), dtype=np.int64)
    fold[order] = (middle * n_folds / len(groups)).astype(np.int64)
    return np.unique(fold, return_inverse=True)[1][group]


@dataclass(frozen=True)
class TrialSplit:
    """Rows in folds: the rows of each fit, and the fold of each item."""

    fold: np.ndarray  # (n,) of each row
    fits: tuple[np.ndarray, ...]  # rows, for each fold; all the same if no row judges
    item_folds: np.ndarray  # (i,)
    held_out: np.ndarray  # rows of the first fold that may be fitted on

    @classmethod
    def of(
        cls,
        rows: TrialRows,
        seed: int | tuple[int, ...],
        *,
        n_folds: int | None = None,
        is_apart: bool = True,
        is_judged: bool = True,
    ) -> TrialSplit | None:
        """None where a fold or a fit has too few rows. Rows that judge nothing are in every fit.

        is_apart : each fold has its share of the rows that judge; is_judged : there are items.
        """
        groups = rows.groups
        yardstick = rows.yardstick
        is_judge = None if yardstick is None else np.isin(groups, yardstick.groups)
        n_wanted = n_folds or (FOLDS if len(groups) < MANY else FOLDS_OF_MANY)
        fold = folds(groups, n_wanted, seed, is_judge if is_apart else None)
        n_folds = int(fold.max()) + 1
        item_folds = np.zeros(0, dtype=np.int64)
        judges = np.ones(len(groups), dtype=bool)
        if yardstick is not None and is_judge is not None and is_judged:
            judges = is_judge
            names, first = np.unique(groups, return_index=True)
            item_folds = fold[first[np.searchsorted(names, yardstick.groups)]]
        fits = tuple(
            np.flatnonzero(rows.fittable & ~(judges & (fold == each))) for each in range(n_folds)
        )
        held_out = np.flatnonzero(rows.fittable & (fold == 0))
        if n_folds < 2 or min(map(len, (*fits, held_out))) < LEAST_HALF:
            return None
        return cls(fold, fits, item_folds, held_out)

    @property
    def n_folds(self) -> int:
        return len(self.fits)

    def judged(self, items: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(rows of the fit, those of the items that are judged) of each fold."""
        for fold, fitted in enumerate(self.fits):
            yield fitted, items[self.item_folds[items] == fold]

    @property
    def n_fit(self) -> int:
        return len(self.fits[0])


Settings = Mapping[str, tuple[str | Place, ...]]  # by the kind of each arm
Judged = Mapping[str, list[list[Score | None]]]  # by setting and fold


def _cures(
    splits: Sequence[Mapping[str, Score | None]],
    best: Mapping[str, str | Place],
    *,
    yardstick: yardsticks.Yardstick,
    same_items: bool,
) -> tuple[Cure, ...]:
    """The arms with their best settings: scores and differences in these splits, raw ones first.

    same_items : every split judges the same items
    """
    means = ((kind, mean_score([split[kind] for split in splits])) for kind in best)
    scored = {kind: mean for kind, mean in means if mean is not None}
    units = yardstick.units
    against: dict[str, dict[str, Estimate]] = {kind: {} for kind in best}
    least: dict[str, float] = {}
    for is_with_raw in (True, False):
        some = {}
        for simple, complex_ in combinations(scored, 2):
            if (simple == "leave") == is_with_raw:
                both = scored[simple], scored[complex_]
                some[simple, complex_] = PairedDifference.of(*both, units, same_items=same_items)
        quantile = together(list(some.values()), len(np.unique(units)))
        for (simple, complex_), each in some.items():
            against[complex_][simple] = each.estimate(quantile, len(some))
            if is_with_raw:
                least[complex_] = each.deviation * (quantile + NormalDist().inv_cdf(POWER))
    return tuple(
        Cure(
            kind,
            treatment=setting if isinstance(setting, str) else "none",
            score=float(scored[kind].values[0]) if kind in scored else None,
            place=None if isinstance(setting, str) else setting,
            against=against[kind],
            smallest_gain=least.get(kind),
            more={
                name: yardsticks.change(
                    scored["leave"].further(number), scored[kind].further(number)
                )
                for number, name in enumerate(yardstick.names)
                if number and kind != "leave" and {"leave", kind} <= scored.keys()
            },
        )
        for kind, setting in best.items()
    )


def _judge(
    rows: TrialRows, arms: Settings, split: TrialSplit, drawn: np.ndarray, step: Callable[[], None]
) -> Judged:
    """Scores of the drawn items; folds in which raw vectors have no score are left out."""
    assert rows.yardstick is not None
    found: Judged = {kind: [[] for _ in settings] for kind, settings in arms.items()}
    for fitted, items in split.judged(drawn):
        fit_set = FitSet(rows.X[fitted])
        for kind, settings in arms.items():
            for setting, of_setting in zip(settings, found[kind], strict=True):
                if isinstance(setting, str):
                    Z = fit_set.fit(setting).reduced(rows.X)
                else:
                    Z = rows.at(setting)
                of_setting.append(yardsticks.score_of(rows.yardstick, Z, items))
                step()
    kept = [fold for fold, score in enumerate(found["leave"][0]) if score is not None]
    return {
        kind: [[each[fold] for fold in kept] for each in of_arm] for kind, of_arm in found.items()
    }


def _mean(by_fold: Sequence[Score | None]) -> float:
    if not by_fold or any(score is None for score in by_fold):
        return -np.inf
    return float(np.mean([score.values[0] for score in by_fold if score is not None]))


def chosen_by_fold(of_arm: Sequence[Sequence[Score | None]]) -> Score | None:
    """The score of an arm whose setting is chosen for each fold on the other folds.

    In a resample it is chosen anew. Settings without a score in a fold are left out.
    """
    settings = [cast("Sequence[Score]", each) for each in of_arm if np.isfinite(_mean(each))]
    if not settings:
        return None
    values = np.array([[score.values for score in each] for each in settings])  # (c, f, m)
    replicates = np.array([[score.replicates for score in each] for each in settings])
    decides = values[:, :, 0]
    place = np.argmax(decides.sum(axis=1, keepdims=True) - decides, axis=0)  # (f,)
    at = np.arange(decides.shape[1])
    of_draws = np.nan_to_num(replicates[:, :, 0])  # (c, f, B)
    drawn = np.argmax(of_draws.sum(axis=1, keepdims=True) - of_draws, axis=0)  # (f, B)
    picked = np.take_along_axis(replicates, drawn[None, :, None], axis=0)[0]  # (f, m, B)
    mean = mean_score([settings[chosen][fold] for fold, chosen in enumerate(place)])
    assert mean is not None
    score = values[place, at].mean(axis=0)
    return replace(
        mean,
        values=score,
        replicates=np.nanmean(picked, axis=0),
        fixed=np.nanmean(replicates[place, at, 0], axis=0),
        by_split=(float(score[0]),),
    )


def _measured(
    rows: TrialRows, cures: Sequence[Cure], split: TrialSplit, step: Callable[[], None]
) -> tuple[Cure, ...]:
    some = split.held_out[:MEASURED]
    fit_set = FitSet(rows.X[split.fits[0]])
    found = []
    for cure in cures:
        if cure.place is not None:
            Z = rows.at(cure.place)[some]
        else:
            Z = fit_set.fit(cure.treatment).apply(rows.X[some]).retained
        found.append(replace(cure, measures=measures(Z)))
        step()
    return tuple(found)


def recommended(cures: Sequence[Cure]) -> Cure:
    """The simplest cure that beats raw vectors, unless a more complex one beats it and them."""
    best = cures[0]
    for cure in cures[1:]:
        if cure.beats("leave") and (best.kind == "leave" or cure.beats(best.kind)):
            best = cure
    return best


def _ties(cures: Sequence[Cure], chosen: Cure) -> tuple[str, ...]:
    """Kinds without a clear difference to the recommended arm, by less than TIE."""
    found = []
    for cure in cures:
        if cure.kind in (chosen.kind, "layer"):
            continue
        pair = cure.against.get(chosen.kind) or chosen.against.get(cure.kind)
        if pair is not None and abs(pair.value) < TIE and not (pair.rises or pair.falls):
            found.append(cure.kind)
    return tuple(found)


def usual_settings(n: int, d: int) -> dict[str, str]:
    """A treatment of each kind for n rows, where nothing chooses; of two equal ones the last."""
    arms = _arms(n, d)
    by_text = {
        kind.short if kind.usual is None else kind.usual(n, d): kind.cure
        for kind in simple_first()
        if kind.cure in arms
    }
    return {cure: text for text, cure in by_text.items()}


def _arms(n: int, d: int) -> dict[str, tuple[str | Place, ...]]:
    found = {
        kind.cure: tuple(kind.tried(n, d)) if kind.tried else (kind.short,)
        for kind in simple_first()
        if kind.cure
    }
    return {kind: settings for kind, settings in found.items() if settings}


def n_steps(d: int, n_others: int) -> int:
    """How often ``run_trial`` calls ``step`` at most."""
    arms = _arms(10**9, d)
    # the last is the measures of another layer
    return SPLITS * FOLDS * (sum(map(len, arms.values())) + n_others) + len(arms) + 1


def measures(Z: np.ndarray, names: Sequence[str] = CHANGED) -> dict[str, float | None]:
    rows = measure_table(Z, names=names, intervals=False, simulate=False)
    return {row.name: row.value for row in rows}


def together(differences: Sequence[PairedDifference], n_units: int) -> float:
    """The quantile of the largest of several differences, in standard errors, at 95%.

    Few units give too small a standard error. Student's distribution allows for that.
    """
    single = NormalDist().inv_cdf(1 - ERROR / 2)
    of_few = float(stdtrit(max(1, n_units - 1), 1 - ERROR / 2)) / single
    moved = [each.replicates for each in differences if np.nanstd(each.replicates) > 0]
    if not moved:
        return single * of_few
    off = [np.abs(each - np.nanmean(each)) / np.nanstd(each) for each in moved]
    return of_few * max(single, float(np.nanquantile(np.nanmax(off, axis=0), 1 - ERROR)))
