"""The recorded run, which a first visit shows without training anything.

    python -m pages.contrast.recorded

trains with the page's defaults, on the bundled pairs with the bundled encoder, and writes the file
again. Run it after a change of the pairs, of the encoder, or of what is trained or measured.
"""

import json
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from geometry import load_encoder
from geometry.data import read_bundled_pairs
from geometry.data.write import write
from geometry.shipped import shipped_file
from pages.common.recorded import rounded

from . import run

FILE = shipped_file("recorded-contrast.json")
DECIMALS = 4
SPLITS = 8  # of the pairs, each with a seed of its own; the steps of the first one are shown
DEFAULTS = run.HeadSettings()


@cache
def recorded_run() -> run.ContrastRun:
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    settings = run.HeadSettings(**stored["header"]["settings"])
    moments = [
        each | {name: np.array(each[name]) for name in ("singular_values", "cloud")}
        for each in stored["moments"]
    ]
    parts = {
        "header": run.Header(**stored["header"] | {"settings": settings}),
        "places": tuple(run.PlaneScores(**each) for each in stored["places"]),
        "moments": tuple(run.Moment(**each) for each in moments),
        "ending": run.Ending(stored["ending"]["step"], _gains(stored["ending"]["gains"])),
        "splits": tuple(map(_gains, stored["splits"])),
    }
    return run.ContrastRun(**stored | parts)


def _gains(stored: list[dict[str, Any]]) -> tuple[run.Gain, ...]:
    return tuple(run.Gain(**each) for each in stored)


def bundled_vectors() -> run.PairVectors:
    pairs = read_bundled_pairs()
    encoder = load_encoder(device="cpu")
    layers = encoder.encode_layers(pairs.left + pairs.right, poolings=("mean",))["mean"]
    return run.PairVectors(layers[DEFAULTS.layer], layers[DEFAULTS.last_layer], pairs.gold_scores)


def write_recorded() -> None:
    """Train on each split. Write the run of the first split, and the gains of all."""
    vectors = bundled_vectors()
    runs, gains = [], []
    for seed in range(SPLITS):
        records = run.contrast_run(vectors, replace(DEFAULTS, seed=seed), split=seed)
        made = run.ContrastRun.of(list(records))
        assert made is not None
        assert made.ending is not None
        runs.append(made)
        gains.append(made.ending.gains)
    stored = asdict(replace(runs[0], is_recorded=True, splits=tuple(gains)))
    write(FILE, (json.dumps(rounded(stored, DECIMALS)) + "\n").encode())


if __name__ == "__main__":
    write_recorded()
