"""python -m geometry export-view: a cloud, raw beside treated, as one file of HTML."""

from pathlib import Path
from typing import Any

import click

from ..data.translations import ENGLISH, languages
from ..projection.projection import METHODS
from .options import MAP, map_settings, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnOptions, read_own
from .shell import show

MOST_ROWS = 200_000  # of a file that a browser opens


@click.command("export-view", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A .html file.")
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--method", type=click.Choice(METHODS), default="mean")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@with_options(*MAP)
@click.option("--language", type=click.Choice(languages()), default=ENGLISH)
@with_options(*OWN_DATA)
def export_view(
    file: Path,
    out: Path,
    transform: str,
    method: str,
    dims: int,
    seed: int,
    no_seed: bool,
    fit_all: bool,
    language: str,
    **reading: Any,
) -> None:
    """Write the vectors of FILE, or of its texts, raw beside treated, as one file of HTML.

    A browser opens it without a network: pictures under one camera, a film from raw to treated,
    the texts of the points, colours by label, a lasso. The file has all texts and places of the
    points, and nothing else of FILE.

    \b
    python -m geometry export-view vectors.npy --out cloud.html
    python -m geometry export-view sentences.csv --labels topic --transform abtt:3 --out texts.html
    """
    from ..data.write import check_output, saving, write
    from ..notebook.page import view_html
    from ..notebook.view import make_view

    how = OwnOptions.of(**reading)
    check_output(out, (".html",), inputs=(file, how.metadata), force=how.force)
    own = read_own(file, how)
    n = len(own.vectors)
    if n > MOST_ROWS:
        raise click.UsageError(
            f"{n:,} rows are more than {MOST_ROWS:,}, which one file may have. "
            f"Take some at random: --sample {MOST_ROWS}"
        )
    view = make_view(
        own.vectors,
        labels=own.labels,
        texts=own.texts,
        treatment=transform,
        projection=method,
        n_components=dims,
        **map_settings(seed, no_seed, fit_all),
        language=language,
    )
    content = view_html(view, file.stem).encode()
    with saving(out):
        write(out, content, force=how.force)
    figures = {"out": str(out), "n": n, "bytes": len(content), "about": dict(own.about)}
    show(figures, f"{out}: {n:,} points, {len(content) / 1e6:.1f} MB", as_json=how.as_json)
