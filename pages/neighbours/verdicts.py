"""The page's claim, that subtracting the mean makes fewer hubs, beside what is measured."""

from __future__ import annotations

from geometry.measure import NeighbourChanges
from pages.common.escape import markdown
from pages.common.measures import label_name
from pages.common.messages import too_few_for_interval
from pages.common.treatment_names import treatment_words
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .numbers import with_ends
from .provenance import provenance
from .scene import Scene


def hub_state(found: NeighbourChanges) -> State:
    """Whether the hubness falls; "unknown" if its interval includes 0."""
    each = found.hubness
    if each.low is None or each.high is None:
        return "unknown"
    return "holds" if each.high < 0 else "fails" if each.low > 0 else "unknown"


def neighbours_verdict(scene: Scene) -> Verdict:
    """The claim, with the change of the neighbours' labels if the points have labels."""
    return Verdict(
        claim=_(
            "Hubs lie close to the mean vector. A treatment that subtracts the mean makes fewer "
            "hubs."
        ),
        source=_("Suzuki et al. (2013)"),
        state=hub_state(scene.changes),
        measured=" ".join([_hub_words(scene), _label_words(scene)]).strip(),
        basis=" · ".join(
            [
                provenance(scene),
                _(
                    "95% intervals: hubness by a jackknife that is widened until it covers 92% to "
                    "97% of simulated cones, the rest by subsamples"
                ),
            ]
        ),
    )


def _hub_words(scene: Scene) -> str:
    found = scene.changes
    each = found.hubness
    if each.low is None or each.high is None:
        return too_few_for_interval(found.n)
    words = (
        _("{name} makes fewer hubs: hubness {before} → {after}, change {change}.")
        if each.high < 0
        else _("{name} makes more hubs: hubness {before} → {after}, change {change}.")
        if each.low > 0
        else _("{name}: no clear difference in hubs, hubness {before} → {after}, change {change}.")
    )
    return words.format(
        name=_capital(treatment_words(scene.after)),
        before=with_ends(found.before.hubness),
        after=f"**{with_ends(found.after.hubness)}**",
        change=with_ends(each, sign=True),
    )


def _label_words(scene: Scene) -> str:
    found = scene.changes
    each = found.agreement
    if each is None or each.low is None or each.high is None:
        return ""
    words = (
        _("Neighbours become better: the same {label} in {before} → {after}, change {change}.")
        if each.low > 0
        else _("Neighbours become worse: the same {label} in {before} → {after}, change {change}.")
        if each.high < 0
        else _(
            "There is no clear difference in labels: the same {label} in {before} → {after}, "
            "change {change}."
        )
    )
    before, after = found.before.agreement, found.after.agreement
    return words.format(
        label=markdown(label_name(scene.points.corpus)),
        before="" if before is None else with_ends(before, 3),
        after="" if after is None else with_ends(after, 3),
        change=with_ends(each, 3, sign=True),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
