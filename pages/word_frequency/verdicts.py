"""The claims of the papers about frequent words, beside what is measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from geometry.data.number_text import estimate
from geometry.measure import FrequencyBin, FrequencyDirection
from geometry.measure.frequency import NEIGHBOURS
from geometry.measure.intervals import Estimate
from pages.common.escape import markdown_table
from pages.common.verdict import ICONS, State, Verdict
from pages.common.words import _

from .apart import FrequencyMeasures
from .provenance import provenance
from .scene import Scene


def direction_sentence(direction: FrequencyDirection) -> str:
    """Where frequent words are, computed from the data."""
    bins = " → ".join(three_digits(each.value) for each in direction.norms)
    s = direction.spearman
    is_open = s.low is not None and s.high is not None and s.low <= 0 <= s.high
    if direction.order == "neither":
        words = _(
            "The mean lengths of the bins go neither up nor down: {bins} (Spearman of length and "
            "rank {rho}, n = {n})."
        )
    elif is_open:
        words = _(
            "In this table length hardly goes with frequency: {bins} (Spearman of length and rank "
            "{rho}, n = {n})."
        )
    elif direction.order == "rising":
        words = _(
            "In this table frequent words lie nearer to the origin: {bins} (Spearman of length "
            "and rank {rho}, n = {n})."
        )
    else:
        words = _(
            "In this table frequent words lie farther from the origin: {bins} (Spearman of length "
            "and rank {rho}, n = {n})."
        )
    return words.format(
        bins=f"**{bins}**", rho=estimate(s.value, s.low, s.high), n=f"{direction.n:,}"
    )


def three_digits(value: float) -> str:
    """The number with three significant digits: lengths of different tables differ much."""
    return f"{value:#.3g}".replace("-", "−").rstrip(".")


def words_verdict(scene: Scene) -> Verdict:
    """The three claims about frequent words, each by itself."""
    measures = scene.measures
    first, last = measures.bins[0], measures.bins[-1]
    norm = ordered_state(first.norm, last.norm, measures.direction.order == "rising")
    steps = [each.distances[0].value for each in measures.bins]
    sparse = ordered_state(
        first.distances[0], last.distances[0], all(a < b for a, b in pairwise(steps))
    )
    cone = cone_state(measures.bins)
    lines = [
        _line(
            norm,
            _("Frequent words lie nearer to the origin"),
            _("mean length {first} → {last}"),
            first.norm,
            last.norm,
        ),
        _line(
            sparse,
            _("Rare words are sparser"),
            _("distance to the 3 nearest words {first} → {last}"),
            first.distances[0],
            last.distances[0],
        ),
        _line(
            cone,
            _("Rare words form the cone"),
            _("mean cosine {first} → {last}"),
            first.cosine,
            last.cosine,
        ),
    ]
    states = {norm, sparse, cone}
    overall: State = "unknown" if states == {"unknown"} else norm if len(states) == 1 else "partly"
    return Verdict(
        claim=_(
            "Frequent words lie near the origin and close together; rare words lie far away, are "
            "sparse, and form the cone."
        ),
        source=_("Gao et al. (2019), Li et al. (2020)"),
        state=overall,
        measured="\n\n" + "\n".join(f"- {line}" for line in lines),
        basis=" · ".join(
            [
                provenance(scene),
                _("the {n} most frequent words against ranks from {start} on").format(
                    n=f"{first.n:,}", start=f"{last.start + 1:,}"
                ),
                _("95% intervals: jackknife over words"),
            ]
        ),
    )


def ordered_state(first: Estimate, last: Estimate, rises: bool) -> State:
    """Whether a mean rises from the most frequent words to the rarest, and from bin to bin.

    Parameters
    ----------
    first : Estimate
        The mean of the most frequent words.
    last : Estimate
        The mean of the rarest words.
    rises : bool
        True if the mean rises from bin to bin.
    """
    if first.high is None or last.low is None:
        return "unknown"
    if last.low <= first.high:
        return "fails"
    return "holds" if rises else "partly"


def cone_state(bins: Sequence[FrequencyBin]) -> State:
    """Whether rare words have a larger mean cosine than frequent ones."""
    first, last = bins[0].cosine, bins[-1].cosine
    if len(bins) < 2 or first is None or last is None or first.high is None or last.low is None:
        return "unknown"
    return "holds" if last.low > first.high else "fails"


def _line(
    state: State, claim: str, template: str, first: Estimate | None, last: Estimate | None
) -> str:
    """A claim, its mark, and both ends."""
    ends = [_("no value") if each is None else _cell(each) for each in (first, last)]
    words = template.format(first=f"**{ends[0]}**", last=f"**{ends[1]}**")
    return f"{ICONS[state]} {claim}: {words}"


PUBLISHED_ENDS = (1, 100, 500, 5000, 30522)  # ranks; the last is the size of BERT's vocabulary
PUBLISHED_ROWS = (
    "mean L2 norm",
    *(f"mean L2 distance to {k} nearest" for k in NEIGHBOURS),
    *(f"mean dot product with {k} nearest" for k in NEIGHBOURS),
)


def table_markdown(
    measures: FrequencyMeasures, published: Mapping[str, Sequence[float | None]]
) -> str:
    """BERT-flow's table: a row for each bin, and the published figures of the same bin below it."""
    head = [
        _("ranks"),
        "n",
        _("mean length"),
        *(_("distance to the {k} nearest").format(k=k) for k in NEIGHBOURS),
        *(_("dot product with the {k} largest").format(k=k) for k in NEIGHBOURS),
        _("mean cosine of pairs"),
    ]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    theirs = list(zip(*(published[name] for name in PUBLISHED_ROWS), strict=True))
    for place, each in enumerate(measures.bins):
        lines.append(
            [
                f"{each.start + 1:,}–{each.stop:,}",
                f"{each.n:,}",
                _cell(each.norm),
                *map(_cell, each.distances),
                *map(_cell, each.dots),
                _("no value")
                if each.cosine is None
                else estimate(each.cosine.value, each.cosine.low, each.cosine.high),
            ]
        )
        first, last = PUBLISHED_ENDS[place : place + 2]
        title = _("published: {ranks}").format(ranks=f"{first:,}–{last:,}")
        lines.append([title, "", *("" if v is None else f"{v:.2f}" for v in theirs[place]), ""])
    return markdown_table(lines)


def _cell(each: Estimate) -> str:
    text = three_digits(each.value)
    if each.low is None or each.high is None:
        return text
    return f"{text} [{three_digits(each.low)},\u00a0{three_digits(each.high)}]"
