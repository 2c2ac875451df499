"""An encoder with a fitted transform as a model of sentence-transformers, in a folder or loaded."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from ..data.write import refuse_in_use, written_folder
from ..encode.architecture import quiet_loading
from ..encode.encoder import Encoder
from ..encode.sentence_modules import model_up_to, module_vectors
from ..errors import need
from ..hub.bundled import E5, E5_NAME, E5_REPOSITORY
from .affine import AffineMap, ExportError, affine_map

# sentence-transformers' name of each pooling
MODES = {name: name for name in ("mean", "cls", "max")}
MODES |= {"last": "lasttoken", "weighted": "weightedmean"}
SAMPLE = ("A cat sat on the mat.", "Rain.", "The river rose for three days, then it fell.")
# Share of a vector's length; usual whitenings differ by 1.3e-6 in float32
LARGEST_DIFFERENCE = 1e-5
LENGTHS = {
    True: "**The vectors are of unit length.**",
    False: "**The vectors are not of unit length.** Compare them by cosine, or normalise them "
    "after the model.",
}


def write_sentence_model(
    folder: str | os.PathLike[str],
    encoder: Encoder,
    fitted: Any,
    *,
    layer: int = -1,
    pooling: str = "mean",
    normalize: bool = False,
) -> Path:
    """Write the encoder up to a layer, its pooling and the transform as one model, in ``folder``.

    ``SentenceTransformer(folder).encode`` then gives the transformed vectors. The folder is the
    encoder's modules with a Dense module after the pooling; a centring is a Dense module with the
    identity. A normalisation to unit length that the encoder's own folder has is left out, because
    the transform was fitted without it. The encoder's prefix becomes the default prompt.

    ExportError for a pooling or a layer that sentence-transformers can't express, another width
    than the encoder's, an encoder without a folder ("bundled-e5"), and if a vector of the written
    model differs by more than LARGEST_DIFFERENCE of its length. OutputError for a folder in use.

    Parameters
    ----------
    folder : str or path
        Made by this function; it must not exist, or be empty.
    encoder : Encoder
    fitted : object
        As in ``affine_map``, fitted on vectors of this layer and pooling.
    layer : int
        As in ``Encoder.encode``. The layers above it are left out.
    pooling : str, one of ``MODES``
    normalize : bool
        True adds a module that gives the transformed vectors unit length.
    """
    need("encode", "sentence_transformers")
    folder = Path(folder)
    need_folder(encoder)
    if pooling not in MODES:
        raise ExportError("other_pooling", pooling=pooling, poolings=tuple(MODES))
    n_layers = layer if layer >= 0 else encoder.n_layers + 1 + layer
    if not 1 <= n_layers <= encoder.n_layers:
        raise ExportError("other_layer", layer=layer, last=encoder.n_layers)
    affine = affine_map(fitted, model=encoder.name, layer=n_layers, pooling=pooling)
    if len(affine.offset) != encoder.dimension:
        raise ExportError("other_width", found=len(affine.offset), dimension=encoder.dimension)
    refuse_in_use(folder)
    encoder.read_files()  # runs the trial of the model before another library reads it
    with quiet_loading():
        model = _modules(encoder, affine, n_layers, MODES[pooling])
    raw = encoder.encode(SAMPLE, layer=layer, pooling=pooling)
    # some architectures normalise the output of their last layer only
    _refuse_other_than(affine, raw, model)
    if normalize:
        from sentence_transformers.sentence_transformer.modules import Normalize

        model.append(Normalize())
    with written_folder(folder) as unfinished:
        try:
            model.save(str(unfinished), create_model_card=False)
        except SafetensorError as error:  # a full disk is one
            raise OSError(str(error)) from error
        readme = _readme(affine, normalize=normalize)
        (unfinished / "README.md").write_text(readme, encoding="utf-8")
    return folder


def whitened(model: Any, fitted: Any, *, module: int = -1, normalize: bool = False) -> Any:
    """A SentenceTransformer whose ``encode`` gives the transformed vectors, by a Dense module.

    ``model`` is not changed. Both share the modules that they have in common. ExportError as
    ``write_sentence_model``.

    Parameters
    ----------
    model : sentence_transformers.SentenceTransformer
        Loaded, with weights in float32. A ``truncate_dim`` of it is not kept.
    fitted : object
        As in ``affine_map``, fitted on vectors of this module: of ``model.encode(texts)`` for the
        last one, else of ``encode.module_vectors(model, texts, module=module)``.
    module : int
        Index of the module whose vectors are transformed. Later modules are left out. A module that
        gives token vectors is followed by mean pooling.
    normalize : bool
        True adds a module that gives the transformed vectors unit length.

    References
    ----------
    Su et al. 2021, section 2.2: whitening after the pooling.
    """
    affine = affine_map(fitted)
    raw = module_vectors(model, SAMPLE, module=module)
    if raw.shape[1] != len(affine.offset):
        raise ExportError("other_width", found=len(affine.offset), dimension=raw.shape[1])
    made = model_up_to(model, module, *_dense(affine))
    _refuse_other_than(affine, raw, made)
    if not normalize:
        return made
    from sentence_transformers.sentence_transformer.modules import Normalize

    return model_up_to(made, -1, Normalize())


def _readme(affine: AffineMap, *, normalize: bool) -> str:
    about = "".join(f"| {name} | {value} |\n" for name, value in affine.about.items())
    steps = ["The pooled vectors of the model are written as they are."]
    if not _is_nothing(affine):
        steps = ["The Dense module subtracts an offset and multiplies by a matrix."]
        if affine.matrix is None:
            steps = [
                "The vectors are centred. sentence-transformers has no module that only subtracts, "
                "so the Dense module has the identity as its matrix."
            ]
        steps.append("Use it for documents and queries alike.")
    steps.append(LENGTHS[normalize])
    return (
        "# A sentence-transformers model of Narrow Cone\n\n"
        f"`SentenceTransformer(folder).encode(texts)` gives vectors of {affine.width} numbers.\n"
        f"{' '.join(steps)}\n\n| setting | value |\n| --- | --- |\n{about}"
    )


def _is_nothing(affine: AffineMap) -> bool:
    """True if the map leaves every vector as it is."""
    return affine.matrix is None and not affine.offset.any()


def need_folder(encoder: Encoder) -> None:
    if encoder.name == E5_NAME:
        raise ExportError("no_folder", name=E5, hub=E5_REPOSITORY)


def _modules(encoder: Encoder, affine: AffineMap, n_layers: int, mode: Any) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    settings = {"num_hidden_layers": n_layers}
    longest = encoder.max_tokens
    first = Transformer(str(encoder.folder), config_kwargs=settings, max_seq_length=longest)
    modules = [first, Pooling(len(affine.offset), pooling_mode=mode), *_dense(affine)]
    how: dict[str, Any] = {"modules": modules, "device": "cpu"}
    if encoder.prefix:
        how |= {"prompts": {"prefix": encoder.prefix}, "default_prompt_name": "prefix"}
    return SentenceTransformer(**how)


def _dense(affine: AffineMap) -> list[Any]:
    """The Dense module of a map; none for a map that changes nothing."""
    import torch
    from sentence_transformers.sentence_transformer.modules import Dense

    if _is_nothing(affine):
        return []
    d = len(affine.offset)
    matrix = np.eye(d) if affine.matrix is None else affine.matrix
    how: dict[str, Any] = {
        "init_weight": torch.from_numpy(np.ascontiguousarray(matrix.T, dtype=np.float32)),
        "init_bias": torch.from_numpy((-affine.offset @ matrix).astype(np.float32)),
    }
    return [Dense(d, affine.width, activation_function=torch.nn.Identity(), **how)]


def _refuse_other_than(affine: AffineMap, raw: np.ndarray, model: Any) -> None:
    """Raise "other_vectors" unless the model gives the map of ``raw`` (n, d) for SAMPLE."""
    ours = affine.apply_to_part(raw.astype(np.float64))
    theirs = model.encode(list(SAMPLE), show_progress_bar=False)
    largest = (np.linalg.norm(theirs - ours, axis=1) / np.linalg.norm(ours, axis=1)).max()
    if not largest <= LARGEST_DIFFERENCE:  # NaN is refused too
        raise ExportError("other_vectors", difference=f"{largest:.2g}", limit=LARGEST_DIFFERENCE)
