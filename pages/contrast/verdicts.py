"""The claim of contrastive learning beside what is measured here."""

from __future__ import annotations

from collections.abc import Sequence

from geometry.data.number_text import with_sign
from pages.common.scores import with_interval
from pages.common.verdict import State, Verdict
from pages.common.words import _

from .run import Gain
from .scene import Scene
from .words import data_words, gain_words


def contrast_verdict(scene: Scene) -> Verdict:
    """Whether training raises the test Spearman over the raw layer and over whitening."""
    run = scene.run
    gains = {} if run.ending is None else {gain.over: gain for gain in run.ending.gains}
    state = contrast_state(gains)
    measured = _("The training has no end yet, so nothing is compared.")
    if run.ending is not None and state == "unknown":
        measured = _("A score is undefined, because all cosines are equal.")
    elif run.ending is not None:
        trained = run.ending.trained
        words = {name: f"**{gain_words(gain)}**" for name, gain in gains.items()}
        parts = [
            _(
                "Test Spearman × 100 of the trained head: **{score}**. Over the raw layer {raw}; "
                "over whitening {whitened}; over the flow {flow}."
            ).format(
                score=with_interval(trained.spearman_test, trained.low, trained.high), **words
            ),
            _beside_centring(gains["centred"]),
        ]
        if run.ending.step == 0:
            parts.append(_("No step was better on dev than the start."))
        if run.seeds:
            parts.append(_over_seeds(run.seeds))
            states = {contrast_state({gain.over: gain for gain in gains}) for gains in run.seeds}
            state = state if len(states) == 1 else "partly"
        measured = " ".join(parts)
    header = run.header
    return Verdict(
        claim=_(
            "Contrastive training without labels raises the agreement of cosines with human "
            "scores, over the raw vectors and over whitening."
        ),
        source=_("Gao et al. (2021)"),
        state=state,
        measured=measured,
        basis=" · ".join(
            [
                data_words(header),
                *(
                    [
                        _("step {step} chosen as the best on {n} dev pairs").format(
                            step=run.ending.step, n=header.n_dev
                        )
                    ]
                    if run.ending is not None
                    else []
                ),
                _("whitening, flow and mean fitted on the same sentences"),
                _("95% interval: paired bootstrap over test pairs, 1,000 draws"),
            ]
        ),
    )


def contrast_state(gains: dict[str, Gain]) -> State:
    """Whether the Spearman rises over both, over one of them, or over neither."""
    if not {"raw", "whitened"} <= gains.keys():
        return "unknown"
    rises = [gains[name].low > 0 for name in ("raw", "whitened")]
    return "holds" if all(rises) else "partly" if any(rises) else "fails"


def _beside_centring(gain: Gain) -> str:
    """The gain over subtracting the mean, which takes no training."""
    if gain.low > 0:
        text = _("It is also above subtracting the mean alone: {gain}.")
    elif gain.high < 0:
        text = _("Subtracting the mean alone gives more: {gain}.")
    else:
        text = _("Subtracting the mean alone is not clearly different: {gain}.")
    return text.format(gain=f"**{gain_words(gain)}**")


def _over_seeds(seeds: Sequence[Sequence[Gain]]) -> str:
    """The gains of all seeds: the least, the most, and the number of intervals above 0."""
    values = {"n": f"{len(seeds)}", "last": f"{len(seeds) - 1}"}
    for name in ("raw", "whitened"):
        gains = [gain for each in seeds for gain in each if gain.over == name]
        least, most = (ends(gain.value for gain in gains) for ends in (min, max))
        clear = sum(gain.low > 0 for gain in gains)
        values[name] = f"{with_sign(100 * least, 1)} … {with_sign(100 * most, 1)}"
        values[f"{name}_clear"] = f"{clear}"
    return _(
        "With the seeds 0 to {last}: over the raw layer {raw}, and {raw_clear} of {n} intervals "
        "are above 0; over whitening {whitened}, and {whitened_clear} of {n} intervals are above 0."
    ).format(**values)
