"""python -m geometry project: vectors as points in two or three dimensions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.write import saving
from ..export.vector_files import ENDINGS, write_vectors
from ..projection.cloud_text import CLOUD_TEXT
from ..projection.neighbour_maps import MAPS
from ..projection.projection import METHODS
from ..projection.projection import project as projected
from .options import FILE, MAP, OUT_TYPE, map_settings, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnOptions, read_own
from .shell import shell

_OUT_HELP = (
    ".csv, .npy, .parquet; a name without an ending is a folder for the Embedding Projector."
)


@shell.command(epilog=EXIT_CODES)
@FILE
@click.option("--out", required=True, type=OUT_TYPE, help=_OUT_HELP)
@click.option("--method", type=click.Choice(METHODS), default="svd")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@with_options(*MAP)
@with_options(*OWN_DATA)
def project(file: Path, out: Path, method: str, dims: int, **reading: Any) -> None:
    """Project the vectors of FILE, or of its texts, to points around the origin.

    svd keeps the origin and is not centred; pca is centred; mean has the mean direction as its
    first axis; cone is true to the angles to the mean. umap and tsne are maps: they keep neighbours
    only, and show no cone, no angles and no distances between groups. They leave out rows of
    zeros. Of more than 20,000 rows they fit a sample and place the others, unless --fit-all is set.

    \b
    python -m geometry project vectors.npy --method pca --out points.csv
    python -m geometry project sentences.csv --labels topic --method mean --dims 3 --out points
    """
    settings = map_settings(reading)
    how = OwnOptions.of(**reading)
    how.check(out, (".csv", *ENDINGS), file, or_folder=True)
    own = read_own(file, how)
    n = len(own.vectors)
    is_map = method in MAPS
    if is_map:
        own = own.without_zeros()
    progress = _reports(how) if is_map else None
    found = projected(own.vectors, method, dims, **settings, progress=progress)
    of_map = {
        "zero_rows_left_out": n - len(own.vectors),
        "n_fitted": min(len(own.vectors), settings["most_fitted"] or len(own.vectors)),
        "places": len(np.unique(found.coordinates, axis=0)),
    }
    points = found.around_origin
    if out.suffix == ".csv":
        beside = {name: each for name, each in (("text", own.texts), ("label", own.labels)) if each}
        numbers = ([f"{value:.6g}" for value in point] for point in points)
        rows = zip(*beside.values(), numbers, strict=True)
        head = [*beside, *"xyz"[:dims]]
        how.write_csv(out, head, ((*cells, *point) for *cells, point in rows))
    else:
        with saving(out):
            write_vectors(out, points, texts=own.texts, labels=own.labels, force=how.force)
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
    how.show(figures | {"about": dict(own.about)}, text)


def _reports(how: OwnOptions) -> Callable[[str, int, int], None]:
    lines: dict[str, Callable[[int, int], None] | None] = {}

    def report(stage: str, done: int, total: int) -> None:
        say = lines.setdefault(stage, how.progress(stage))
        if say is not None:
            say(done, total)

    return report
