"""The page's claim, that whitening makes embeddings isotropic and neighbours better, measured."""

from __future__ import annotations

from geometry.data.number_text import change, signed
from geometry.measure import Measured, measure_table
from geometry.measure.intervals import MIN_ROWS
from pages.common.cache import kept
from pages.common.corpus_cloud import CorpusCloud
from pages.common.escape import markdown
from pages.common.measures import measured_words, same_label
from pages.common.messages import too_few_for_interval
from pages.common.seed import SEED
from pages.common.treatment_names import treatment_names
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .agreement import agreement_change, compared
from .provenance import provenance
from .scene import Scene, TreatedCloud


def whitening_verdict(scene: Scene) -> Verdict:
    """Is the first whitening on the page more isotropic than raw, and are its neighbours better?"""
    state, said = _findings(scene)
    return Verdict(
        claim=_("Whitening makes embeddings isotropic and nearest neighbours better."),
        source=_("Su et al. (2021), Huang et al. (2021)"),
        state=state,
        measured=said,
        basis=" · ".join(
            [
                provenance(scene),
                _("95% intervals: IsoScore by jackknife, neighbours by paired subsamples"),
            ]
        ),
    )


def _findings(scene: Scene) -> tuple[State, str]:
    """The state and its words."""
    sets = scene.sets
    if not any(picture.kind.is_whitening for picture in scene.pictures):
        return "unknown", _("None of the pictures is a whitening. Choose a whitening above.")
    pair = compared(scene)
    if pair is None:
        return "unknown", _(
            "The whitening was fitted on the points shown, so its isotropy follows from the fit. "
            "Choose “the other half” or another corpus under “Fit on”."
        )
    raw, white = pair
    before, after = (_isoscore(each, sets.sample) for each in pair)
    if before.high is None or after.low is None:
        return "unknown", too_few_for_interval(len(sets.cloud))
    rises = after.low > before.high
    words = (
        _("{name} makes the points more isotropic: IsoScore {before} → {after}; isotropic: {best}.")
        if rises
        else _(
            "{name} does not make the points more isotropic: IsoScore {before} → {after}; "
            "isotropic: {best}."
        )
    )
    said = words.format(
        name=treatment_names()[white.name],
        before=measured_words(before),
        after=f"**{measured_words(after)}**",
        best=signed(after.baseline or 0.0, 3),
    )
    found = agreement_change(raw, white, scene)
    if found is None:
        needs = _("For neighbours this needs a corpus with labels, and {least} points or more.")
        return "unknown", f"{said} {needs.format(least=MIN_ROWS)}"
    better = (
        _("Nearest neighbours become better ({label}): {change}.")
        if found.rises
        else _("Nearest neighbours become worse ({label}): {change}.")
        if found.falls
        else _("Nearest neighbours change little ({label}): {change}.")
    )
    shown = change(found.value, found.low, found.high)
    said += " " + better.format(label=markdown(same_label(sets.corpus)), change=f"**{shown}**")
    count = rises + found.rises
    return ("holds" if count == 2 else "partly" if count else "fails"), said


@kept(2000)
def _isoscore(picture: TreatedCloud, sample: CorpusCloud) -> Measured:
    """IsoScore with its interval."""
    X, units = picture.on(sample).treated.retained, sample.units
    [row] = measure_table(X, names=["isoscore"], seed=SEED, simulate=False, units=units)
    return row
