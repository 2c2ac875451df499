"""python -m geometry project: vectors as points in two or three dimensions."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..projection.projection import METHODS
from .own_data import EXIT_CODES, OwnData, OwnOptions, own_data_options, read_own
from .shell import FORCE, errors_in_words, progress_on_stderr

if TYPE_CHECKING:
    from ..projection import Projection

_OUT_HELP = (
    ".csv, .npy, .parquet; a name without an ending is a folder for the Embedding Projector."
)


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help=_OUT_HELP)
@click.option("--method", type=click.Choice(METHODS), default="svd", show_default=True)
@click.option("--dims", type=click.IntRange(2, 3), default=2, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of umap.")
@FORCE
@own_data_options
def project(
    file: Path,
    out: Path,
    method: str,
    dims: int,
    seed: int,
    force: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Project the vectors of FILE, or of its texts, to points around the origin.

    svd keeps the origin and is not centred; pca is centred; mean has the mean direction as its
    first axis; cone is true to the angles to the mean; umap keeps neighbours only. It leaves out
    rows of zeros, and of more than 20,000 rows it fits a sample and places the others.

    \b
    python -m geometry project vectors.npy --method pca --out points.csv
    python -m geometry project sentences.csv --labels topic --method mean --dims 3 --out points
    """
    from ..data.write import check_output, saving, write
    from ..export import write_vectors
    from ..export.vector_files import ENDINGS
    from ..projection import project as projected

    with errors_in_words():
        how = OwnOptions.of(**reading)
        endings = (".csv", *ENDINGS)
        check_output(out, endings, inputs=(file, how.metadata), or_folder=True, force=force)
        own = read_own(file, how)
        n = len(own.vectors)
        if method == "umap":
            own = _without_zeros(own)
            found, n_fitted = _umap(own.vectors, dims, seed, quiet=how.quiet)
            of_umap = {
                "zero_rows_left_out": n - len(own.vectors),
                "n_fitted": n_fitted,
                "places": len(np.unique(found.coordinates, axis=0)),
            }
        else:
            found = projected(own.vectors, method, n_components=dims, random_state=seed)
            of_umap = {}
        points = found.around_origin
        with saving(out):
            if out.suffix == ".csv":
                write(out, _csv_bytes(points, own), force=force)
            else:
                write_vectors(out, points, texts=own.texts, labels=own.labels, force=force)
        figures = {
            "out": str(out),
            "n": len(points),
            "method": method,
            "explained": found.explained,
            "trustworthiness": found.trustworthiness,
            "trust_rows": found.trust_rows,
            "seed": seed,
            **of_umap,
        }
        if of_umap.get("places") == 1:
            click.echo(f"All {len(points):,} vectors have one direction, so one place.", err=True)
        if as_json:
            click.echo(json.dumps(figures | {"about": dict(own.about)}))
        else:
            parts = [f"{name} {value}" for name, value in list(figures.items())[2:]]
            click.echo(f"{out}: {len(points):,} points; {', '.join(parts)}")


def _without_zeros(own: OwnData) -> OwnData:
    """Only the rows that have a direction."""
    rows = np.flatnonzero(own.vectors.any(axis=1))
    texts, labels = (
        None if each is None else tuple(each[row] for row in rows)
        for each in (own.texts, own.labels)
    )
    numbers = rows + 1 if own.numbers is None else own.numbers[rows]
    return replace(own, vectors=own.vectors[rows], texts=texts, labels=labels, numbers=numbers)


def _umap(X: np.ndarray, dims: int, seed: int, *, quiet: bool) -> tuple[Projection, int]:
    """The picture of all rows, and how many of them it was fitted to."""
    from ..projection import place, project
    from ..projection.projection import umap_picture
    from ..projection.umap_fit import MOST_FITTED

    say = progress_on_stderr("fitting", quiet=quiet)

    def report(_stage: str, done: int, total: int) -> None:
        if say is not None:
            say(done, total)

    n_fitted = min(len(X), MOST_FITTED)
    rows = np.sort(np.random.default_rng(seed).choice(len(X), n_fitted, replace=False))
    fitted = project(
        X[rows],
        "umap",
        n_components=dims,
        random_state=seed,
        progress=report,
    )
    if n_fitted == len(X):
        return fitted, n_fitted
    say = progress_on_stderr("placing", quiet=quiet)
    points = place(X, X[rows], fitted.coordinates, random_state=seed, progress=say)
    points[rows] = fitted.coordinates
    return umap_picture(X, points, random_state=seed), n_fitted


def _csv_bytes(points: np.ndarray, own: OwnData) -> bytes:
    from ..data.csv_cells import csv_cell

    beside = {name: each for name, each in (("text", own.texts), ("label", own.labels)) if each}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*beside, *"xyz"[: points.shape[1]]])
    for row, point in enumerate(points):
        cells = [csv_cell(each[row]) for each in beside.values()]
        writer.writerow([*cells, *(f"{value:.6g}" for value in point)])
    return out.getvalue().encode("utf-8-sig")
