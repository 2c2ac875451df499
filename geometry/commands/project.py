"""Vectors as points: project writes their coordinates, export-view a page that draws them."""

from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..data.translations import ENGLISH, languages
from ..data.write import saving
from ..export.vector_files import ENDINGS, write_vectors
from ..projection.cloud_text import CLOUD_TEXT
from ..projection.neighbour_maps import MAPS
from ..projection.projection import METHODS
from ..projection.projection import project as projected
from . import options
from .options import OwnOptions
from .shell import progress_on_stderr, shell, show

MOST_ROWS = 200_000  # of a file that a browser opens
_OUT_HELP = (
    ".csv, .npy, .parquet; a name without an ending is a folder for the Embedding Projector."
)


@shell.command(epilog=options.EXIT_CODES)
@options.FILE
@click.option("--out", required=True, type=options.OUT_TYPE, help=_OUT_HELP)
@click.option("--method", type=click.Choice(METHODS), default="svd")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@options.with_options(*options.MAP, *options.OWN_DATA)
def project(file: Path, out: Path, method: str, dims: int, **reading: Any) -> None:
    """Project the vectors of FILE, or of its texts, to points around the origin.

    svd has the axes of the rows, pca those of the rows minus their mean; mean begins with the mean
    direction; cone is true to the angles to the mean. umap and tsne are maps: they keep neighbours
    only, and show no cone, no angles and no distances between groups. They leave out rows of
    zeros. Of more than 20,000 rows they fit a sample and place the others, unless --fit-all is set.

    \b
    python -m geometry project vectors.npy --method pca --out points.csv
    python -m geometry project sentences.csv --labels topic --method mean --dims 3 --out points
    """
    settings = options.map_settings(reading)
    how = OwnOptions.of(**reading)
    how.check(out, (".csv", *ENDINGS), file, or_folder=True)
    own = options.read_own(file, how)
    n = len(own.vectors)
    is_map = method in MAPS
    if is_map:
        own = own.without_zeros()
    reports = cache(progress_on_stderr)

    def report(stage: str, done: int, total: int) -> None:
        reports(stage)(done, total)

    found = projected(own.vectors, method, dims, **settings, progress=report)
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
    }
    if is_map:
        figures |= {
            "zero_rows_left_out": n - len(points),
            "n_fitted": min(len(points), settings["most_fitted"] or len(points)),
            "places": len(np.unique(found.coordinates, axis=0)),
        }
        click.echo(f"{MAPS[method].title}: {CLOUD_TEXT['map']}.", err=True)
        if figures["places"] == 1:
            click.echo(f"All {len(points):,} vectors have one direction, so one place.", err=True)
    parts = [f"{name} {value}" for name, value in list(figures.items())[2:]]
    text = f"{out}: {len(points):,} points; {', '.join(parts)}"
    show(figures | {"about": dict(own.about)}, text)


@shell.command("export-view", epilog=options.EXIT_CODES)
@options.FILE
@click.option("--out", required=True, type=options.OUT_TYPE, help="A .html file.")
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--method", type=click.Choice(METHODS), default="mean")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@options.with_options(*options.MAP)
@click.option("--language", type=click.Choice(languages()), default=ENGLISH)
@options.with_options(*options.OWN_DATA)
def export_view(
    file: Path, out: Path, transform: str, method: str, dims: int, language: str, **reading: Any
) -> None:
    """Write the vectors of FILE, or of its texts, raw beside treated, as one file of HTML.

    A browser opens it without a network: pictures under one camera, a film from raw to treated,
    the texts of the points, colours by label, a lasso. The file has all texts and places of the
    points, and nothing else of FILE.

    \b
    python -m geometry export-view vectors.npy --out cloud.html
    python -m geometry export-view sentences.csv --labels topic --transform abtt:3 --out texts.html
    """
    from ..notebook.page import view_html
    from ..notebook.view import make_view

    settings = options.map_settings(reading)
    how = OwnOptions.of(**reading)
    how.check(out, (".html",), file)
    own = options.read_own(file, how)
    n = len(own.vectors)
    if n > MOST_ROWS:
        raise click.UsageError(
            f"{n:,} rows are more than {MOST_ROWS:,}, which one file may have. "
            f"Take some at random: --sample {MOST_ROWS}"
        )
    settings |= {"treatment": transform, "projection": method, "n_components": dims}
    beside: dict[str, Any] = {"labels": own.labels, "texts": own.texts}
    view = make_view(own.vectors, **beside, **settings, language=language)
    content = view_html(view, file.stem).encode()
    how.write(out, content)
    figures = {"out": str(out), "n": n, "bytes": len(content), "about": dict(own.about)}
    show(figures, f"{out}: {n:,} points, {len(content) / 1e6:.1f} MB")
