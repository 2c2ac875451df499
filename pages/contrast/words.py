"""Numbers, names and settings of a run in words."""

from __future__ import annotations

import math

from pages.common.controls import layer_words, pooling_names
from pages.common.words import Translate, signed, with_sign

from .run import Header, Run, Settings


def hundred(value: float) -> str:
    """A correlation × 100 with one decimal; "—" without one."""
    return "—" if math.isnan(value) else signed(100 * value, 1)


def with_interval(value: float, low: float, high: float) -> str:
    """86.3 [83.6, 88.7], without a line break.

    Parameters
    ----------
    value : float
        A correlation, printed × 100; so are the ends.
    low : float
        Lower end of the interval. NaN prints the value alone.
    high : float
        Upper end of the interval.
    """
    if math.isnan(low):
        return hundred(value)
    return f"{hundred(value)} [{hundred(low)},\u00a0{hundred(high)}]"


def gain_words(value: float, low: float, high: float) -> str:
    """+2.2 [+0.7, +3.9], without a line break.

    Parameters
    ----------
    value : float
        A difference of correlations, printed × 100; so are the ends.
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.
    """
    first, *ends = (with_sign(100 * number, 1) for number in (value, low, high))
    return f"{first} [{ends[0]},\u00a0{ends[1]}]"


def place_names(settings: Settings, _: Translate) -> dict[str, str]:
    """The points of the plane."""
    return {
        "raw": _("raw, layer {layer}").format(layer=settings.layer),
        "centred": _("mean subtracted"),
        "whitened": _("whitened"),
        "flow": _("flow"),
        "last": _("last layer, mean"),
        "trained": _("trained head"),
    }


def text_words(settings: Settings, _: Translate) -> str:
    """The sentences that are trained on."""
    return _("the dev pairs’ sentences") if settings.text is None else settings.text


def data_words(header: Header, _: Translate) -> str:
    """What was trained on and measured, with each n."""
    settings = header.settings
    layer = layer_words(settings.layer, settings.last_layer, _)
    parts = [
        settings.model,
        layer,
        _("pooling: {pooling}").format(pooling=pooling_names(_)[settings.pooling]),
        _("trained on {n} sentences ({text})").format(
            n=f"{header.n_trained:,}", text=text_words(settings, _)
        ),
        _("measured on {n} test pairs of the project, {positive} of them scored above 4").format(
            n=header.n_test, positive=header.n_positive
        ),
    ]
    return " · ".join(parts)


def settings_words(settings: Settings, _: Translate) -> str:
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


def run_words(run: Run, _: Translate) -> str:
    """Everything that the numbers of a run depend on."""
    text = _("Recorded run: {about}") if run.is_recorded else _("Your training: {about}")
    head = run.header
    about = f"{data_words(head, _)} · {settings_words(head.settings, _)}"
    return text.format(about=about)
