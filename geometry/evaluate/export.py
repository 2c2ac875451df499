"""A grid as rows, CSV and JSON: one row a cell, with the settings its numbers depend on."""

import json
from typing import Any

from ..data.csv_cells import csv_text
from ..encode.encoder import Layer
from .best_cell import Chosen
from .bootstrap import PairScore
from .grid import Cell, Grid


def grid_rows(grid: Grid) -> list[dict[str, Any]]:
    """One flat dictionary a cell; a missing value is None, correlations are in [-1, 1]."""
    return [
        {
            "evaluated_on": grid.evaluated_on,
            "aggregation": grid.aggregation,
            "subsets": "; ".join(f"{name} {n}" for name, n in grid.subsets),
            **_cell_row(cell),
            "similarity": grid.similarity,
            "draws": grid.draws,
            "seed": grid.seed,
        }
        for cell in grid.cells
    ]


def grid_csv(grid: Grid, **settings: Any) -> str:
    """The rows as CSV with a header; settings, such as the model, are the first columns."""
    return csv_text([{**settings, **row} for row in grid_rows(grid)])


def grid_json(grid: Grid, *, chosen: Chosen | None = None, **settings: Any) -> str:
    """Settings, cells, and the cell chosen on dev, as JSON.

    Parameters
    ----------
    grid : Grid
    chosen : Chosen, optional, the result of ``choose_on_dev``
    **settings
        Other settings of the measurement, such as model and revision.
    """
    rows = grid_rows(grid)
    if grid.subsets:
        rows = [
            {**row, "by_subset": _of_subsets(cell.score)}
            for row, cell in zip(rows, grid.cells, strict=True)
        ]
    document: dict[str, Any] = {**settings, "cells": rows}
    if chosen is not None:
        document["chosen_on_dev"] = {
            "among": chosen.n_cells,
            "dev": _cell_row(chosen.cell_on_dev),
            "test": _cell_row(chosen.cell_on_test),
        }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def layer_text(layer: Layer) -> str:
    """ "4", "first-last", "1+6"."""
    return "+".join(map(str, layer)) if isinstance(layer, tuple) else str(layer)


def _cell_row(cell: Cell) -> dict[str, Any]:
    score, difference = cell.score, cell.difference
    return {
        "layer": layer_text(cell.layer),
        "pooling": cell.pooling,
        "treatment": cell.treatment,
        "fit_on": cell.fit_on,
        "n_fit": cell.n_fit,
        "rank": cell.rank,
        "k": cell.n_directions,
        "n_pairs": score.n,
        "spearman": score.spearman,
        "low": score.low,
        "high": score.high,
        "pearson": score.pearson,
        "pearson_low": score.pearson_low,
        "pearson_high": score.pearson_high,
        "difference": difference.value if difference else None,
        "difference_low": difference.low if difference else None,
        "difference_high": difference.high if difference else None,
        "mean_cosine": cell.mean_cosine,
        "undefined": score.undefined,
        "note": cell.note,
    }


def _of_subsets(score: PairScore) -> dict[str, dict[str, Any]]:
    return {
        name: {"n_pairs": part.n, "spearman": part.spearman, "low": part.low, "high": part.high}
        for name, part in score.by_subset.items()
    }
