"""A training with the defaults of Degeneration: 400 steps, each in a process of its own.

The threads are those of the app: two for one model, one each for two models.
"""

import sys
from dataclasses import replace
from statistics import median
from time import perf_counter

from bench.child import peak_bytes, printed_by
from bench.table import Row

REPEATS = 3
SECONDS, GIGABYTES = 40.0, 1.5


def main() -> list[Row]:
    rows = []
    for n, what in {1: "one language model", 2: "two beside each other, γ = 0 and γ = 1"}.items():
        runs = [
            [float(word) for word in printed_by("bench.training", str(n))] for _ in range(REPEATS)
        ]
        seconds, peak = (median(values) for values in zip(*runs, strict=True))
        rows.append(
            Row(
                f"400 steps of {what}, with all imports",
                seconds,
                target=f"{SECONDS:g} s or less",
                met=seconds <= SECONDS,
            )
        )
        rows.append(
            Row(
                "peak memory of the same",
                peak / 1e9,
                unit="GB",
                target=f"{GIGABYTES:g} GB or less",
                met=peak / 1e9 <= GIGABYTES,
            )
        )
    return rows


def child(n_models: int) -> None:
    """Train, and print seconds and bytes."""
    start = perf_counter()
    import torch

    from geometry.training.runs import Run, train_runs

    torch.set_num_threads(2 if n_models == 1 else 1)
    language = Run(record_every=16)  # as on the page
    runs = [replace(language, gamma=float(place)) for place in range(n_models)]
    for _ in train_runs(runs):
        pass
    print(perf_counter() - start, peak_bytes())


if __name__ == "__main__":
    child(int(sys.argv[1]))
