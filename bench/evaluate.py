"""Scores of pairs: 1,000 resamples of 1,400 pairs, and the full grid with its encoding.

The peer of the bootstrap is scipy's spearmanr on each resampled set of pairs. The grid runs in its
own process; the operating system reports the peak memory.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

import numpy as np
from scipy.stats import spearmanr

from bench.child import peak_bytes, printed_by
from bench.data import STS
from bench.table import Row
from bench.timing import seconds
from geometry import evaluate_encoder, load_encoder, read_pairs
from geometry.data.pairs import Pairs, read_bundled_pairs
from geometry.evaluate import PairBootstrap
from geometry.evaluate.from_encoder import POOLINGS_SHOWN
from geometry.transform.treatments import LADDER

PAIRS, DRAWS = 1400, 1000
BOOTSTRAP_LIMIT = 0.3
PEER_DRAWS = 100  # resamples of the peer; its time is multiplied by DRAWS / PEER_DRAWS
REPEATS = 5
GRID_LIMIT, PEAK_LIMIT = 60.0, 2.0  # seconds, GB


def main() -> list[Row]:
    return [_bootstrap(), *_full_grid()]


def _bootstrap() -> Row:
    """The first cell of a grid; later cells share its resamples and gold ranks.

    The time includes the drawing, which a grid does once.
    """
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 26, PAIRS) / 5  # 26 values, as human scores have
    alike = gold + rng.normal(0, 2, PAIRS)
    tied = np.round(alike, 1)
    bootstrap = PairBootstrap(gold, DRAWS)
    rows = rng.integers(PAIRS, size=(PEER_DRAWS, PAIRS))
    timed: dict[str, Callable[[], object]] = {
        "drawing": lambda: PairBootstrap(gold, DRAWS),
        "free": lambda: bootstrap.score(alike),
        "tied": lambda: bootstrap.score(tied),
        "peer": lambda: [spearmanr(tied[some], gold[some]) for some in rows],
    }
    for work in timed.values():
        work()
    turns = [{name: seconds(work) for name, work in timed.items()} for _ in range(REPEATS)]
    took = {name: median(turn[name] for turn in turns) for name in timed}
    slower = took["drawing"] + max(took["free"], took["tied"])
    peer = took["peer"] * DRAWS / PEER_DRAWS
    return Row(
        name=f"bootstrap of one cell, {DRAWS:,} draws of {PAIRS:,} pairs, drawn and scored, "
        f"Spearman and Pearson (peer: scipy.stats.spearmanr on {PEER_DRAWS} resamples, times "
        f"{DRAWS // PEER_DRAWS})",
        ours=slower,
        peer=peer,
        ratio=peer / slower,
        target=f"under {BOOTSTRAP_LIMIT:g} s",
        met=slower < BOOTSTRAP_LIMIT,
        note=f"of that drawing, once for all cells, {took['drawing']:.3f} s; a further cell "
        f"{took['tied']:.3f} s, without ties {took['free']:.3f} s",
    )


def _full_grid() -> list[Row]:
    took, processor, peak, cells, best = printed_by("bench.evaluate")
    name = (
        f"the full grid on {_pairs().name}: {len(_pairs()):,} pairs, 7 layers × "
        f"{len(POOLINGS_SHOWN)} poolings × {len(LADDER)} treatments, encoding included"
    )
    return [
        Row(
            name=name,
            ours=float(took),
            target=f"under {GRID_LIMIT:g} s",
            met=float(took) < GRID_LIMIT,
            note=f"{cells} cells, {DRAWS:,} draws each; processor: {float(processor):.0f} s; last "
            f"layer, mean: {best}",
        ),
        Row(
            name="peak memory of that grid",
            ours=int(peak) / 1e9,
            unit="GB",
            target=f"under {PEAK_LIMIT:g} GB",
            met=int(peak) / 1e9 < PEAK_LIMIT,
            note="libraries and weights included",
        ),
    ]


def _pairs() -> Pairs:
    """STS-B test if its file exists, else the bundled pairs."""
    return read_pairs(STS) if STS.is_file() else read_bundled_pairs()


if __name__ == "__main__":
    start = perf_counter()
    grid = evaluate_encoder(load_encoder(), _pairs(), draws=DRAWS)
    took = perf_counter() - start
    score = 100 * (grid.cell(grid.layers[-1], "mean").score.spearman or 0.0)
    print(took, process_time(), peak_bytes(), len(grid.cells), f"{score:.2f}")
