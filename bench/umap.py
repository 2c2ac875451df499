"""UMAP with exact neighbours beside umap-learn, and a million rows placed into a UMAP of a sample.

Each fit is in a fresh process, so imports and compilation count. Trustworthiness is of the same
rows. As on the pages, BLAS has one thread where ours runs.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from bench.child import peak_bytes, printed_by
from bench.table import Row
from geometry.projection import place
from geometry.projection.projection import trustworthiness
from geometry.projection.umap_fit import UMAP_NEIGHBOURS, fit_umap

ROWS, DIMENSIONS, GROUPS = 10_000, 384, 40
SAMPLE, PLACED, AT_ONCE = 20_000, 1_000_000, 250_000
REPEATS = 3
RATIO, SAME, SECONDS = 2.0, 0.005, 60.0


def main() -> list[Row]:
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    trust = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            for who, found in times.items():
                file = Path(folder) / f"{who}.npy"
                found.append(float(printed_by("bench.umap", who, file)[0]))
                trust[who] = trustworthiness(grouped(ROWS, 0), np.load(file))[0]
        seconds, trust_placed, trust_fitted, peak = map(
            float, printed_by("bench.umap", "place", Path(folder) / "unused")
        )
    ours, peer = (median(each) for each in times.values())
    apart = trust["ours"] - trust["peer"]
    return [
        Row(
            f"UMAP of {ROWS:,} × {DIMENSIONS}, seeded, cold",
            ours,
            peer,
            peer / ours,
            target=f"{RATIO:g} ×, trustworthiness within {SAME:g}",
            met=peer / ours >= RATIO and abs(apart) <= SAME,
            note=f"trustworthiness {trust['ours']:.4f}, umap-learn {trust['peer']:.4f}",
        ),
        Row(
            f"{PLACED:,} × {DIMENSIONS} rows placed into a UMAP of {SAMPLE:,}",
            seconds,
            target=f"{SECONDS:g} s or less",
            met=seconds <= SECONDS,
            note=f"trustworthiness of placed rows {trust_placed:.3f}, of the fitted sample "
            f"{trust_fitted:.3f}; peak memory {peak / 1e9:.2g} GB, the block of rows included",
        ),
    ]


def grouped(n: int, seed: int) -> np.ndarray:
    """Rows (n, DIMENSIONS) float32 in groups of unequal directions, away from the origin."""
    centres = np.random.default_rng(0).standard_normal((GROUPS, DIMENSIONS), dtype=np.float32)
    rng = np.random.default_rng([1, seed])
    X = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    X *= np.geomspace(1.5, 0.3, DIMENSIONS, dtype=np.float32)
    return X + 0.5 * centres[rng.integers(GROUPS, size=n)] + 0.3


def fit(who: str, file: str) -> None:
    X = grouped(ROWS, 0)
    start = perf_counter()
    if who == "ours":
        with threadpool_limits(limits=1, user_api="blas"):
            found = fit_umap(X, 2, 0, UMAP_NEIGHBOURS)
    else:
        import umap

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a seed allows one thread only
            model = umap.UMAP(metric="cosine", n_neighbors=UMAP_NEIGHBOURS, random_state=0)
            found = model.fit_transform(X)
    print(perf_counter() - start)
    np.save(file, found)


def place_rows() -> None:
    sample = grouped(SAMPLE, 0)
    with threadpool_limits(limits=1, user_api="blas"):
        picture = fit_umap(sample, 2, 0, UMAP_NEIGHBOURS)
        seconds = 0.0
        for block in range(PLACED // AT_ONCE):  # the time does not include making the rows
            X = grouped(AT_ONCE, 1 + block)
            start = perf_counter()
            places = place(X, sample, picture)
            seconds += perf_counter() - start
    fitted = trustworthiness(sample, picture)[0]
    print(seconds, trustworthiness(X, places)[0], fitted, peak_bytes())


if __name__ == "__main__":
    if sys.argv[1] == "place":
        place_rows()
    else:
        fit(*sys.argv[1:])
