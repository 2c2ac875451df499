"""Numbers, names and settings of a run in words."""

from __future__ import annotations

from geometry.data.number_text import change
from pages.common.controls import layer_words, pooling_names
from pages.common.words import _

from .run import ContrastRun, Gain, Header, HeadSettings


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
        _("measured on {n} test pairs of the project, {positive} of them scored above 4").format(
            n=header.n_test, positive=header.n_positive
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
