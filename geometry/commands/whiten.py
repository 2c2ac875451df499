"""python -m geometry whiten: vectors after a transform that is fitted on them or on others."""

from pathlib import Path
from typing import Any

import click

from ..data.write import saving
from ..evaluate.fitting import FitSet
from ..export import affine
from ..export.vector_files import ENDINGS, write_vectors
from .options import FILE, FILE_TYPE, OUT_TYPE, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnData, OwnOptions, read_own
from .shell import shell

USUAL = "usual"
_FIT_HELP = (
    "Texts or vectors to fit on, or a .safetensors file of a fitted transform; else FILE itself."
)
_OUT_HELP = ".npy, .parquet; a name without an ending is a folder for the Embedding Projector."
_TRANSFORM_HELP = f"As centred, abtt:3, pca:128:lw; {USUAL} is a whitening for the fit's n/d."


@shell.command(epilog=EXIT_CODES)
@FILE
@click.option("--out", required=True, type=OUT_TYPE, help=_OUT_HELP)
@click.option("--fit", type=FILE_TYPE, help=_FIT_HELP)
@click.option("--transform", default=USUAL, help=_TRANSFORM_HELP)
@with_options(*OWN_DATA)
def whiten(file: Path, out: Path, fit: Path | None, transform: str, **reading: Any) -> None:
    """Transform the vectors of FILE, or of its texts, and write them.

    Without --fit the transform is fitted on FILE itself. Measures of the result are then too good.

    \b
    python -m geometry whiten vectors.npy --out whitened.npy
    python -m geometry whiten sentences.csv --layer 4 --transform centred --out centred.parquet
    python -m geometry whiten vectors.npy --fit whitened.npy --transform pca:8:lw --out projector
    """
    how = OwnOptions.of(**reading)
    how.check(out, ENDINGS, file, fit, or_folder=True)
    own = read_own(file, how)
    fitted = _fitted(fit, transform, own, how)
    Z = fitted.apply_to_part(own.vectors)
    if (doubt := fitted.doubt_of(own.vectors)) is not None:
        click.echo(f"Warning: {doubt}", err=True)
    with saving(out):
        write_vectors(out, Z, texts=own.texts, labels=own.labels, force=how.force)
    about, (n, d) = {**own.about, **fitted.about}, Z.shape
    settings = ", ".join(f"{name} {value}" for name, value in about.items())
    text = f"{out}: {n:,} vectors of {d:,} numbers; {settings}"
    how.show({"out": str(out), "n": n, "d": d, "about": about}, text)


def _fitted(fit: Path | None, transform: str, own: OwnData, how: OwnOptions) -> affine.AffineMap:
    from ..diagnosis.trial import usual_settings

    if fit is not None and fit.suffix == ".safetensors":
        try:
            return affine.load_transform(fit)
        except affine.ExportError as error:  # vectors and transforms have the same ending
            if error.code != "other_file":
                raise
    X = own.vectors if fit is None else read_own(fit, how).vectors
    X = X[X.any(axis=1)]  # a row of zeros has no direction, and would move the mean
    if transform == USUAL:
        transform = usual_settings(*X.shape).get("whiten", "centred")
    fitted = FitSet(X).fit(transform)
    return affine.affine_map(fitted, fitted_on="FILE itself" if fit is None else fit.name)
