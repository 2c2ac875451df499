"""The claims of the page beside what is measured on the chosen cloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geometry import UndefinedMeasure
from geometry.measure import mean_cosine
from geometry.measure.intervals import MIN_ROWS, jackknife_interval
from pages.common.cache import Cache
from pages.common.verdict import NARROW, State, Verdict, change, estimate
from pages.common.words import Translate, signed

from .provenance import origin, same_label_words, unit_words
from .scene import Scene

STAGES = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))  # raw, centred, whitened
AGREEMENT_DECIMALS = 3

_INTERVALS: Cache[Any] = Cache("cone-intervals", max_entries=96)


@dataclass(frozen=True)
class Interval:
    """A value with its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def rises(self) -> bool:
        """True for a difference that is above 0."""
        return self.low > 0

    @property
    def falls(self) -> bool:
        """True for a difference that is below 0."""
        return self.high < 0


def interval_of(of: Callable[..., float], values: np.ndarray, scene: Scene) -> Interval | None:
    """The value of all rows; rows of one sentence are left out together. None for too few rows."""
    cloud = scene.points.cloud
    units = None if cloud.unit == "types" else cloud.sources
    count = len(values) if units is None else len(np.unique(units))
    if count < MIN_ROWS:
        return None
    try:
        return Interval(of(values), *jackknife_interval(of, values, units=units))
    except UndefinedMeasure:
        return None


def cone_verdict(scene: Scene, _: Translate) -> Verdict:
    """Is the raw cloud a narrow cone?"""
    found: Interval | None = _INTERVALS.get_or_make(
        f"{scene.points.key}/cone",
        lambda: interval_of(mean_cosine, scene.points.vectors, scene),
        private=scene.points.private,
    )
    words = {
        "holds": _(
            "The mean cosine of two different {units} is {cosine}. Isotropic directions have 0, "
            "and from {limit} on this page speaks of a narrow cone."
        ),
        "partly": _(
            "Hardly a cone: the mean cosine of two different {units} is {cosine}. Isotropic "
            "directions have 0, and a narrow cone has {limit} or more."
        ),
        "fails": _(
            "No cone: the mean cosine of two different {units} is {cosine}, and isotropic "
            "directions have 0."
        ),
        "unknown": _("An interval needs {least} {units} or more that are not all alike."),
    }
    state: State = "unknown"
    if found is not None:
        state = "holds" if found.low >= NARROW else "partly" if found.rises else "fails"
    cosine = "" if found is None else estimate(found.value, found.low, found.high)
    return Verdict(
        claim=_(
            "In many models and layers, embeddings lie in a narrow cone. In the last layers of "
            "contrastively trained models they hardly do."
        ),
        source=_("Gao et al. (2019), Ethayarajh (2019); Wang & Isola (2020)"),
        state=state,
        measured=words[state].format(
            units=unit_words(scene, _), cosine=f"**{cosine}**", limit=NARROW, least=MIN_ROWS
        ),
        basis=" · ".join(
            [*origin(scene, _), _("raw cloud, nothing fitted"), _interval_words(scene, _)]
        ),
    )


def _interval_words(scene: Scene, _: Translate) -> str:
    if scene.points.cloud.unit == "types":
        return _("95% interval: jackknife over types")
    return _("95% interval: jackknife over sentences")


@dataclass(frozen=True)
class Steps:
    """Label agreement of neighbours from stage to stage, paired by rows.

    Attributes
    ----------
    centring, levelling, both : Interval
        The differences of agreement, of centred and raw, whitened and centred, whitened and raw.
    """

    centring: Interval
    levelling: Interval
    both: Interval


def steps_of(scene: Scene) -> Steps | None:
    """None without labels or with too few rows."""

    def make() -> Steps | None:
        raw, centred, white = (scene.agreeing_at(*stage) for stage in STAGES)
        if raw is None or centred is None or white is None:
            return None
        pairs = ((raw, centred), (centred, white), (raw, white))
        found = [interval_of(_mean, after - before, scene) for before, after in pairs]
        return Steps(*found) if None not in found else None  # type: ignore[arg-type]

    steps: Steps | None = _INTERVALS.get_or_make(
        f"{scene.points.key}/{scene.fit}/steps", make, private=scene.points.private
    )
    return steps


def _mean(values: np.ndarray) -> float:
    return float(values.mean())


def whitening_verdict(scene: Scene, _: Translate) -> Verdict:
    """Do neighbours share their topic more often when the cloud is centred, and when whitened?"""
    steps = steps_of(scene)
    state: State = "unknown"
    if steps is not None:
        if steps.both.rises:
            state = "holds"
        elif steps.centring.rises:
            state = "partly"
        elif steps.both.falls:
            state = "fails"
    return Verdict(
        claim=_("Whitening makes nearest neighbours better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=state,
        measured=_("This needs a corpus with labels, and {least} rows or more.").format(
            least=MIN_ROWS
        )
        if steps is None
        else f"{_steps_words(steps, _)}\n\n{_stages_table(scene, _)}",
        basis=" · ".join(
            [
                *origin(scene, _),
                _("whitening fitted on the same {n}, without labels").format(
                    n=f"{len(scene.points.cloud):,}"
                ),
                _interval_words(scene, _),
            ]
        ),
    )


def _steps_words(steps: Steps, _: Translate) -> str:
    """One sentence for each step of the film."""
    centring = (
        _("Centring helps: {change}.")
        if steps.centring.rises
        else _("Centring hurts: {change}.")
        if steps.centring.falls
        else _("Centring changes little: {change}.")
    )
    levelling = (
        _("Making the axes equal then helps: {change}.")
        if steps.levelling.rises
        else _("Making the axes equal then hurts: {change}.")
        if steps.levelling.falls
        else _("Making the axes equal then changes little: {change}.")
    )
    return " ".join(
        text.format(change=f"**{change(step.value, step.low, step.high, AGREEMENT_DECIMALS)}**")
        for text, step in ((centring, steps.centring), (levelling, steps.levelling))
    )


def _stages_table(scene: Scene, _: Translate) -> str:
    """Agreement beside the mean cosine, of raw, centred and whitened."""
    names = (_("Raw"), _("Centred"), _("Whitened"))
    agreements = [scene.agreeing_at(*stage) for stage in STAGES]
    cosines = [scene.measured_at(*stage)["mean_cosine"].value for stage in STAGES]
    rows = (
        (
            same_label_words(scene, _),
            [float(shares.mean()) for shares in agreements if shares is not None],
        ),
        (_("mean cosine"), cosines),
    )
    lines = [f"| | {' | '.join(names)} |", "| --- | ---: | ---: | ---: |"]
    for label, values in rows:
        cells = ["—" if value is None else signed(value, AGREEMENT_DECIMALS) for value in values]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)
