"""Panel 3: every layer and pooling as heatmaps, with a verdict in words."""

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
from pages.common.escape import markdown
from pages.common.words import Translate, prose, signed

from .choices import Choice, fitted_on, measured_on
from .scene import Scene
from .words import (
    cell_words,
    cut_words,
    pooling_words,
    rank_words,
    treatment_words,
    with_interval,
)

PAGE = "sentence_similarity"
ROW = 46  # px of a layer's row: a score above its interval
HEAD = 60
MOST_NAMED = 4
FEW_PAIRS = 600  # for fewer, the page says how wide the intervals are
MANY_SHARING = 2  # other pairs with a sentence of the pair, on average; STS-B's parts have below 1


def show_grid(scene: Scene, _: Translate) -> None:
    """Before, after, difference; where the treatment helps and where it hurts."""
    choice, grid = scene.choice, scene.grid
    st.markdown("#### 3 · " + _("Every layer and pooling: before, after, difference"))
    st.markdown(prose(PAGE, "grid"))
    before = [grid.cell(layer, p, "none") for layer in grid.layers for p in grid.poolings]
    after = [grid.cell(layer, p, choice.after) for layer in grid.layers for p in grid.poolings]
    scores = [cell.score.spearman for cell in (*before, *after) if cell.score.spearman is not None]
    ends = (100 * min(scores), 100 * max(scores)) if scores else (0.0, 1.0)
    gaps = [
        abs(cell.difference.value) for cell in after if cell.difference and cell.difference.value
    ]
    reach = 100 * max(gaps, default=0.01)
    boxes = st.columns(3)
    with boxes[0]:
        st.markdown("**" + _("Before: raw") + "**")
        _heat("before", grid, [_score_text(cell, _) for cell in before], ends, _)
    with boxes[1]:
        title = _("After: {name}").format(name=treatment_words(choice.after, _))
        st.markdown(f"**{title}**")
        _heat("after", grid, [_score_text(cell, _) for cell in after], ends, _)
    with boxes[2]:
        st.markdown("**" + _("Difference: after − before") + "**")
        differences = [_difference_text(cell, _) for cell in after]
        _heat("difference", grid, differences, (-reach, reach), _, diverging=True)
    if len(choice.pairs) < FEW_PAIRS:
        st.markdown(_few_pairs(scene))
    pairs = choice.pairs.pairs
    if pairs.n_sharing > MANY_SHARING:
        values = {"pairs": f"{len(pairs):,}", "sentences": f"{len(pairs.sentence_counts):,}"}
        st.warning(prose(PAGE, "shared-sentences", values))
    for line in verdict(choice, after, _):
        st.markdown(line)
    rank = rank_words(after, choice.encoder.dimension, _)
    caption = " · ".join([measured_on(choice, _), fitted_on(choice, _), *([rank] if rank else [])])
    st.caption(markdown(caption))
    offer_csv(
        _("Take the grid away (CSV)"),
        "sentence-similarity-grid",
        lambda: grid_csv(scene, caption),
    )


def _few_pairs(scene: Scene) -> str:
    score, difference = _interval_widths(scene)
    lines = [prose(PAGE, "few-pairs", width_values(scene))]
    return " ".join([*lines, *([prose(PAGE, "few-pairs-narrower")] if difference < score else [])])


def width_values(scene: Scene) -> dict[str, str]:
    """The values in the sentence on the widths of intervals."""
    score, difference = _interval_widths(scene)
    return {
        "n": f"{len(scene.choice.pairs):,}",
        "score": f"{100 * score:.0f}",
        "difference": f"{100 * difference:.0f}",
    }


def _interval_widths(scene: Scene) -> tuple[float, float]:
    """Median width over the cells, of scores and of differences; NaN without intervals."""
    grid = scene.grid
    widths = [
        grid.matrix(treatment, f"{value}high") - grid.matrix(treatment, f"{value}low")
        for treatment, value in (("none", ""), (scene.choice.after, "difference_"))
    ]
    score, difference = (
        float(np.nanmedian(width)) if np.isfinite(width).any() else np.nan for width in widths
    )
    return score, difference


