"""A fitted transform: whiten writes the vectors after it, export the transform itself."""

from pathlib import Path
from typing import Any

import click

from ..data.corpus import Corpus
from ..data.write import saving
from ..evaluate.fitting import FitSet
from ..evaluate.specs import parse_treatment
from ..export import affine as maps
from ..export.sentence_model import need_folder, write_sentence_model
from ..export.vector_files import ENDINGS, write_vectors
from . import options
from .options import OwnData, OwnOptions
from .shell import shell, show

USUAL = "usual"
FILES = (".safetensors", ".onnx", ".npz", ".zip")
_OUT_HELP = (
    f"A file ending in {', '.join(FILES)}; a name without an ending is a folder for "
    "sentence-transformers. A .zip has the arrays, a script, and lines for vector databases."
)
_FIT_HELP = (
    "Texts or vectors to fit on, or a .safetensors file of a fitted transform; else FILE itself."
)
_VECTORS_HELP = ".npy, .parquet; a name without an ending is a folder for the Embedding Projector."
_TRANSFORM_HELP = f"As centred, abtt:3, pca:128:lw; {USUAL} is a whitening for the fit's n/d."


@shell.command(epilog=options.EXIT_CODES)
@click.argument("file")
@click.option("--out", required=True, type=options.OUT_TYPE, help=_OUT_HELP)
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--normalize", is_flag=True, help="Of a folder: its vectors get unit length.")
@options.with_options(*options.OWN_DATA)
def export(file: str, out: Path, transform: str, normalize: bool, **reading: Any) -> None:
    """Fit a transform on FILE and write it. FILE has vectors, texts or pairs, or names pairs.

    The file is for vectors of the same kind: of this model, layer and pooling. The folder is the
    model itself with the transform after its pooling.

    \b
    python -m geometry export vectors.npy --transform centred --out centring.safetensors
    python -m geometry export sentences.csv --layer 4 --transform pca:128:lw --out whitened-model
    """
    from ..diagnosis.diagnosis import fit_cure

    parse_treatment(transform)
    how = OwnOptions.of(**reading)
    how.check(out, FILES, file, how.model, or_folder=True)
    is_folder = out.suffix not in FILES
    if normalize and not is_folder:
        raise ValueError("--normalize is for a folder; normalise after the transform of a file")
    own = _read(file, how, is_folder=is_folder)
    about = {"treatment": transform, **own.about}
    affine = maps.affine_map(fit_cure(transform, own.vectors), **about)
    if is_folder:
        where: dict[str, Any] = {"layer": how.layer, "pooling": how.pooling}
        with saving(out):
            write_sentence_model(out, how.encoder, affine, **where, normalize=normalize)
    elif out.suffix == ".safetensors":
        how.write(out, maps.transform_bytes(affine))
    elif out.suffix == ".onnx":
        how.write(out, maps.onnx_bytes(affine))
    elif out.suffix == ".npz":
        how.write(out, maps.numpy_files(affine)[maps.ARRAYS])
    else:
        how.write(out, maps.zipped(maps.numpy_files(affine)))
    settings = ", ".join(f"{name} {value}" for name, value in affine.about.items())
    show({"out": str(out), "about": dict(affine.about)}, f"{out}: {settings}")


def _read(file: str, how: OwnOptions, *, is_folder: bool) -> OwnData:
    holds = options.held_by(Path(file), how) if Path(file).is_file() else "pairs"
    if is_folder:
        if holds == "vectors":
            raise ValueError(
                "a folder has a model in it, and FILE has vectors: name a file ending in "
                f"{', '.join(FILES)}"
            )
        need_folder(how.encoder)
        if not isinstance(how.layer, int):
            raise maps.ExportError("other_layer", layer=how.layer, last=how.encoder.n_layers)
    if holds != "pairs":
        return options.read_own(Path(file), how)
    texts = options.texts_of(file, reading=how.reading)
    return options.encode_own(Corpus(Path(file).name, texts), how)


@shell.command(epilog=options.EXIT_CODES)
@options.FILE
@click.option("--out", required=True, type=options.OUT_TYPE, help=_VECTORS_HELP)
@click.option("--fit", type=options.FILE_TYPE, help=_FIT_HELP)
@click.option("--transform", default=USUAL, help=_TRANSFORM_HELP)
@options.with_options(*options.OWN_DATA)
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
    own = options.read_own(file, how)
    fitted = _fitted_on(fit, transform, own, how)
    Z = fitted.apply_to_part(own.vectors)
    if (doubt := fitted.doubt_of(own.vectors)) is not None:
        click.echo(f"Warning: {doubt}", err=True)
    with saving(out):
        write_vectors(out, Z, texts=own.texts, labels=own.labels, force=how.force)
    n, d = Z.shape
    about = {**own.about, **fitted.about}
    settings = ", ".join(f"{name} {value}" for name, value in about.items())
    text = f"{out}: {n:,} vectors of {d:,} numbers; {settings}"
    show({"out": str(out), "n": n, "d": d, "about": about}, text)


def _fitted_on(fit: Path | None, transform: str, own: OwnData, how: OwnOptions) -> maps.AffineMap:
    from ..diagnosis.trial import usual_settings

    if fit is not None and fit.suffix == ".safetensors":
        try:
            return maps.load_transform(fit)
        except maps.ExportError as error:  # vectors and transforms have the same ending
            if error.code != "other_file":
                raise
    X = own.vectors if fit is None else options.read_own(fit, how).vectors
    X = X[X.any(axis=1)]  # a row of zeros has no direction, and would move the mean
    if transform == USUAL:
        transform = usual_settings(*X.shape).get("whiten", "centred")
    fitted = FitSet(X).fit(transform)
    return maps.affine_map(fitted, fitted_on="FILE itself" if fit is None else fit.name)
