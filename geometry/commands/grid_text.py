"""A grid as columns of text."""

from collections.abc import Sequence

from ..evaluate import Cell, Chosen, Difference, Grid, PairScore, WordPairScore
from ..evaluate.grid import layer_text

AGGREGATED = {
    "all": "all (their pairs as one set)",
    "mean": "mean (of their scores)",
    "wmean": "wmean (of their scores, weighted by their pairs)",
}
HEADINGS = ("layer", "pooling", "treatment", "fitted on", "Spearman x 100", "to raw", "cosine", "")
GAP = "  "
FEW = 5  # missing words that are listed


def grid_text(grid: Grid, *, notes: Sequence[str] = ()) -> str:
    """The settings of the measurement, then a line for each cell."""
    subsets = tuple(name for name, _ in grid.subsets)
    rows = [(*HEADINGS[:-1], *subsets, HEADINGS[-1])]
    for cell in grid.cells:
        cosine = "" if cell.mean_cosine is None else f"{cell.mean_cosine:.3f}"
        numbers = _fit(cell), _score(cell.score), _difference(cell.difference), cosine
        of_parts = [_percent(cell.score.by_subset.get(name)) for name in subsets]
        place = layer_text(cell.layer), cell.pooling, cell.treatment
        rows.append((*place, *numbers, *of_parts, cell.note))
    return "\n".join([about(grid), *notes, "", *columns(rows)])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, its cells below those of the first row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [GAP.join(map(str.ljust, row, widths)).rstrip() for row in rows]


def about(grid: Grid) -> str:
    """Pairs, similarity, resamples and aggregation: to print with every number."""
    settings = (
        f"{grid.evaluated_on}: {grid.n:,} pairs, {grid.similarity}; [95% intervals] from "
        f"{grid.draws:,} resamples of the pairs, seed {grid.seed}"
    )
    if not grid.subsets:
        return settings
    sizes = ", ".join(f"{name} ({n:,})" for name, n in grid.subsets)
    return f"{settings}\nsubsets {sizes}; aggregated by {AGGREGATED[grid.aggregation]}"


def chosen_text(chosen: Chosen, dev: Grid, test: Grid) -> str:
    on_dev = chosen.cell_on_dev
    lines = [
        f"Chosen on {dev.evaluated_on} among {chosen.n_cells} cells: layer "
        f"{layer_text(on_dev.layer)}, {on_dev.pooling}, {on_dev.treatment}"
    ]
    for grid, cell in ((dev, on_dev), (test, chosen.cell_on_test)):
        of = f"; {grid.aggregation} of subsets" if grid.subsets else ""
        fit = f"fitted on {_fit(cell)}{of}"
        lines.append(f"{GAP}on {grid.evaluated_on}: {_score(cell.score)} ({fit})")
    return "\n".join(lines)


def word_pairs_text(words: WordPairScore, seed: int) -> str:
    score = words.score
    missing = f", not {', '.join(words.missing[:FEW])}" if words.missing else ""
    own = " (covariance of the file's own vectors)" if score.similarity == "mahalanobis" else ""
    return (
        f"{words.name}: {words.n_pairs:,} pairs of words, {score.similarity}{own}: {_score(score)} "
        f"(Spearman x 100) on the {score.n:,} ({100 * words.coverage:.1f}%) that have both "
        f"words{missing}; {score.draws:,} resamples, seed {seed}"
    )


def _fit(cell: Cell) -> str:
    return "nothing" if cell.fit_on is None else f"{cell.fit_on} ({cell.n_fit:,})"


def _percent(score: PairScore | None) -> str:
    if score is None or score.spearman is None:
        return "undefined"
    return f"{100 * score.spearman:.2f}"


def _score(score: PairScore) -> str:
    return _percent(score) + _interval(score.low, score.high)


def _difference(difference: Difference | None) -> str:
    if difference is None or difference.value is None:
        return ""
    return f"{100 * difference.value:+.1f}{_interval(difference.low, difference.high, '+')}"


def _interval(low: float | None, high: float | None, sign: str = "") -> str:
    if low is None or high is None:
        return ""
    return f" [{100 * low:{sign}.1f}, {100 * high:{sign}.1f}]"
