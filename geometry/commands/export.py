"""python -m geometry export: fits a transform on texts and writes it in a form programs load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import model_options, reading_of, reading_options, texts_of
from .shell import FORCE, errors_in_words, progress_on_stderr

FILES = (".safetensors", ".onnx", ".npz")
_OUT_HELP = (
    f"A file ending in {', '.join(FILES)}; a name without an ending is a folder for "
    "sentence-transformers."
)


@click.command()
@click.argument("texts")
@click.option("--out", required=True, type=click.Path(path_type=Path), help=_OUT_HELP)
@click.option("--transform", default="zca:lw", show_default=True, help="As centred, pca:128:lw.")
@model_options
@click.option("--layer", type=int, default=-1, show_default=True, help="-1 is the last.")
@click.option("--pooling", default="mean", show_default=True, help="As mean, cls, max.")
@reading_options
@FORCE
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def export(
    texts: str,
    out: Path,
    transform: str,
    model: str,
    revision: str | None,
    prefix: str | None,
    layer: int,
    pooling: str,
    force: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Fit a transform on the vectors of TEXTS, a corpus or pairs, and write it.

    The file is for vectors of this model, layer and pooling. The folder is the model itself with
    the transform after its pooling.
    """

    from ..data.write import check_output, saving, write
    from ..encode.load import load_encoder
    from ..evaluate.fitting import FitSet
    from ..evaluate.specs import parse_treatment
    from ..export import affine_map, numpy_files, onnx_bytes, write_sentence_model
    from ..export.affine import transform_bytes
    from ..export.numpy_files import ARRAYS
    from ..export.sentence_model import need_folder

    with errors_in_words():
        spec = parse_treatment(transform)
        check_output(out, FILES, inputs=(texts, model), or_folder=True, force=force)
        read = texts_of(texts, reading=reading_of(reading), quiet=quiet)
        encoder = load_encoder(
            model,
            revision=revision,
            prefix=prefix,
            progress=progress_on_stderr("downloading", quiet=quiet),
        )
        if out.suffix not in FILES:
            need_folder(encoder)
        X = encoder.encode(
            read, layer=layer, pooling=pooling, progress=progress_on_stderr("encoding", quiet=quiet)
        )
        fitted = FitSet(X).fit(spec)
        about = {"model": encoder.name, "layer": layer, "pooling": pooling}
        if encoder.prefix:
            about["prefix"] = encoder.prefix
        affine = affine_map(fitted, **about, corpus=Path(texts).name)
        with saving(out):
            if out.suffix == ".safetensors":
                write(out, transform_bytes(affine), force=force)
            elif out.suffix == ".onnx":
                write(out, onnx_bytes(affine), force=force)
            elif out.suffix == ".npz":
                write(out, numpy_files(affine)[ARRAYS], force=force)
            else:
                write_sentence_model(out, encoder, affine, layer=layer, pooling=pooling)
        click.echo(f"{out}: {', '.join(f'{name} {value}' for name, value in affine.about.items())}")
