"""The run on show: its state in words, and the page's claims beside what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from geometry.data.number_text import change, with_sign
from pages.common.controls import pooling_names
from pages.common.measures import (
    Control,
    NoControl,
    State,
    Verdict,
    nothing_measured,
    overall_state,
)
from pages.common.origin import layer_words
from pages.common.scores import with_interval
from pages.common.uploads import pair_names
from pages.common.words import _, paragraph

from .run import ContrastRun, Gain, Header, HeadSettings, Moment


@dataclass(frozen=True)
class Scene:
    """A recorded or live training, and a step of it."""

    run: ContrastRun
    moment: Moment  # the step of the cloud and of the numbers
    settings: HeadSettings  # of the controls; those of the run may be others
    is_active: bool = False  # True while the run is being trained


# ---- words ----


def gain_words(gain: Gain) -> str:
    """A gain × 100 with its interval: +2.2 [+0.7, +3.9], without a line break."""
    text = change(100 * gain.value, 100 * gain.low, 100 * gain.high, 1)
    return text.replace(", ", ",\u00a0")


def place_names(settings: HeadSettings) -> dict[str, str]:
    """The points of the plane."""
    return {
        "raw": _("raw, layer {layer}").format(layer=settings.layer),
        "centred": _("mean subtracted"),
        "whitened": _("whitened"),
        "flow": _("flow"),
        "last": _("last layer, mean"),
        "trained": _("trained head"),
    }


def text_words(settings: HeadSettings) -> str:
    """The sentences that are trained on."""
    return _("the dev pairs’ sentences") if settings.text is None else settings.text


def data_words(header: Header) -> str:
    """What was trained on and measured, with each n."""
    settings = header.settings
    layer = layer_words(settings.layer, settings.last_layer)
    parts = [
        settings.model,
        layer,
        _("pooling: {pooling}").format(pooling=pooling_names()[settings.pooling]),
        _("trained on {n} sentences ({text})").format(
            n=f"{header.n_trained:,}", text=text_words(settings)
        ),
        _("measured on {n} test pairs ({pairs}), {positive} of them scored above 4").format(
            n=header.n_test,
            pairs=pair_names()[settings.pairs],
            positive=header.n_positive,
        ),
    ]
    return " · ".join(parts)


def settings_words(settings: HeadSettings) -> str:
    """All settings of the training."""
    parts = [
        "tanh(Wx + b)" if settings.head == "tanh" else "Wx + b",
        _("mean subtracted first") if settings.centred else _("mean not subtracted"),
        f"τ = {settings.temperature:g}",
        f"dropout {settings.dropout:g}",
        _("batch {n}").format(n=settings.batch_size),
        _("learning rate {rate}").format(rate=f"{settings.learning_rate:g}"),
        _("{n} steps").format(n=settings.steps),
        _("seed {seed}").format(seed=settings.seed),
    ]
    return " · ".join(parts)


def run_words(run: ContrastRun) -> str:
    """Everything that the numbers of a run depend on."""
    text = _("Recorded run: {about}") if run.is_recorded else _("Your training: {about}")
    head = run.header
    about = f"{data_words(head)} · {settings_words(head.settings)}"
    return text.format(about=about)


# ---- claims ----


COMPARED_WITH = frozenset({"raw", "whitened", "centred"})  # the last is the control


def contrast_verdict(scene: Scene) -> Verdict:
    """Whether training raises the test Spearman over the raw layer and over whitening."""
    run = scene.run
    gains = {} if run.ending is None else {gain.over: gain for gain in run.ending.gains}
    state = contrast_state(gains)
    measured = _("The training has no end yet, so nothing is compared.")
    control: Control | NoControl = nothing_measured()
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
        ]
        control = Control(_beside_centring(gains["centred"]))
        if run.ending.step == 0:
            parts.append(_("No step was better on dev than the start."))
        if run.splits:
            parts.append(_over_splits(run.splits))
            states = {contrast_state({gain.over: gain for gain in gains}) for gains in run.splits}
            state = overall_state({state, *states})
        measured = paragraph(parts)
    header = run.header
    return Verdict(
        claim=_(
            "Contrastive training without labels raises the agreement of cosines with human "
            "scores, over the raw vectors and over whitening."
        ),
        source=_("Gao et al. (2021)"),
        state=state,
        measured=measured,
        control=control,
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
                _("strength of the whitening chosen on the same dev pairs: {strength}").format(
                    strength=f"{run.place('whitened').strength or 0:g}"
                ),
                _("95% interval: paired bootstrap over test pairs, 1,000 draws"),
            ]
        ),
    )


def contrast_state(gains: dict[str, Gain]) -> State:
    """Whether the Spearman rises over both and over the control, over some, or over none."""
    if not gains.keys() >= COMPARED_WITH:
        return "unknown"
    compared = [gains[name] for name in COMPARED_WITH]
    if all(gain.low > 0 for gain in compared):
        return "holds"
    if any(gains[name].low > 0 for name in ("raw", "whitened")):
        return "partly"
    return "fails" if any(gain.high < 0 for gain in compared) else "unknown"


def _beside_centring(gain: Gain) -> str:
    """The gain over subtracting the mean, which takes no training."""
    if gain.low > 0:
        text = _("subtracting the mean alone, which trains nothing. The head is above it: {gain}.")
    elif gain.high < 0:
        text = _("subtracting the mean alone, which trains nothing. The head is below it: {gain}.")
    else:
        text = _(
            "subtracting the mean alone, which trains nothing. The head is not clearly different "
            "from it: {gain}."
        )
    return text.format(gain=f"**{gain_words(gain)}**")


def _over_splits(splits: Sequence[Sequence[Gain]]) -> str:
    """The gains on all splits: the least, the most, and the number of intervals above 0."""
    values = {"n": f"{len(splits)}"}
    for name in ("raw", "whitened"):
        gains = [gain for each in splits for gain in each if gain.over == name]
        least, most = (ends(gain.value for gain in gains) for ends in (min, max))
        clear = sum(gain.low > 0 for gain in gains)
        values[name] = _("{low} to {high}").format(
            low=with_sign(100 * least, 1), high=with_sign(100 * most, 1)
        )
        values[f"{name}_clear"] = f"{clear}"
    return _(
        "On {n} splits into dev and test, each with its own seed: over the raw layer {raw}, and "
        "{raw_clear} of {n} intervals are above 0; over whitening {whitened}, and {whitened_clear} "
        "of {n} intervals are above 0."
    ).format(**values)
