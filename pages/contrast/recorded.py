"""The recorded run, which a first visit shows without training anything.

    python -m pages.contrast.recorded

trains with the page's defaults, on the bundled pairs with the bundled encoder, and writes the file
again. Run it after a change of the pairs, of the encoder, or of what is trained or measured.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from geometry import load_encoder
from geometry.data import read_bundled_pairs
from geometry.data.shipped import shipped_file
from geometry.data.write import write

from .run import (
    ContrastRun,
    Ending,
    Gain,
    Header,
    HeadSettings,
    Moment,
    PairVectors,
    PlaneScores,
    RunRecord,
    contrast_run,
)

FILE = shipped_file("recorded-contrast.json")
DECIMALS = 4
SPLITS = 8  # of the pairs, each with a seed of its own; the steps of the first one are shown
DEFAULTS = HeadSettings(
    model="all-MiniLM-L6-v2",
    text=None,
    layer=5,
    last_layer=6,
    pooling="mean",
    head="linear",
    centred=False,
    temperature=0.2,
    dropout=0.1,
    batch_size=64,
    learning_rate=1e-3,
    steps=400,
    seed=0,
)


@cache
def recorded_run() -> ContrastRun:
    """The run of the file."""
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    ending = stored["ending"]
    records: list[RunRecord] = [
        Header(HeadSettings(**stored["header"].pop("settings")), **stored["header"]),
        tuple(PlaneScores(**place) for place in stored["places"]),
        *(
            Moment(
                **moment | {name: np.array(moment[name]) for name in ("singular_values", "cloud")}
            )
            for moment in stored["moments"]
        ),
        Ending(
            ending["step"],
            PlaneScores(**ending["trained"]),
            PlaneScores(**ending["flow"]),
            tuple(Gain(**gain) for gain in ending["gains"]),
        ),
    ]
    run = ContrastRun.of(records)
    assert run is not None
    splits = tuple(tuple(Gain(**gain) for gain in gains) for gains in stored["splits"])
    return replace(run, is_recorded=True, splits=splits)


def bundled_vectors() -> PairVectors:
    """The bundled pairs, encoded by the bundled encoder."""
    pairs = read_bundled_pairs()
    encoder = load_encoder(device="cpu")
    layers = encoder.encode_layers(pairs.left + pairs.right, poolings=("mean",))["mean"]
    return PairVectors(layers[DEFAULTS.layer], layers[DEFAULTS.last_layer], pairs.gold_scores)


def write_recorded() -> None:
    """Train on each split. Write the run of the first split, and the gains of all."""
    vectors = bundled_vectors()
    header, places, *moments, ending = contrast_run(vectors, DEFAULTS)
    assert isinstance(header, Header)
    assert isinstance(places, tuple)
    assert isinstance(ending, Ending)
    splits = [ending.gains]
    for seed in range(1, SPLITS):
        *_, other = contrast_run(vectors, replace(DEFAULTS, seed=seed), split=seed)
        assert isinstance(other, Ending)
        splits.append(other.gains)
    stored = {
        "header": asdict(header),
        "places": [asdict(place) for place in places],
        "moments": [asdict(moment) for moment in moments if isinstance(moment, Moment)],
        "ending": asdict(ending),
        "splits": [[asdict(gain) for gain in gains] for gains in splits],
    }
    write(FILE, (json.dumps(_short(stored)) + "\n").encode())


def _short(value: Any) -> Any:
    """The same with lists for arrays, and with few decimals."""
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_short(each) for each in value]
    return round(float(value), DECIMALS) if isinstance(value, float | np.floating) else value


if __name__ == "__main__":
    write_recorded()
