"""UMAP with exact neighbours beside umap-learn, t-SNE beside UMAP, and fits of many rows.

Each fit is in a fresh process, so imports and compilation count. Trustworthiness is of the same
rows. As on the pages, BLAS has one thread where ours runs.
"""

import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from bench.child import peak_bytes, printed_by
from bench.table import Row
from geometry.projection import place
from geometry.projection.neighbour_maps import MAPS, fit_map
from geometry.projection.projection import trustworthiness

ROWS, DIMENSIONS, GROUPS = 10_000, 384, 40
SAMPLE, PLACED, AT_ONCE = 20_000, 1_000_000, 250_000
SMALL, MANY = 4_000, 100_000
REPEATS = 3
RATIO, SAME, SECONDS, MANY_SECONDS = 2.0, 0.005, 60.0, 150.0


def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        umap, peer = measured(folder, ("umap", "peer"), ROWS, REPEATS)
        tsne, beside = measured(folder, ("tsne", "umap"), SMALL, REPEATS)
        free, seeded = measured(folder, ("unseeded", "umap"), MANY, 1)
        seconds, trust_placed, trust_fitted, peak = map(
            float, printed_by("bench.umap", "place", Path(folder) / "unused")
        )
    ratio, apart = peer[0] / umap[0], umap[1] - peer[1]
    return [
        Row(
            f"UMAP of {ROWS:,} × {DIMENSIONS}, seeded, cold",
            umap[0],
            peer[0],
            ratio,
            target=f"{RATIO:g} ×, trustworthiness within {SAME:g}",
            met=ratio >= RATIO and abs(apart) <= SAME,
            note=f"trustworthiness {umap[1]:.4f}, umap-learn {peer[1]:.4f}",
        ),
        Row(
            f"t-SNE of {SMALL:,} × {DIMENSIONS}, seeded, cold; peer: UMAP, seeded, cold",
            tsne[0],
            beside[0],
            beside[0] / tsne[0],
            note=f"trustworthiness {tsne[1]:.4f}, UMAP {beside[1]:.4f}",
        ),
        Row(
            f"UMAP of all {MANY:,} × {DIMENSIONS}, no seed, cold; peer: the same, seeded",
            free[0],
            seeded[0],
            seeded[0] / free[0],
            target=f"{MANY_SECONDS:g} s or less",
            met=free[0] <= MANY_SECONDS,
            note=f"trustworthiness {free[1]:.4f}, seeded {seeded[1]:.4f}; peak memory "
            f"{free[2] / 1e9:.2g} GB",
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


def measured(folder: str, who: Sequence[str], n: int, repeats: int) -> list[tuple[float, ...]]:
    """(median seconds, trustworthiness, peak bytes) of each, by turns."""
    found: dict[str, list[tuple[float, ...]]] = {each: [] for each in who}
    for _ in range(repeats):
        for each, runs in found.items():
            file = Path(folder) / f"{each}.npy"
            seconds, peak = map(float, printed_by("bench.umap", each, file, str(n)))
            runs.append((seconds, trustworthiness(grouped(n, 0), np.load(file))[0], peak))
    return [(median(run[0] for run in runs), *runs[-1][1:]) for runs in found.values()]


def grouped(n: int, seed: int) -> np.ndarray:
    """Rows (n, DIMENSIONS) float32 in groups of unequal directions, away from the origin."""
    centres = np.random.default_rng(0).standard_normal((GROUPS, DIMENSIONS), dtype=np.float32)
    rng = np.random.default_rng([1, seed])
    X = rng.standard_normal((n, DIMENSIONS), dtype=np.float32)
    X *= np.geomspace(1.5, 0.3, DIMENSIONS, dtype=np.float32)
    return X + 0.5 * centres[rng.integers(GROUPS, size=n)] + 0.3


def fit(who: str, file: str, n: str) -> None:
    X = grouped(int(n), 0)
    start = perf_counter()
    if who == "peer":
        import umap

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a seed allows one thread only
            k = MAPS["umap"].n_neighbors
            model = umap.UMAP(metric="cosine", n_neighbors=k, random_state=0)
            found = model.fit_transform(X)
    else:
        method, seed = {"unseeded": ("umap", None)}.get(who, (who, 0))
        with threadpool_limits(limits=1, user_api="blas"):
            found = fit_map(X, method, random_state=seed, most_fitted=None)
    print(perf_counter() - start, peak_bytes())
    np.save(file, found)


def place_rows() -> None:
    sample = grouped(SAMPLE, 0)
    with threadpool_limits(limits=1, user_api="blas"):
        picture = fit_map(sample, "umap")
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
