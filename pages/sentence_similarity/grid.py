"""The grid as heatmaps, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from geometry.evaluate import export
from geometry.evaluate.grid import Cell, Grid
from geometry.evaluate.specs import parse_treatment
from geometry.figures.heatmap import Cells, cells_figure
from pages.common.downloads import offer_csv
from pages.common.draw.charts import chart_of, show_chart
from pages.common.draw.clouds import current_theme
from pages.common.words import Translate, prose, signed

from .choices import treatment_words
from .scene import Asked
from .words import (
    cell_words,
    cut_words,
    fitted_on,
    measured_on,
    pooling_words,
    rank_words,
    with_interval,
)

PAGE = "sentence_similarity"
ROW = 46  # px of a layer's row: a score above its interval
HEAD = 60
MOST_NAMED = 4
FEW_PAIRS = 600  # below it intervals are so wide that the page says how wide


def show_grid(asked: Asked, grid: Grid, _: Translate) -> None:
    """Before, after, difference; where the treatment helps and where it hurts."""
    st.markdown("#### 3 · " + _("Every layer and pooling: before, after, difference"))
    st.markdown(prose(PAGE, "grid"))
    before = [grid.cell(layer, p, "none") for layer in grid.layers for p in grid.poolings]
    after = [grid.cell(layer, p, asked.after) for layer in grid.layers for p in grid.poolings]
    scores = [c.score.spearman for c in (*before, *after) if c.score.spearman is not None]
    ends = (100 * min(scores), 100 * max(scores)) if scores else (0.0, 1.0)
    gaps = [abs(c.difference.value) for c in after if c.difference and c.difference.value]
    reach = 100 * max(gaps, default=0.01)
    boxes = st.columns(3)
    with boxes[0]:
        st.markdown("**" + _("Before: raw") + "**")
        _heat("before", grid, [_told(cell, _) for cell in before], ends, _)
    with boxes[1]:
        title = _("After: {name}").format(name=treatment_words(asked.after, _))
        st.markdown(f"**{title}**")
        _heat("after", grid, [_told(cell, _) for cell in after], ends, _)
    with boxes[2]:
        st.markdown("**" + _("Difference: after − before") + "**")
        moved = [_told_difference(cell, _) for cell in after]
        _heat("difference", grid, moved, (-reach, reach), _, diverging=True)
    if len(asked.pairs) < FEW_PAIRS:
        st.markdown(_few_pairs(asked, grid))
    for line in verdict(asked, after, _):
        st.markdown(line)
    rank = rank_words(after, asked.encoder.dimension, _)
    told = " · ".join([measured_on(asked, _), fitted_on(asked, _), *([rank] if rank else [])])
    st.caption(told)
    offer_csv(
        _("Take the grid away (CSV)"),
        "sentence-similarity-grid",
        lambda: grid_csv(asked, grid, told),
    )


def _few_pairs(asked: Asked, grid: Grid) -> str:
    score, gap = _widths(asked, grid)
    told = [prose(PAGE, "few-pairs", width_values(asked, grid))]
    return " ".join([*told, *([prose(PAGE, "few-pairs-narrower")] if gap < score else [])])


def width_values(asked: Asked, grid: Grid) -> dict[str, str]:
    """How wide a score's interval is here, and a difference's: medians over the cells."""
    score, gap = _widths(asked, grid)
    return {
        "n": f"{len(asked.pairs):,}",
        "score": f"{100 * score:.0f}",
        "difference": f"{100 * gap:.0f}",
    }


def _widths(asked: Asked, grid: Grid) -> tuple[float, float]:
    """Medians over the cells, NaN where none has an interval: of a score's, of a difference's."""
    gaps = [
        grid.matrix(treatment, f"{value}high") - grid.matrix(treatment, f"{value}low")
        for treatment, value in (("none", ""), (asked.after, "difference_"))
    ]
    score, gap = (float(np.nanmedian(one)) if np.isfinite(one).any() else np.nan for one in gaps)
    return score, gap


Told = tuple[float, str, str]  # a cell's value × 100, what is written in it, what the hover says


def _told(cell: Cell, _: Translate) -> Told:
    score = cell.score
    value = np.nan if score.spearman is None else 100 * score.spearman
    interval = with_interval(score.spearman, score.low, score.high, _)
    cosine = "—" if cell.mean_cosine is None else signed(cell.mean_cosine, 3)
    about = _("{cell}: {score}; mean cosine {cosine}").format(
        cell=cell_words(cell.layer, cell.pooling, _), score=interval, cosine=cosine
    )
    cut = cut_words(cell, _)
    if cell.rank is not None:
        about += " · " + _("rank {rank}").format(rank=cell.rank)
    if cut and not score.undefined:
        return value, f"{_in_cell(interval)}<br>k = {cell.n_kept}", f"{about} · {cut}"
    return value, _in_cell(interval), about


def _told_difference(cell: Cell, _: Translate) -> Told:
    found = cell.difference
    if found is None or found.value is None:
        return np.nan, _("undefined"), cell_words(cell.layer, cell.pooling, _)
    interval = with_interval(found.value, found.low, found.high, _, sign=True)
    about = f"{cell_words(cell.layer, cell.pooling, _)}: {interval}"
    return 100 * found.value, _in_cell(interval), about


def _in_cell(interval: str) -> str:
    """The interval below the score, as narrow as can be."""
    return interval.replace(" [", "<br>[").replace(",\u00a0", ",")


def _heat(
    kind: str,
    grid: Grid,
    told: Sequence[Told],
    limits: tuple[float, float],
    _: Translate,
    *,
    diverging: bool = False,
) -> None:
    shape = (len(grid.layers), len(grid.poolings))
    values = np.array([value for value, _written, _about in told]).reshape(shape)
    written = np.array([w for _value, w, _about in told], dtype=object).reshape(shape)
    about = np.array([a for _value, _written, a in told], dtype=object).reshape(shape)
    cells = Cells(
        values,
        written.tolist(),
        about.tolist(),
        [str(layer) for layer in grid.layers],
        [pooling_words(pooling) for pooling in grid.poolings],
    )
    figure = cells_figure(
        cells,
        current_theme(),
        limits=limits,
        diverging=diverging,
        titles=("", _("layer")),
        height=HEAD + ROW * shape[0],
    )
    show_chart(
        chart_of(figure),
        key=f"sts-grid-{kind}",
        file_name=f"sentence-similarity-{kind}",
        alt="; ".join(a for _value, _written, a in told),
        zoom=False,
    )


def verdict(asked: Asked, after: Sequence[Cell], _: Translate) -> list[str]:
    """Where the treatment clearly helps, where it clearly hurts, and how many are neither."""
    known = [c for c in after if c.difference is not None and c.difference.value is not None]
    clear = [c for c in known if c.difference is not None and c.difference.is_clear]
    helped = [c for c in clear if _gap(c) > 0]
    hurt = [c for c in clear if _gap(c) < 0]
    values = {
        "treatment": treatment_words(asked.after, _),
        "fit": asked.fit.name,
        "n_fit": f"{len(asked.fit.corpus):,}",
        "cells": f"{len(known)}",
        "helped": f"{len(helped)}",
        "hurt": f"{len(hurt)}",
        "neither": f"{len(known) - len(clear)}",
        "best": _named(sorted(helped, key=_gap, reverse=True), _),
        "worst": _named(sorted(hurt, key=_gap), _),
    }
    lines = [prose(PAGE, "grid-verdict", values)]
    lines += [prose(PAGE, "grid-helps", values)] if helped else []
    lines += [prose(PAGE, "grid-hurts" if hurt else "grid-hurts-none", values)]
    if asked.fit.is_target and any(cell.is_simplex for cell in after):  # of its own rows alone
        lines.append(prose(PAGE, "grid-simplex", values))
    narrow = [c for c in after if c.score.undefined == "too_narrow"]
    if narrow:
        lines.append(prose(PAGE, "grid-too-narrow", {"narrow": f"{len(narrow)}"}))
    return lines + cut_lines(asked, after, _)


def cut_lines(asked: Asked, after: Sequence[Cell], _: Translate) -> list[str]:
    """Which cells have fewer directions than the k asked for, since k is at most the rank."""
    k = parse_treatment(asked.after).knobs.n_components
    cut = [cell for cell in after if cell.is_clamped and not cell.score.undefined]
    if k is None or not cut:
        return []
    named = [
        f"{cell_words(cell.layer, cell.pooling, _)} (k = {cell.n_kept})"
        for cell in cut[:MOST_NAMED]
    ]
    values = {
        "k": f"{k}",
        "cut": f"{len(cut)}",
        "cells": f"{len(after)}",
        "fit": asked.fit.name,
        "where": _("; ").join(named) + (" …" if len(cut) > MOST_NAMED else ""),
    }
    return [prose(PAGE, "grid-cut", values)]


def _gap(cell: Cell) -> float:
    return 0.0 if cell.difference is None else float(cell.difference.value or 0.0)


def _named(cells: Sequence[Cell], _: Translate) -> str:
    told = [
        f"{cell_words(cell.layer, cell.pooling, _)} "
        + with_interval(
            _gap(cell),
            cell.difference.low if cell.difference else None,
            cell.difference.high if cell.difference else None,
            _,
            sign=True,
        )
        for cell in cells[:MOST_NAMED]
    ]
    return _("; ").join(told) + (" …" if len(cells) > MOST_NAMED else "")


def grid_csv(asked: Asked, grid: Grid, told: str) -> bytes:
    """One row a cell, as the shell writes it, each with what it was measured on."""
    model = {"model": asked.encoder.name, "revision": asked.encoder.revision}
    text = export.grid_csv(grid, **model, measured_on=told)
    return text.encode("utf-8-sig")  # the mark lets spreadsheets read Chinese
