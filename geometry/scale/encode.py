"""Texts to a vector data set: a task for each shard, the model loaded once in each worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..hub.bundled import BUNDLED
from .engine import Engine
from .errors import ScaleError
from .manifest import ID_STEP, Column, RunFolder
from .store import absolute
from .texts import TextColumns, text_blocks, text_shards
from .vectors import RowsLeftOut, ShardWriter

if TYPE_CHECKING:
    from ..encode.encoder import Encoder

DTYPES = ("float32", "float16")


@dataclass(frozen=True)
class Model:
    """An encoder by its name; ``fingerprint`` is that of its files."""

    name: str
    revision: str | None
    prefix: str
    fingerprint: str


@dataclass(frozen=True)
class EncodeTask:
    """A shard of texts, and where its vectors go."""

    name: str
    place: int
    source: str
    folder: str
    model: Model
    layers: tuple[int, ...]
    poolings: tuple[str, ...]
    columns: tuple[Column, ...]
    texts: TextColumns
    skip: bool
    threads: int


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
    """Encode shards of texts into a vector data set. Shards that are done are not done again.

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
        Names of the columns of text, label and weight.
    model : str
        As in ``load_encoder``.
    revision : str, optional
        As in ``load_encoder``.
    prefix : str, optional
        As in ``load_encoder``.

    Returns
    -------
    dict
        The manifest.
    """
    from ..encode.load import load_encoder
    from ..encode.pool import as_poolings

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
    if encoder.prefix:
        about["prefix"] = encoder.prefix
    columns = tuple(
        Column(
            f"layer{layer}_{pooling}",
            encoder.dimension,
            dtype,
            {**about, "layer": layer, "pooling": pooling},
        )
        for pooling in names
        for layer in indices
    )
    sources = text_shards(addresses)
    settings = {
        "model": known_as,
        "revision": encoder.revision,
        "fingerprint": encoder.fingerprint,
        "columns": [texts.text, texts.label, texts.weight],
    }
    run = RunFolder(out, "encode", settings, [described(column) for column in columns], sources)
    if is_folder:
        model = absolute(model)
    of_model = Model(model, revision, encoder.prefix, encoder.fingerprint)
    return work_off(
        engine,
        run,
        encode_shard,
        lambda i: EncodeTask(
            run.names[i],
            i,
            sources[i],
            run.address,
            of_model,
            indices,
            names,
            columns,
            texts,
            engine.skip,
            engine.threads,
        ),
    )


def described(column: Column) -> dict[str, Any]:
    """A column of vectors in a manifest."""
    return {
        **column.about,
        "column": column.name,
        "dimension": column.dimension,
        "dtype": column.dtype,
    }


def work_off(
    engine: Engine,
    run: RunFolder,
    work: Callable[[Any], int],
    task_of: Callable[[int], Any],
    prepare: Callable[[], None] = lambda: None,  # called first, when no other run can write there
) -> dict[str, Any]:
    """Do the shards of a run that are not done, and write its manifest; returns that.

    The manifest is written after an error, too.
    """
    with run.held():
        prepare()
        left = run.left()
        engine.ended_by = None
        try:
            report = engine.each(work, [task_of(i) for i in left])
        except BaseException:
            with suppress(Exception):  # the store itself may have failed
                run.save([], engine.ended_by)
            raise
        run.tidy()  # only now: after an error workers may still be writing
        return run.save(report.failures)


def encode_shard(task: EncodeTask) -> int:
    """Encode a shard and write its vectors; returns the number of rows."""
    import torch

    if torch.get_num_threads() != task.threads:
        torch.set_num_threads(task.threads)
    encoder = _loaded(task.model)
    left_out, blank = RowsLeftOut(), 0
    beside = {"text": pa.string()}
    if task.texts.label is not None:
        beside["label"] = pa.string()
    if task.texts.weight is not None:
        beside["weight"] = pa.float64()
    with ShardWriter(task.folder, task.name, task.columns, beside) as writer:
        blocks = text_blocks(task.source, task.texts, skip=task.skip, left_out=left_out)
        for rows, n_blank in blocks:
            blank += n_blank
            if not rows:
                continue
            vectors = encoder.encode_layers(
                [row.text for row in rows], poolings=task.poolings, layers=task.layers
            )
            writer.write(
                task.place * ID_STEP + np.array([row.place for row in rows]),
                [X for pooling in task.poolings for X in vectors[pooling]],
                {
                    name: pa.array([getattr(row, name) for row in rows], t)
                    for name, t in beside.items()
                },
            )
    writer.log(left_out, blank=blank)
    return writer.n_rows


@lru_cache(maxsize=1)
def _loaded(model: Model) -> Encoder:
    from ..encode.load import load_encoder

    encoder = load_encoder(model.name, revision=model.revision, prefix=model.prefix)
    if encoder.fingerprint != model.fingerprint:
        raise ScaleError("other_model", name=model.name)
    return encoder
