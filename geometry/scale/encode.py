"""Texts to a vector data set: a task for each shard, the model loaded once in each worker."""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..encode.encoder import Encoder
from ..encode.load import load_encoder
from ..encode.pool import as_poolings
from ..hub.bundled import BUNDLED
from .engine import Engine
from .errors import ScaleError
from .manifest import ID_STEP, Column, Part, RunFolder
from .store import absolute
from .texts import TextColumns, text_blocks, text_shards
from .vectors import CARRIED, writing_shard

DTYPES = ("float32", "float16")
Model = tuple[str, str | None, str, str]  # name, revision, prefix, and fingerprint of its files


def encode_shards(
    engine: Engine,
    addresses: Sequence[str],
    out: str,
    *,
    layers: Sequence[int] | None = (-1,),
    poolings: Sequence[str] = ("mean",),
    dtype: str = "float32",
    texts: TextColumns | None = None,
    model: str = BUNDLED,
    revision: str | None = None,
    prefix: str | None = None,
) -> dict[str, Any]:
    """Encode shards of texts into a vector data set; returns its manifest.

    Shards that are done are not done again.

    Parameters
    ----------
    engine : Engine
    addresses : sequence of str
        Files, folders or patterns of texts: .parquet, .jsonl, .csv, .tsv or .txt.
    out : str
        The folder of the data set.
    layers : sequence of int, optional
        Indices of hidden states; None is all. One pass gives all layers and poolings.
    poolings : sequence of str
    dtype : str
        "float32" or "float16", of the numbers on disk.
    texts : TextColumns, optional
    model : str
    revision : str, optional
    prefix : str, optional
        These three as in ``load_encoder``.
    """
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}; got {dtype!r}")
    encoder = load_encoder(model, revision=revision, prefix=prefix)
    chosen = range(encoder.n_layers + 1) if layers is None else layers
    indices = tuple(dict.fromkeys(encoder.layer_index(layer) for layer in chosen))
    names = as_poolings(tuple(poolings))
    texts = texts or TextColumns()
    is_folder = Path(model).is_dir()
    # a data set is given to others, who need no path of this machine
    known_as = Path(model).resolve().name if is_folder else encoder.name
    about = {"model": known_as, "revision": encoder.revision}
    of_texts = [texts.text, texts.label, texts.weight]
    settings = {**about, "fingerprint": encoder.fingerprint, "columns": of_texts}
    if encoder.prefix:
        about["prefix"] = encoder.prefix
    columns = []
    for pooling in names:
        for layer in indices:
            of = {**about, "layer": layer, "pooling": pooling}
            columns.append(Column(f"layer{layer}_{pooling}", encoder.dimension, dtype, of))
    run = RunFolder(out, "encode", settings, columns, text_shards(addresses))
    name = absolute(model) if is_folder else model
    how: dict[str, Any] = {"layers": indices, "poolings": names, "columns": tuple(columns)}
    how |= {"texts": texts, "skip": engine.skip, "threads": engine.threads}
    how["model"] = (name, revision, encoder.prefix, encoder.fingerprint)
    return run.work_off(engine, lambda: partial(encode_shard, folder=run.address, **how))


def encode_shard(
    part: Part,
    *,
    folder: str,
    model: Model,
    layers: tuple[int, ...],
    poolings: tuple[str, ...],
    columns: tuple[Column, ...],
    texts: TextColumns,
    skip: bool,
    threads: int,
) -> int:
    import torch

    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    encoder = _loaded(*model)
    beside = {n: kind for n, kind in CARRIED.items() if getattr(texts, n) is not None}
    with writing_shard(folder, part.name, columns, beside) as writer:
        blocks = text_blocks(part.source, texts, skip=skip, left_out=writer.left_out)
        for rows, n_blank in blocks:
            writer.blank += n_blank
            if not rows:
                continue
            given = [row.text for row in rows]
            vectors = encoder.encode_layers(given, poolings=poolings, layers=layers)
            of_rows = {n: pa.array([getattr(row, n) for row in rows], beside[n]) for n in beside}
            ids = part.place * ID_STEP + np.array([row.place for row in rows])
            writer.write(ids, [X for pooling in poolings for X in vectors[pooling]], of_rows)
    return writer.n_rows


@lru_cache(maxsize=1)
def _loaded(name: str, revision: str | None, prefix: str, fingerprint: str) -> Encoder:
    encoder = load_encoder(name, revision=revision, prefix=prefix)
    if encoder.fingerprint != fingerprint:
        raise ScaleError("other_model", name=name)
    return encoder
