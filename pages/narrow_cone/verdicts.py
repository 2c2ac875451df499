"""The claims of the page beside what is measured on the chosen cloud."""

from __future__ import annotations

from dataclasses import dataclass

from geometry.data.number_text import change, estimate, signed
from geometry.measure import chance_agreement, mean_cosine, measure_table
from geometry.measure.cone import NARROW
from geometry.measure.intervals import MIN_ROWS, Estimate
from geometry.projection import whiten_beside
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.escape import markdown
from pages.common.fit_set import weight_words
from pages.common.measures import same_label
from pages.common.origin import origin
from pages.common.seed import SEED
from pages.common.verdict import State, Verdict, agreement_of, since
from pages.common.words import _

from .provenance import unit_words
from .scene import Scene, full_whitening

STAGES = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))  # raw, centred, whitened
AGREEMENT_DECIMALS = 3


@kept(48)
def cosine_of(sample: CorpusCloud) -> Estimate | None:
    """Mean cosine of a cloud; None for too few rows.

    The interval leaves out whole units: all tokens of a sentence, or all sentences of a text.
    """
    table = measure_table(sample.vectors, names=("mean_cosine",), seed=SEED, units=sample.units)
    [row] = table
    if row.value is None or row.low is None or row.high is None:
        return None
    return Estimate(row.value, row.low, row.high)


def cone_verdict(scene: Scene) -> Verdict:
    """Is the raw cloud a narrow cone?"""
    found = cosine_of(scene.sample)
    words = {
        "holds": _(
            "The mean cosine of two different {units} is {cosine}. Isotropic directions have 0, "
            "and a narrow cone has {limit} or more."
        ),
        "partly": _(
            "Hardly a cone: the mean cosine of two different {units} is {cosine}. Isotropic "
            "directions have 0, and a narrow cone has {limit} or more."
        ),
        "fails": _(
            "No cone: the mean cosine of two different {units} is {cosine}, and isotropic "
            "directions have 0."
        ),
        "unknown": _(
            "The mean cosine of two different {units} is {cosine}. Its interval needs {least} or "
            "more that are not all alike."
        ),
    }
    state: State = "unknown"
    if found is not None and found.low is not None:
        state = "holds" if found.low >= NARROW else "partly" if found.rises else "fails"
    cosine = (
        signed(mean_cosine(scene.sample.vectors), 3)
        if found is None
        else estimate(found.value, found.low, found.high)
    )
    return Verdict(
        claim=_(
            "In many models and layers, embeddings lie in a narrow cone. In the last layers of "
            "contrastively trained models they hardly do."
        ),
        source=_("Gao et al. (2019), Ethayarajh (2019); Wang & Isola (2020)"),
        state=state,
        measured=words[state].format(
            units=unit_words(scene), cosine=f"**{cosine}**", limit=NARROW, least=MIN_ROWS
        ),
        basis=" · ".join(
            [*origin(scene.sample), _("raw cloud, nothing fitted"), _interval_words(scene)]
        ),
    )


def _interval_words(scene: Scene) -> str:
    if scene.points.cloud.unit == "types":
        return _("95% interval: jackknife over types")
    if scene.points.cloud.unit == "vectors":
        return _("95% interval: jackknife over vectors")
    return _("95% interval: jackknife over sentences")


@dataclass(frozen=True)
class Steps:
    """Neighbours of the half that the whitening was not fitted on, from stage to stage.

    Attributes
    ----------
    agreements, cosines : (raw, centred, whitened)
        Share of the neighbours with the same label; mean cosine.
    chance : float
        The share for neighbours drawn at random.
    centring, levelling, both : Estimate
        The differences of agreement, of centred and raw, whitened and centred, whitened and raw.
    """

    agreements: tuple[float, ...]
    cosines: tuple[float, ...]
    chance: float
    centring: Estimate
    levelling: Estimate
    both: Estimate


def steps_of(scene: Scene) -> Steps | None:
    """None without labels or with too few rows."""
    return _steps(scene.sample, scene.fit)


@kept(48)
def _steps(sample: CorpusCloud, fit: str) -> Steps | None:
    fitted, shown = sample.halves()
    X, labels, units = shown.vectors, shown.cloud.labels, shown.units
    raw = agreement_of(X, labels, units) if labels else None
    if raw is None:
        return None
    whitening = full_whitening(fitted, fit)
    clouds = [
        whiten_beside(X, whitening, centring=centring, strength=strength).retained_vectors
        for centring, strength in STAGES[1:]
    ]
    centred, white = (agreement_of(cloud, labels or (), units) for cloud in clouds)
    if centred is None or white is None:
        return None
    return Steps(
        agreements=(raw.share, centred.share, white.share),
        cosines=tuple(map(mean_cosine, (X, *clouds))),
        chance=chance_agreement(labels or (), units=units),
        centring=since(raw, centred),
        levelling=since(centred, white),
        both=since(raw, white),
    )


def whitening_verdict(scene: Scene) -> Verdict:
    """Do neighbours share their topic more often when the cloud is centred, and when whitened?"""
    steps = steps_of(scene)
    state: State = "unknown"
    measured = _("This needs a corpus with labels, and {least} sentences or more.").format(
        least=2 * MIN_ROWS
    )
    basis = origin(scene.sample)
    if steps is not None:
        if steps.both.rises:
            state = "holds"
        elif steps.centring.rises:
            state = "partly"
        elif steps.both.falls:
            state = "fails"
        measured = f"{_steps_words(steps)}\n\n{_stages_table(steps, scene)}"
        basis += [
            _("fitted on one half of the points, without labels; measured on the other half"),
            *weight_words(scene.points),
            _("95% intervals: paired subsamples of the sentences"),
        ]
    return Verdict(
        claim=_("Whitening makes nearest neighbours better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=state,
        measured=measured,
        basis=" · ".join(basis),
    )


def _steps_words(steps: Steps) -> str:
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


def _stages_table(steps: Steps, scene: Scene) -> str:
    """Agreement beside the mean cosine, of raw, centred and whitened."""
    names = (_("Raw"), _("Centred"), _("Whitened"))
    rows = (
        (markdown(same_label(scene.points.corpus)), steps.agreements),
        (_("mean cosine"), steps.cosines),
    )
    lines = [f"| {_('measure')} | {' | '.join(names)} |", "| --- | ---: | ---: | ---: |"]
    for label, values in rows:
        cells = [signed(value, AGREEMENT_DECIMALS) for value in values]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join(lines)
