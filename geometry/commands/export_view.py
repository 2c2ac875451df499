"""python -m geometry export-view: a cloud, raw beside treated, as one file of HTML."""

from pathlib import Path
from typing import Any

import click

from ..data.translations import ENGLISH, languages
from ..projection.projection import METHODS
from .options import FILE, MAP, OUT_TYPE, map_settings, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnOptions, read_own
from .shell import shell

MOST_ROWS = 200_000  # of a file that a browser opens


@shell.command("export-view", epilog=EXIT_CODES)
@FILE
@click.option("--out", required=True, type=OUT_TYPE, help="A .html file.")
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--method", type=click.Choice(METHODS), default="mean")
@click.option("--dims", type=click.IntRange(2, 3), default=2)
@with_options(*MAP)
@click.option("--language", type=click.Choice(languages()), default=ENGLISH)
@with_options(*OWN_DATA)
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

    settings = map_settings(reading)
    how = OwnOptions.of(**reading)
    how.check(out, (".html",), file)
    own = read_own(file, how)
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
    how.show(figures, f"{out}: {n:,} points, {len(content) / 1e6:.1f} MB")
