"""The dimensions with most of the mean cosine at each layer, raw and standardised."""

from __future__ import annotations

import numpy as np
import streamlit as st

from geometry.data.number_text import signed
from geometry.figures.heatmap import Strip, strips_figure
from geometry.measure import top_contribution_baseline
from pages.common.big_numbers import BigNumber, change_of, show_big_numbers
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.escape import markdown
from pages.common.measures import DIMENSION_SHARES
from pages.common.words import _, prose

from . import PAGE
from .pictures import layer_title
from .provenance import sample_note
from .scene import Scene
from .series import series_name

NAMED = 8  # most dimensions with a tick on the axis
TOP = 3  # dimensions named in the line below the chart
SHARES = dict(zip((1, 5), DIMENSION_SHARES, strict=True))  # by the number of dimensions


def show_rogues(scene: Scene) -> None:
    """The heat maps, the numbers of the chosen layer, and its leading dimensions."""
    raw, standardised = scene.parts["raw"], scene.parts["standardised"]
    rows = [str(layer) for layer in range(len(raw))]
    figure = strips_figure(
        [
            Strip(raw, _("Raw"), rows),
            Strip(standardised, _("Standardised at each layer"), rows),
        ],
        current_theme(),
        titles=(_("dimension"), _("layer")),
        ticks=leading(raw, NAMED),
        reach=float(np.nanmax(np.abs(raw), initial=1e-12)),
    )
    st.subheader(_("Rogue dimensions"))
    show_chart(
        chart_of(figure),
        key="layer-rogues",
        file_name="layers-dimensions",
        alt=" ".join(_line(raw[layer], layer) for layer in range(len(raw))),
    )
    _show_numbers(scene)
    series = scene.drawn_series
    said = [
        _line(raw[scene.layer], scene.layer),
        _("Measured on: {series}.").format(
            series=", ".join([series_name(series.name), *sample_note(series)])
        ),
    ]
    st.caption(markdown(" ".join(said)))
    st.caption(prose(PAGE, "rogue"))


def leading(parts: np.ndarray, most: int) -> list[int]:
    """A few dimensions with the largest part at some layer, not close to each other.

    parts : (layers, d)
    """
    strongest = np.nan_to_num(parts).max(axis=0)
    apart = parts.shape[1] / 20  # nearer names would overlap
    found: list[int] = []
    for dimension in np.argsort(-strongest, kind="stable")[: 4 * most]:
        if all(abs(int(dimension) - other) > apart for other in found):
            found.append(int(dimension))
    return sorted(found[:most])


def _line(parts: np.ndarray, layer: int) -> str:
    """The leading dimensions of a layer, with their share of its mean cosine."""
    total = float(np.sum(parts))
    if not np.isfinite(total) or total <= 0:
        return _("Layer {layer}: no share is defined.").format(layer=layer)
    order = np.argsort(-parts, kind="stable")[:TOP]
    shares = ", ".join(f"{i} ({parts[i] / total:.1%})" for i in order)
    return _("Layer {layer}, leading dimensions and their share: {shares}.").format(
        layer=layer, shares=shares
    )


def _show_numbers(scene: Scene) -> None:
    now, before = (scene.drawn_tables[layer] for layer in (scene.layer, max(scene.layer - 1, 0)))
    d = scene.first.vectors.shape[1]
    labels = {1: _("largest dimension's share"), 5: _("five largest dimensions")}
    numbers = []
    for k, name in SHARES.items():
        value = now[name].value
        change = change_of(value, before[name].value, 3) if scene.layer else ""
        numbers.append(
            BigNumber(
                labels[k],
                "—" if value is None else f"{value:.1%}",
                _("all alike: {value}").format(
                    value=f"{top_contribution_baseline(d, k=min(k, d)):.1%}"
                ),
                _("since the layer below: {change}").format(change=change) if change else "",
            )
        )
    cosine = float(np.sum(scene.parts["standardised"][scene.layer]))
    numbers.append(
        BigNumber(
            _("mean cosine, standardised"),
            signed(cosine, 3) if np.isfinite(cosine) else "—",
            _("isotropic: {value}").format(value="0.000"),
        )
    )
    show_big_numbers(layer_title(scene), numbers, key="rogue-numbers")
