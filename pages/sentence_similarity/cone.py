"""Does a narrower cone score worse? Mean cosine against Spearman."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from geometry.claims.scores import Narrower, narrower_against_score
from geometry.data.number_text import signed
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.evaluate.grid import Cell
from geometry.figures.curves import Axes
from geometry.figures.scatter import Dots, Ring, scatter_figure
from pages.common.controls import pooling_names
from pages.common.downloads import CsvCell, csv_bytes, offer_csv, short_number
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.scores import hundred, with_interval
from pages.common.words import _, markdown, prose

from . import PAGE
from .choices import cell_words, measured_on, score_title
from .scene import Scene

HEIGHT = 380


def show_cone_against_score(scene: Scene) -> None:
    """Mean cosine against Spearman of the raw cells, and pairs of cells that contradict."""
    choice = scene.choice
    cells = [
        cell
        for cell in scene.scores.grid.cells
        if cell.treatment == "none"
        and isinstance(cell.layer, int)  # a mean of layers repeats them
        and cell.score.spearman is not None
        and cell.mean_cosine is not None
    ]
    cosines = [float(cell.mean_cosine or 0.0) for cell in cells]
    scores = [100 * float(cell.score.spearman or 0.0) for cell in cells]
    narrower = narrower_against_score(cosines, scores)
    groups = []
    for place, pooling in enumerate(POOLINGS_SHOWN):
        rows = [i for i, cell in enumerate(cells) if cell.pooling == pooling]
        about = [_about(cells[i], cosines[i]) for i in rows]
        x, y = (np.array([values[i] for i in rows]) for values in (cosines, scores))
        groups.append(Dots(x, y, about, pooling_names()[pooling], place))
    named = [i for example in narrower.examples for i in (example.narrow, example.wide)]
    rings = [Ring([(cosines[i], scores[i]) for i in named], _("pairs of cells named below"))]
    figure = scatter_figure(
        groups,
        Axes(_("mean cosine (narrower →)"), score_title(choice)),
        current_theme(),
        rings=rings,
        height=HEIGHT,
    )
    show_chart(
        chart_of(figure),
        key="sts-cone",
        file_name="sentence-similarity-cone",
        alt=_("; ").join(_about(cell, cosine) for cell, cosine in zip(cells, cosines, strict=True)),
    )
    st.markdown(prose(PAGE, "cone", cone_values(narrower)))
    for example in narrower.examples:
        st.markdown("- " + _contradiction(cells[example.narrow], cells[example.wide]))
    caption = measured_on(choice) + " · " + _("raw vectors, nothing fitted")
    st.caption(markdown(caption))
    offer_csv(
        _("Download cells (CSV)"), "sentence-similarity-cone", lambda: cone_csv(cells, caption)
    )


def cone_values(narrower: Narrower) -> dict[str, str]:
    """The values in the sentence below the scatter."""
    share = narrower.against / narrower.pairs if narrower.pairs else 0.0
    return {
        "cells": f"{narrower.n}",
        "correlation": "—" if narrower.correlation is None else signed(narrower.correlation, 2),
        "against": f"{narrower.against:,}",
        "pairs": f"{narrower.pairs:,}",
        "share": f"{share:.0%}",
    }


def _about(cell: Cell, cosine: float) -> str:
    score = with_interval(cell.score.spearman, cell.score.low, cell.score.high)
    return _("{cell}: {score}; mean cosine {cosine}").format(
        cell=cell_words(cell.layer, cell.pooling), score=score, cosine=signed(cosine, 3)
    )


def _contradiction(narrow: Cell, wide: Cell) -> str:
    sentence = _(
        "**{narrow}**, mean cosine {narrow_cosine}, scores **{narrow_score}**; the wider "
        "{wide}, at {wide_cosine}, scores {wide_score}."
    )
    return sentence.format(
        narrow=cell_words(narrow.layer, narrow.pooling),
        narrow_cosine=signed(narrow.mean_cosine or 0.0, 3),
        narrow_score=hundred(narrow.score.spearman),
        wide=cell_words(wide.layer, wide.pooling),
        wide_cosine=signed(wide.mean_cosine or 0.0, 3),
        wide_score=hundred(wide.score.spearman),
    )


def cone_csv(cells: Sequence[Cell], caption: str) -> bytes:
    """A row for each dot."""
    rows: list[list[CsvCell]] = [
        [
            str(cell.layer),
            (cell.pooling, pooling_names()[cell.pooling]),
            *("" if value is None else short_number(value) for value in values),
        ]
        for cell in cells
        for values in [(cell.mean_cosine, cell.score.spearman, cell.score.low, cell.score.high)]
    ]
    return csv_bytes(["layer", "pooling", "mean_cosine", "spearman", "low", "high"], rows, caption)
