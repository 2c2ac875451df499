"""Which treatment helps on held-out rows: settings chosen on one part, compared on another.

The rows are split in halves; copies of a row, and sentences that pairs connect, stay in one half.
Where pairs are sentences of their own, they are split, and every fit is on the other rows.

1. **Settings** (how many directions to remove, which whitening, which other layer) are chosen in
   the first half alone: fitted on one half of it, scored on its other half.
2. **Treatments** at these settings are fitted on the whole first half and scored on the second,
   which had no part in a fit or a choice. So the best of many settings is not chosen on the rows
   that score it.

The simplest treatment whose interval against raw vectors is above 0 is recommended. A more complex
one replaces it if it beats both by an interval above 0. The intervals of the differences to raw
vectors hold at 95% together: Bonferroni, so with three treatments each is an interval at 98.3%. So
do those of the differences between treatments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import NormalDist
from typing import Literal, TypeVar

import numpy as np

from ..evaluate.fit_size import split_halves
from ..evaluate.fitting import FitSet
from ..evaluate.specs import parse_treatment
from ..linalg.rows import UndefinedMeasure
from ..measure.intervals import MIN_ROWS, Estimate
from ..measure.table import measure_table
from ..transform.treatments import TreatmentKind, simple_first
from .yardsticks import LabelYardstick, Yardstick

Because = Literal["helps", "nothing_helps", "no_yardstick", "too_few", "unknown_text"]
Place = tuple[int, str]  # layer and pooling
Vectors = np.ndarray | Callable[[], np.ndarray]
Name = TypeVar("Name")
LEAST_HALF = 2  # rows of each half
ERROR = 0.05  # probability that any interval of a trial misses its value
# Measures of the held-out rows after each treatment
CHANGED = ("mean_cosine", "isoscore", "hubness")


@dataclass(frozen=True)
class Score:
    """A score and replicates whose standard deviation is its standard error."""

    value: float
    replicates: np.ndarray


@dataclass(frozen=True)
class Cure:
    """One treatment on the held-out rows.

    Attributes
    ----------
    kind : str
        The ``cure`` of a ``TreatmentKind``, or "layer".
    treatment : str
        As ``parse_treatment`` reads it; "none" for raw vectors, of another layer too.
    place : (layer, pooling) or None
        The other layer and pooling; None for the layer of the trial.
    score : float or None
        None without labels and pairs, and where the treated rows have no score.
    against : mapping of str to Estimate
        By the kind of each simpler treatment.
    measures : mapping of str to float or None
        ``CHANGED``, of the held-out rows.
    """

    kind: str
    treatment: str
    score: float | None = None
    place: Place | None = None
    against: Mapping[str, Estimate] = field(default_factory=dict)
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
    """Treatments fitted on one half of the rows and compared on the other.

    Attributes
    ----------
    cures : tuple of Cure
        From simple to complex, raw vectors first.
    chosen : Cure
        The recommended one.
    here : Cure
        What is recommended at this layer and pooling, where another one is better. Its intervals
        are at 95% together without the other layer, which this question does not compare.
    because : str
        "helps"; "nothing_helps"; "no_yardstick" without labels and pairs; "too_few" where fewer
        than MIN_ROWS units are held out; "unknown_text" where the model does not know the texts.
    n_fit, n_held_out : int
        Rows.
    amount : int
        Held-out units (rows without copies, or pairs) behind the score.
    n_compared : int
        How many treatments were compared with raw vectors; their intervals are at 95% together.
    n_settings : int
        How many settings were compared within the first half.
    chance : float or None
        The score of neighbours drawn at random, for labels.
    others : tuple of (layer, pooling)
        The other places that were compared.
    """

    cures: tuple[Cure, ...]
    chosen: Cure
    here: Cure
    because: Because
    n_fit: int
    n_held_out: int
    amount: int
    n_compared: int
    n_settings: int
    chance: float | None
    others: tuple[Place, ...] = ()


def run_trial(
    X: np.ndarray,
    yardstick: Yardstick | None,
    *,
    groups: np.ndarray,
    others: Mapping[Place, Vectors],
    seed: int,
    step: Callable[[], None],
    fittable: np.ndarray | None = None,
) -> Trial:
    """The trial of X (n, d), n >= 4, no row zero. Rows of one group stay in one half.

    ``others`` are the same rows at other places. Without ``fittable`` any row may be fitted on or
    scored; with it, those rows are only fitted on, less copies of rows that are scored.
    """

    def halves(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first, second = split_halves(len(rows), groups[rows], random_state=seed)
        return rows[np.sort(first)], rows[np.sort(second)]

    def apart_from(scored: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return rows[~np.isin(groups[rows], groups[scored])]

    everything = np.arange(len(X))
    judging = everything if fittable is None else everything[~fittable]
    first, held_out = halves(judging)
    fit = apart_from(held_out, everything if fittable is None else everything[fittable])
    if min(len(fit), len(held_out)) < LEAST_HALF:
        return _no_trial(X, len(fit), len(held_out), yardstick)
    amount = 0 if yardstick is None else yardstick.amount(held_out)
    usable = yardstick if amount >= MIN_ROWS and len(fit) >= MIN_ROWS else None
    settings, n_settings, place = usual_settings(len(fit), X.shape[1]), 0, None
    compared_places: tuple[Place, ...] = ()
    if usable is not None:
        scored = halves(first)[1]
        choosing = _Chooser(X, usable, apart_from(scored, fit), scored, step)
        if usable.amount(scored) >= 2 and len(choosing.fitted) >= LEAST_HALF:
            settings = choosing.settings()
            place, compared_places = choosing.place(others), tuple(others)
        n_settings = choosing.n_compared
    fit_set = FitSet(X[fit])
    cures, scores = [], []
    for kind, treatment in settings.items():
        Z = fit_set.fit(parse_treatment(treatment)).apply(X[held_out]).retained
        cures.append(Cure(kind, treatment, measures=_measures(Z)))
        scores.append(_score(usable, Z, held_out))
        step()
    if place is not None and usable is not None:
        Z = _rows_of(others[place], held_out)
        cures.append(Cure("layer", "none", place=place, measures=_measures(Z)))
        scores.append(_score(usable, Z, held_out))
        step()
    compared = _compared(cures, scores)
    chosen = recommended(compared)
    n_here = sum(cure.kind != "layer" for cure in cures)
    here = recommended(_compared(cures[:n_here], scores[:n_here]))
    because: Because = "helps" if chosen.kind != "leave" else "nothing_helps"
    if usable is None:
        because = "no_yardstick" if yardstick is None else "too_few"
    return Trial(
        cures=compared,
        chosen=chosen,
        here=here,
        because=because,
        n_fit=len(fit),
        n_held_out=len(held_out),
        amount=amount,
        n_compared=len(compared) - 1,
        n_settings=n_settings,
        chance=(
            yardstick.chance(held_out)
            if isinstance(yardstick, LabelYardstick) and len(np.unique(groups[held_out])) > 1
            else None
        ),
        others=compared_places,
    )


def _no_trial(X: np.ndarray, n_fit: int, n_held_out: int, yardstick: Yardstick | None) -> Trial:
    """The trial where no halves can be made: nearly all rows are copies or connected by pairs."""
    raw = Cure("leave", "none", measures=_measures(X))
    because: Because = "no_yardstick" if yardstick is None else "too_few"
    return Trial((raw,), raw, raw, because, n_fit, n_held_out, 0, 0, 0, None)


def recommended(cures: tuple[Cure, ...]) -> Cure:
    """The simplest cure that beats raw vectors, unless a more complex one beats it and them."""
    best = cures[0]
    for cure in cures[1:]:
        if cure.beats("leave") and (best.kind == "leave" or cure.beats(best.kind)):
            best = cure
    return best


def cures() -> list[TreatmentKind]:
    """The treatments that a trial compares, from simple to complex."""
    return [kind for kind in simple_first() if kind.cure]


def usual_settings(n: int, d: int) -> dict[str, str]:
    """A treatment of each kind for n rows of the fit, where nothing chooses its settings."""
    return {
        kind.cure: kind.short if kind.usual is None else kind.usual(n, d)
        for kind in cures()
        if kind.tried is None or kind.tried(n, d)
    }


def n_steps(d: int, n_others: int) -> int:
    """How often ``run_trial`` calls ``step`` at most."""
    tried = [len(kind.tried(10**9, d)) for kind in cures() if kind.tried is not None]
    return sum(tried) + n_others + len(cures()) + 1  # the last is another layer


@dataclass
class _Chooser:
    """Chooses settings: fits on one part of the rows, scores on another part."""

    X: np.ndarray
    yardstick: Yardstick
    fitted: np.ndarray
    scored: np.ndarray
    step: Callable[[], None]
    n_compared: int = 0

    def settings(self) -> dict[str, str]:
        n, d = len(self.fitted), self.X.shape[1]
        fit_set = FitSet(self.X[self.fitted])

        def treated(texts: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
            for text in texts:
                yield text, fit_set.fit(parse_treatment(text)).apply(self.X[self.scored]).retained

        found = {}
        for kind in cures():
            best = kind.short if kind.tried is None else self._best(treated(kind.tried(n, d)))
            if best is not None:
                found[kind.cure] = best
        return found

    def place(self, others: Mapping[Place, Vectors]) -> Place | None:
        return self._best((name, _rows_of(others[name], self.scored)) for name in others)

    def _best(self, treated: Iterable[tuple[Name, np.ndarray]]) -> Name | None:
        """The name with the highest score; the first of equal ones. None if none has a score."""
        best, highest = None, -np.inf
        for name, Z in treated:
            with suppress(UndefinedMeasure):  # such as a zero row
                score = self.yardstick.score(Z, self.scored)
                if score > highest:
                    best, highest = name, score
            self.n_compared += 1
            self.step()
        return best


def _rows_of(vectors: Vectors, rows: np.ndarray) -> np.ndarray:
    return np.asarray(vectors() if callable(vectors) else vectors)[rows]


def _score(yardstick: Yardstick | None, Z: np.ndarray, rows: np.ndarray) -> Score | None:
    """None without a yardstick, and where the treated rows have no such score."""
    if yardstick is None:
        return None
    try:
        return Score(yardstick.score(Z, rows), yardstick.replicates(Z, rows))
    except UndefinedMeasure:
        return None


def _measures(Z: np.ndarray) -> dict[str, float | None]:
    rows = measure_table(Z, names=CHANGED, intervals=False, simulate=False)
    return {row.name: row.value for row in rows}


def _compared(cures: list[Cure], scores: list[Score | None]) -> tuple[Cure, ...]:
    """The cures with their scores and differences; cures[0] are the raw vectors."""
    n = len(cures) - 1
    with_raw, between = (_quantile(count) for count in (n, n * (n - 1) // 2))
    against: list[dict[str, Estimate]] = [{} for _ in cures]
    for simple, complex_ in combinations(range(len(cures)), 2):
        before, after = scores[simple], scores[complex_]
        if before is None or after is None:
            continue
        value = after.value - before.value
        quantile = between if simple else with_raw
        reach = quantile * float(np.nanstd(after.replicates - before.replicates))
        against[complex_][cures[simple].kind] = Estimate(value, value - reach, value + reach)
    return tuple(
        replace(cure, score=None if score is None else score.value, against=differences)
        for cure, score, differences in zip(cures, scores, against, strict=True)
    )


def _quantile(n: int) -> float:
    """The quantile of a normal for n intervals at 95% together."""
    return NormalDist().inv_cdf(1 - ERROR / (2 * max(1, n)))
