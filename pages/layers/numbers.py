"""The numbers under the pictures, the table of all layers, and the downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from geometry.figures.curves import Axes, Curve, curves_figure
from geometry.figures.export import figure_rows
from geometry.measure import Measured
from geometry.palette import Theme
from pages.common.big_numbers import BigNumber, change_of, show_big_numbers
from pages.common.corpus_cloud import coverage_of
from pages.common.coverage_notes import coverage_line
from pages.common.downloads import csv_bytes, offer_csv, points_csv, short_number
from pages.common.draw.clouds import current_theme
from pages.common.glosses import explained_caption
from pages.common.measures import (
    COSINE_DECIMALS,
    DIMENSION_SHARES,
    decimals_of,
    measure_label,
    no_value,
    print_value,
    unit_of,
)
from pages.common.messages import encoder_errors_shown
from pages.common.words import _

from .curves import drawn_curves
from .film import HEADLINES, Film, Table
from .pictures import captions, layer_title
from .provenance import provenance, series_origin
from .scene import Scene
from .series import TOKENS
from .sweep import CONTEXTUAL, MEASURES


def show_headlines(scene: Scene) -> None:
    """Three numbers of the layer, with their change since the layer below it."""
    now = scene.still.headlines
    below = scene.film.stills[scene.layer - 1].headlines if scene.layer else None
    labels = {
        "mean_cosine": _("mean cosine"),
        "opening_angle": _("opening angle, median"),
        "isoscore": _("IsoScore"),
    }
    numbers = [_number(name, labels[name], now, below) for name in HEADLINES]
    title = layer_title(scene)
    with st.container(key="layer-headline"):
        st.markdown(f"**{title}**")
        show_big_numbers(title, numbers, key="headline-layer")
    explained_caption(" · ".join([*captions(scene), provenance(scene)]))


def _number(name: str, label: str, now: Table, below: Table | None) -> BigNumber:
    row, unit = now[name], unit_of(name)
    decimals = COSINE_DECIMALS if name == "mean_cosine" else decimals_of(name)
    change = change_of(row.value, below[name].value, decimals) if below else ""
    note = "" if row.baseline is None else print_value(name, row.baseline, decimals) + unit
    return BigNumber(
        label,
        print_value(name, row.value, decimals) + unit if row.value is not None else "—",
        _("isotropic: {value}").format(value=note) if note else "",
        _("since the layer below: {change}").format(change=change + unit) if change else "",
    )


def show_all_measures(scene: Scene) -> None:
    """A row for each layer of the drawn cloud, and every series as CSV."""
    names: tuple[str, ...] = (*MEASURES, *DIMENSION_SHARES)
    tables = dict(scene.tables)
    if scene.film.name == TOKENS:
        both = zip(tables[TOKENS], scene.contextual[TOKENS], strict=True)
        tables[TOKENS] = tuple(table | contextual for table, contextual in both)
        names = (*names, *CONTEXTUAL)
    with st.container(key="layer-table"):
        st.markdown(table_markdown(tables[scene.film.name], names))
    st.caption(
        _(
            "In brackets: 95% intervals. They leave out sentences, with all their tokens; angles "
            "come from subsamples. “Isotropic” is the value for isotropic data with the same n "
            "and d."
        )
    )
    with encoder_errors_shown():
        st.caption(coverage_line(coverage_of(scene.first.corpus)))
    measured_on = {name: " · ".join(series_origin(each)) for name, each in scene.series.items()}
    offer_csv(
        _("Download measures (CSV)"),
        "layers-measures",
        lambda: table_csv(tables, measured_on),
    )


def table_markdown(tables: Sequence[Table], names: Sequence[str]) -> str:
    """A row for each layer, a column for each measure; isotropic values come last."""
    head = [_("layer"), *(measure_label(name, with_unit=True) for name in names)]
    lines = [head, ["---:"] * len(head)]
    for layer, table in enumerate(tables):
        lines.append([f"{layer}", *(_cell(table[name]) for name in names)])
    isotropic = [print_value(name, tables[-1][name].baseline) or "—" for name in names]
    lines.append([_("isotropic"), *isotropic])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(row: Measured) -> str:
    if row.value is None:
        return no_value(row.undefined)
    decimals = 4 if row.name == "positive_cosine_share" else None
    text = print_value(row.name, row.value, decimals)
    if row.low is None or row.high is None:
        return text
    low, high = (print_value(row.name, end, decimals) for end in (row.low, row.high))
    return f"{text} [{low},\u00a0{high}]"  # a no-break space: intervals stay whole


def table_csv(tables: Mapping[str, Sequence[Table]], measured_on: Mapping[str, str]) -> bytes:
    """A row for each measure of each layer of each series.

    Parameters
    ----------
    tables : mapping of str to sequence of Table
        By the series' name, a table for each layer.
    measured_on : mapping of str to str
        What each series is, in words.
    """
    head = ["series", "layer", "measure", "value", "low", "high", "isotropic", "n", "d"]
    rows = [
        [
            name,
            str(layer),
            row.name,
            *(
                "" if value is None else short_number(value)
                for value in (row.value, row.low, row.high, row.baseline)
            ),
            str(row.n),
            str(row.d),
        ]
        for name, each in tables.items()
        for layer, table in enumerate(each)
        for row in table.values()
    ]
    return csv_bytes(head, rows, "; ".join(measured_on[name] for name in tables))


def offer_downloads(scene: Scene, measure: str) -> None:
    """The points, the curves of that measure and the parts of the dimensions as CSV.

    Streamlit stores the functions of the buttons, so they refer to no cloud of the curves.
    """
    measured_on, film, parts = provenance(scene), scene.film, scene.parts
    curves, theme = drawn_curves(scene, measure), current_theme()
    offer_csv(_("Download points (CSV)"), "layers-points", lambda: points_table(film, measured_on))
    offer_csv(
        _("Download curves (CSV)"),
        "layers-curves",
        lambda: curves_csv(curves, theme, measured_on),
    )
    offer_csv(
        _("Download dimensions (CSV)"),
        "layers-dimensions",
        lambda: dimensions_csv(parts, measured_on),
    )


def curves_csv(curves: Sequence[Curve], theme: Theme, measured_on: str) -> bytes:
    """The values of the curves, a row for each point.

    Parameters
    ----------
    curves : sequence of Curve
    theme : Theme
        Of the figure that the values are read from.
    measured_on : str
        Corpus, model and settings in words.
    """
    head, rows = figure_rows({"": curves_figure(curves, Axes("", ""), theme)})
    text = [[v if isinstance(v, str) else short_number(v) for v in row] for row in rows]
    return csv_bytes(head, text, measured_on)


def dimensions_csv(parts: Mapping[str, np.ndarray], measured_on: str) -> bytes:
    """Each dimension's part of the mean cosine, a row for each layer and dimension."""
    whole = np.stack(list(parts.values()), axis=-1)  # (layers, d, treatments)
    rows = [
        [str(layer), str(i), *map(short_number, whole[layer, i])]
        for layer, i in np.ndindex(whole.shape[:2])
    ]
    return csv_bytes(["layer", "dimension", *parts], rows, measured_on)


def points_table(film: Film, measured_on: str) -> bytes:
    """The coordinates at every layer, as drawn: of unit vectors around the origin."""
    axes = "xyz"[: film.n_components]
    columns = [f"layer_{i}_{axis}" for i in range(film.last + 1) for axis in axes]
    places = np.hstack([picture.around_origin for picture in film.pictures])
    return points_csv(film.first.cloud, columns, places, measured_on)
