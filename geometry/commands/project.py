"""python -m geometry project: vectors as points in two or three dimensions."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..projection.cloud_text import CLOUD_TEXT
from ..projection.neighbour_maps import MAPS
from ..projection.projection import METHODS
from .options import MAP, map_settings, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnData, OwnOptions, read_own
from .shell import progress_on_stderr, show

_OUT_HELP = (
    ".csv, .npy, .parquet; a name without an ending is a folder for the Embedding Projector."
)


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help=_OUT_HELP)
@click.option("--method", type=click.Choice(METHODS), default="svd")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@with_options(*MAP)
@with_options(*OWN_DATA)
def project(
    file: Path,
    out: Path,
    method: str,
    dims: int,
    seed: int,
    no_seed: bool,
    fit_all: bool,
    **reading: Any,
) -> None:
    """Project the vectors of FILE, or of its texts, to points around the origin.

    svd keeps the origin and is not centred; pca is centred; mean has the mean direction as its
    first axis; cone is true to the angles to the mean. umap and tsne are maps: they keep neighbours
    only, and show no cone, no angles and no distances between groups. They leave out rows of
    zeros. Of more than 20,000 rows they fit a sample and place the others, unless --fit-all is set.

    \b
    python -m geometry project vectors.npy --method pca --out points.csv
    python -m geometry project sentences.csv --labels topic --method mean --dims 3 --out points
    """
    from ..data.write import check_output, saving, write
    from ..export import write_vectors
    from ..export.vector_files import ENDINGS
    from ..projection import project as projected

    how = OwnOptions.of(**reading)
    endings, force = (".csv", *ENDINGS), how.force
    check_output(out, endings, inputs=(file, how.metadata), or_folder=True, force=force)
    own = read_own(file, how)
    n = len(own.vectors)
    is_map, settings = method in MAPS, map_settings(seed, no_seed, fit_all)
    if is_map:
        own = own.without_zeros()
    found = projected(
        own.vectors,
        method,
        n_components=dims,
        **settings,
        progress=_reports(quiet=how.quiet) if is_map else None,
    )
    of_map = {
        "zero_rows_left_out": n - len(own.vectors),
        "n_fitted": min(len(own.vectors), settings["most_fitted"] or len(own.vectors)),
        "places": len(np.unique(found.coordinates, axis=0)),
    }
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
        "seed": settings["random_state"],
        **(of_map if is_map else {}),
    }
    if is_map:
        click.echo(f"{MAPS[method].title}: {CLOUD_TEXT['map']}.", err=True)
    if is_map and of_map["places"] == 1:
        click.echo(f"All {len(points):,} vectors have one direction, so one place.", err=True)
    parts = [f"{name} {value}" for name, value in list(figures.items())[2:]]
    text = f"{out}: {len(points):,} points; {', '.join(parts)}"
    show(figures | {"about": dict(own.about)}, text, as_json=how.as_json)


def _reports(*, quiet: bool) -> Callable[[str, int, int], None]:
    lines: dict[str, Callable[[int, int], None] | None] = {}

    def report(stage: str, done: int, total: int) -> None:
        say = lines.setdefault(stage, progress_on_stderr(stage, quiet=quiet))
        if say is not None:
            say(done, total)

    return report


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
