"""python -m geometry export: fits a transform on vectors and writes it in a form programs load."""

from pathlib import Path
from typing import Any

import click

from ..data.corpus import Corpus
from ..data.write import saving
from ..evaluate.specs import parse_treatment
from ..export.affine import ExportError, affine_map, transform_bytes
from ..export.numpy_files import ARRAYS, numpy_files, zipped
from ..export.onnx_file import onnx_bytes
from ..export.sentence_model import need_folder, write_sentence_model
from .options import OUT_TYPE, texts_of, with_options
from .own_data import EXIT_CODES, OWN_DATA, OwnData, OwnOptions, encode_own, held_by, read_own
from .shell import shell

FILES = (".safetensors", ".onnx", ".npz", ".zip")
_OUT_HELP = (
    f"A file ending in {', '.join(FILES)}; a name without an ending is a folder for "
    "sentence-transformers. A .zip has the arrays, a script, and lines for vector databases."
)


@shell.command(epilog=EXIT_CODES)
@click.argument("file")
@click.option("--out", required=True, type=OUT_TYPE, help=_OUT_HELP)
@click.option("--transform", default="zca:lw", help="As centred, pca:128:lw.")
@click.option("--normalize", is_flag=True, help="Of a folder: its vectors get unit length.")
@with_options(*OWN_DATA)
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
    affine = affine_map(fit_cure(transform, own.vectors), **about)
    if is_folder:
        where: dict[str, Any] = {"layer": how.layer, "pooling": how.pooling}
        with saving(out):
            write_sentence_model(out, how.encoder, affine, **where, normalize=normalize)
    elif out.suffix == ".safetensors":
        how.write(out, transform_bytes(affine))
    elif out.suffix == ".onnx":
        how.write(out, onnx_bytes(affine))
    elif out.suffix == ".npz":
        how.write(out, numpy_files(affine)[ARRAYS])
    else:
        how.write(out, zipped(numpy_files(affine)))
    settings = ", ".join(f"{name} {value}" for name, value in affine.about.items())
    how.show({"out": str(out), "about": dict(affine.about)}, f"{out}: {settings}")


def _read(file: str, how: OwnOptions, *, is_folder: bool) -> OwnData:
    holds = held_by(Path(file), how) if Path(file).is_file() else "pairs"
    if is_folder:
        if holds == "vectors":
            raise ValueError(
                "a folder has a model in it, and FILE has vectors: name a file ending in "
                f"{', '.join(FILES)}"
            )
        need_folder(how.encoder)
        if not isinstance(how.layer, int):
            raise ExportError("other_layer", layer=how.layer, last=how.encoder.n_layers)
    if holds != "pairs":
        return read_own(Path(file), how)
    texts = texts_of(file, reading=how.reading, quiet=how.quiet)
    return encode_own(Corpus(Path(file).name, texts), how)
