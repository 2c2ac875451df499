"""The gains of cures as text, CSV and one HTML file. In English."""

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from ..data.csv_cells import csv_text
from ..data.number_text import change, signed
from ..evaluate.grid import layer_text
from ..evaluate.specs import parse_treatment
from ..measure.intervals import Estimate
from ..transform.treatments import TREATMENTS
from . import svg
from .evidence import CureGain, GainGrid
from .report import page, table

Grids = Mapping[str, GainGrid]  # by model
HEAD = ("place", "cure", "score", "gain", "control", "gain over control")
TALLY = ("cure", "better", "worse", "of", "above its control", "below it")
SCORES = {
    "pairs": "Spearman × 100",
    "labels": "share of the 5 nearest with the same label, in %",
    "probe": "accuracy of a linear probe, in %",
    "queries": "nDCG of the 10 nearest × 100",
}
CONTROLS = (
    "Controls: rotated is a random rotation. Its gain must be 0, unless ranks of coordinates are "
    "compared. random:k removes the mean and k random directions; random-kept:k keeps k random "
    "directions."
)


def basis(model: str, grid: GainGrid) -> str:
    """What the gains were measured on, and what the intervals state."""
    fit = grid.about.get("fit") or f"the other {grid.n_folds - 1} of {grid.n_folds} folds"
    return (
        f"{model}, {grid.about.get('data', '')}: {SCORES[grid.task]}; n = {grid.n_items:,} "
        f"({grid.n_units:,} independent), d = {grid.d:,}; fitted on {fit} (n = {grid.n_fit:,}), "
        f"seed {grid.seed}; the intervals of {grid.n_together:,} differences hold at 95% together, "
        "for these fits on other rows"
    )


def tally(grid: GainGrid, similarity: str) -> list[list[str]]:
    """A row for each cure: at how many places it is clearly better and worse."""
    rows = []
    for cure, of_cure in _by_cure(grid, similarity).items():
        gains = _counts(each.gain for each in of_cure)
        over = _counts(each.over_control for each in of_cure)
        rows.append([cure, *gains, str(len(of_cure)), *over])
    return rows


def _by_cure(grid: GainGrid, similarity: str) -> dict[str, list[CureGain]]:
    found: dict[str, list[CureGain]] = {}
    for each in grid.gains:
        if each.similarity == similarity and not each.is_control:
            found.setdefault(each.cure, []).append(each)
    return found


def gain_table(grid: GainGrid, similarity: str) -> list[list[str]]:
    rows = []
    for each in grid.gains:
        if each.similarity == similarity:
            score = "undefined" if each.score is None else signed(100 * each.score, 2)
            differences = [_words(each.gain), each.control, _words(each.over_control)]
            rows.append([place_name(each), each.cure, score, *differences])
    return rows


def place_name(gain: CureGain) -> str:
    return f"layer {layer_text(gain.layer)}, {gain.pooling}" if gain.pooling else "as given"


def gains_csv(grids: Grids) -> str:
    """A row for each gain, with the settings that it depends on."""
    return csv_text([row for model, grid in grids.items() for row in _rows(model, grid)])


def gains_html(grids: Grids) -> str:
    """One file: for each model and similarity a picture of each cure, counts, all gains."""
    body = ["<h1>Does a cure help, and where?</h1>", f"<p>{escape(CONTROLS)}</p>"]
    for model, grid in grids.items():
        body += [f"<h2>{escape(model)}</h2>", f"<p><small>{escape(basis(model, grid))}</small></p>"]
        for similarity in grid.places[0].scores:
            body += [f"<h3>{escape(similarity)}</h3>"] if similarity else []
            body += [
                f'<div class="pictures">{_pictures(grid, similarity)}</div>',
                "<p>Places where the whole interval is above or below 0:</p>",
                f'<div class="wide">{table(tally(grid, similarity), TALLY)}</div>',
                "<details><summary>All gains</summary>"
                f'<div class="wide">{table(gain_table(grid, similarity), HEAD)}</div></details>',
            ]
    return page("Evidence", body)


def _pictures(grid: GainGrid, similarity: str) -> str:
    gains = [each for each in grid.gains if each.similarity == similarity]
    by_place = {(each.layer, each.pooling, each.cure): each.gain for each in gains}
    ends = (abs(end) for each in gains for end in _times(each.gain) if end is not None)
    reach = math.ceil(max(ends, default=1.0))
    figures = ""
    for cure, of_cure in _by_cure(grid, similarity).items():
        label = TREATMENTS[parse_treatment(cure).name].label
        figures += svg.intervals(
            [_times(each.gain) for each in of_cure],
            [_times(by_place[each.layer, each.pooling, each.control])[0] for each in of_cure],
            list(map(place_name, of_cure)),
            title=f"{label} ({cure}); the ring is its control, {of_cure[0].control}",
            x_label="gain × 100",
            reach=reach,
        )
    return figures


def _rows(model: str, grid: GainGrid) -> list[dict[str, Any]]:
    names = ("task", "n_items", "n_units", "n_fit", "d", "n_folds", "n_together", "seed")
    over = ("over_control", "over_control_low", "over_control_high")
    return [
        {
            "model": model,
            "layer": layer_text(each.layer),
            "pooling": each.pooling,
            "similarity": each.similarity,
            "cure": each.cure,
            "score": each.score,
            **dict(zip(("gain", "gain_low", "gain_high"), _times(each.gain, 1), strict=True)),
            "control": each.control,
            **dict(zip(over, _times(each.over_control, 1), strict=True)),
            **{name: getattr(grid, name) for name in names},
            **{name: grid.about.get(name) for name in ("data", "fit", "revision", "prefix")},
        }
        for each in grid.gains
    ]


def _counts(differences: Iterable[Estimate | None]) -> tuple[str, str]:
    found = [each for each in differences if each is not None]
    return str(sum(each.rises for each in found)), str(sum(each.falls for each in found))


def _times(
    found: Estimate | None, factor: float = 100
) -> tuple[float | None, float | None, float | None]:
    ends = (None,) * 3 if found is None else (found.value, found.low, found.high)
    value, low, high = (None if end is None else factor * end for end in ends)
    return value, low, high


def _words(found: Estimate | None) -> str:
    value, low, high = _times(found)
    return "" if value is None else change(value, low, high, 1)