CellText = tuple[float, str, str]  # value × 100, text in the cell, hover text


def _score_text(cell: Cell, _: Translate) -> CellText:
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
        return value, f"{_in_cell(interval)}<br>k = {cell.n_directions}", f"{about} · {cut}"
    return value, _in_cell(interval), about


def _difference_text(cell: Cell, _: Translate) -> CellText:
    difference = cell.difference
    if difference is None or difference.value is None:
        return np.nan, _("undefined"), cell_words(cell.layer, cell.pooling, _)
    interval = with_interval(difference.value, difference.low, difference.high, _, sign=True)
    about = f"{cell_words(cell.layer, cell.pooling, _)}: {interval}"
    return 100 * difference.value, _in_cell(interval), about


def _in_cell(interval: str) -> str:
    """Score and interval on two lines, to fit into a cell."""
    return interval.replace(" [", "<br>[").replace(",\u00a0", ",")


def _heat(
    kind: str,
    grid: Grid,
    texts: Sequence[CellText],
    limits: tuple[float, float],
    _: Translate,
    *,
    diverging: bool = False,
) -> None:
    shape = (len(grid.layers), len(grid.poolings))
    values = np.array([value for value, _written, _about in texts]).reshape(shape)
    written = np.array([w for _value, w, _about in texts], dtype=object).reshape(shape)
    about = np.array([a for _value, _written, a in texts], dtype=object).reshape(shape)
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
        alt="; ".join(a for _value, _written, a in texts),
        zoom=False,
    )


def verdict(choice: Choice, after: Sequence[Cell], _: Translate) -> list[str]:
    """Cells that the treatment clearly helps or clearly hurts, and how many it does neither to."""
    known = [c for c in after if c.difference is not None and c.difference.value is not None]
    clear = [c for c in known if c.difference is not None and c.difference.is_clear]
    helped = [c for c in clear if _gap(c) > 0]
    hurt = [c for c in clear if _gap(c) < 0]
    values = {
        "treatment": treatment_words(choice.after, _),
        "fit": markdown(choice.fit.name),
        "n_fit": f"{len(choice.fit.corpus):,}",
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
    if choice.fit.is_target and any(cell.is_simplex for cell in after):
        lines.append(prose(PAGE, "grid-simplex", values))
    narrow = [c for c in after if c.score.undefined == "too_narrow"]
    if narrow:
        lines.append(prose(PAGE, "grid-too-narrow", {"narrow": f"{len(narrow)}"}))
    return lines + cut_lines(choice, after, _)


def cut_lines(choice: Choice, after: Sequence[Cell], _: Translate) -> list[str]:
    """The cells whose rank cut k."""
    k = parse_treatment(choice.after).knobs.n_components
    cut = [cell for cell in after if cell.is_clamped and not cell.score.undefined]
    if k is None or not cut:
        return []
    named = [
        f"{cell_words(cell.layer, cell.pooling, _)} (k = {cell.n_directions})"
        for cell in cut[:MOST_NAMED]
    ]
    values = {
        "k": f"{k}",
        "cut": f"{len(cut)}",
        "cells": f"{len(after)}",
        "fit": markdown(choice.fit.name),
        "where": _("; ").join(named) + (" …" if len(cut) > MOST_NAMED else ""),
    }
    return [prose(PAGE, "grid-cut", values)]


def _gap(cell: Cell) -> float:
    return 0.0 if cell.difference is None else float(cell.difference.value or 0.0)


def _named(cells: Sequence[Cell], _: Translate) -> str:
    named = [
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
    return _("; ").join(named) + (" …" if len(cells) > MOST_NAMED else "")


def grid_csv(scene: Scene, caption: str) -> bytes:
    """One row a cell, with the columns of the shell and the settings of the measurement."""
    encoder = scene.choice.encoder
    text = export.grid_csv(
        scene.grid, model=encoder.name, revision=encoder.revision, measured_on=caption
    )
    return text.encode("utf-8-sig")  # with a byte order mark, so that spreadsheets read Chinese
