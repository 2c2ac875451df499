"""A large text file of word vectors: seconds and peak memory, each in a process of its own."""

import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from bench.child import peak_bytes, printed_by
from bench.table import Row
from geometry.data.limits import OWN_FILES

WORDS, DIMENSION = 400_000, 300  # as many as glove.6B.300d has
PART = 40_000  # words that the peer reads; its time grows in proportion
REPEATS = 3
SECONDS, GIGABYTES = 8.0, 1.0
BLOCK = 10_000


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder) / "whole.txt", Path(folder) / "part.txt"
        write(whole, WORDS)
        write(part, PART)
        ours, peer = [], []
        for _ in range(REPEATS):
            ours.append(measured("ours", whole))
            peer.append(measured("peer", part))
        size = whole.stat().st_size
    seconds, peak = (median(values) for values in zip(*ours, strict=True))
    peer_seconds = median(each for each, _ in peer) * WORDS / PART
    name = f"read_vectors: {WORDS:,} × {DIMENSION} text"
    note = f"{size / 1e9:.2f} GB; peer: numpy.loadtxt on a tenth, times ten"
    return [
        Row(
            name,
            seconds,
            peer_seconds,
            peer_seconds / seconds,
            target=f"{SECONDS:g} s or less",
            met=seconds <= SECONDS,
            note=note,
        ),
        Row(
            f"{name}, peak memory",
            peak,
            unit="GB",
            target=f"{GIGABYTES:g} GB or less",
            met=peak <= GIGABYTES,
            note=f"libraries too; the table alone is {WORDS * DIMENSION * 4e-9:.2f} GB",
        ),
    ]


def write(path: Path, words: int) -> None:
    """A file in GloVe's form: a word and numbers of five digits a line."""
    rng = np.random.default_rng(0)
    row = " ".join(["%.5g"] * DIMENSION)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, words, BLOCK):
            block = rng.standard_normal((min(BLOCK, words - start), DIMENSION)) * 0.4
            for number, numbers in enumerate(block.tolist(), start=start):
                file.write(f"word{number} {row % tuple(numbers)}\n")


def measured(who: str, path: Path) -> tuple[float, float]:
    """(seconds, peak GB) of a fresh process."""
    seconds, peak = printed_by("bench.word_vectors", who, path)
    return float(seconds), int(peak) / 1e9


def read(who: str, path: str) -> None:
    from geometry import read_vectors

    start = perf_counter()
    if who == "ours":
        read_vectors(path, limits=OWN_FILES)
    else:
        columns = range(1, DIMENSION + 1)
        np.loadtxt(path, dtype=np.float32, delimiter=" ", usecols=columns, comments=None)
    seconds = perf_counter() - start
    print(seconds, peak_bytes())


if __name__ == "__main__":
    read(*sys.argv[1:])
