"""The claims of the page beside what is measured: anisotropy by layer, rogue dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.measure import Measured
from geometry.measure.intervals import MIN_ROWS
from pages.common.measures import measured_words
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .provenance import series_origin
from .scene import Scene
from .series import TOKENS

MOST = 0.5  # share of the mean cosine from which five dimensions dominate it


def layers_verdict(scene: Scene) -> Verdict:
    """Is every layer above the input anisotropic, and the last more than the input?"""
    rows = [table["mean_cosine"] for table in scene.tables[TOKENS]]
    state = layers_state(rows)
    words = {
        "holds": _(
            "Every layer above the input has a mean cosine above 0, and the last has more than the "
            "input: {cosines}."
        ),
        "partly": _(
            "Every layer above the input has a mean cosine above 0, and yet the last has no more "
            "than the input: {cosines}."
        ),
        "fails": _("Some layer above the input has a mean cosine near 0: {cosines}."),
        "unknown": _("This needs two layers, and {least} sentences or more."),
    }
    ends = [(layer, row) for layer, row in enumerate(rows) if row.low is not None]
    said = ", ".join(
        _("layer {layer}: {value}").format(layer=layer, value=f"**{measured_words(row)}**")
        for layer, row in ends
    )
    return Verdict(
        claim=_(
            "Contextual tokens are anisotropic in every layer above the input, and most in the "
            "higher layers."
        ),
        source=_("Ethayarajh (2019)"),
        state=state,
        measured=words[state].format(cosines=said, least=MIN_ROWS),
        basis=" · ".join(
            [
                *series_origin(scene.series[TOKENS]),
                _("raw cloud, nothing fitted"),
                _("95% interval: jackknife over sentences"),
            ]
        ),
    )


def layers_state(rows: Sequence[Measured]) -> State:
    """The verdict of the mean cosines of all layers, from the input to the last."""
    first, *above = rows
    if not above or any(row.low is None or row.high is None for row in rows):
        return "unknown"
    if any((row.low or 0.0) <= 0 for row in above):
        return "fails"
    return "holds" if (above[-1].low or 0.0) > (first.high or 0.0) else "partly"


def rogue_verdict(scene: Scene) -> Verdict:
    """Do five dimensions carry most of the mean cosine of the layer?"""
    layer = scene.layer
    row = scene.drawn_tables[layer]["top_5_contributions"]
    state = rogue_state(row)
    words = {
        "holds": _("Five dimensions carry most of the mean cosine at layer {layer}: {share}."),
        "partly": _(
            "Five dimensions carry more than their share of the mean cosine at layer {layer}, and "
            "less than half of it: {share}. If all were alike, it would be {alike}."
        ),
        "fails": _(
            "No few dimensions dominate layer {layer}: the five largest carry {share}. If all "
            "were alike, it would be {alike}."
        ),
        "unknown": _(
            "Layer {layer} has no share that can be measured: its mean cosine is near 0, or there "
            "are fewer than {least} sentences."
        ),
    }
    return Verdict(
        claim=_("A few rogue dimensions dominate the cosine."),
        source=_("Timkey & van Schijndel (2021)"),
        state=state,
        measured=words[state].format(
            layer=layer,
            share=f"**{measured_words(row)}**" if row.low is not None else "",
            alike="" if row.baseline is None else f"{row.baseline:.3f}",
            least=MIN_ROWS,
        ),
        basis=" · ".join(
            [
                *series_origin(scene.drawn_series),
                _("raw cloud, nothing fitted"),
                _("95% interval: jackknife over sentences"),
            ]
        ),
    )


def rogue_state(row: Measured) -> State:
    """The verdict of the share of the five largest dimensions."""
    if row.value is None or row.low is None or row.high is None:
        return "unknown"
    if row.low > MOST:
        return "holds"
    return "partly" if row.low > (row.baseline or 0.0) else "fails"
