"""Shards of texts, read row by row, to a vector data set; each worker loads the model once."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa

from ..encode.encoder import Encoder
from ..encode.load import load_encoder
from ..encode.pool import as_poolings
from ..hub.bundled import BUNDLED
from .engine import Engine
from .errors import ScaleError
from .manifest import ID_STEP, Column, Part, RunFolder
from .store import absolute, batches_of, filesystem, opened_shard, unreadable
from .vectors import CARRIED, RowsLeftOut, writing_shard

DTYPES = ("float32", "float16")
Model = tuple[str, str | None, str, str]  # name, revision, prefix, and fingerprint of its files
SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt")
PACKED = (".gz", ".bz2", ".xz", ".zst")
CELL_CHARACTERS = 2_000_000
BLOCK_TEXTS = 4096
_NO_UTF8 = re.compile("[\udc80-\udcff]")  # bytes that surrogateescape passed on


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
    for pooling, layer in product(names, indices):
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
        for rows in text_blocks(part.source, texts, skip=skip, left_out=writer.left_out):
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


@dataclass(frozen=True)
class TextColumns:
    """Names of the columns of a shard of texts; plain lines have the text only."""

    text: str = "text"
    label: str | None = None
    weight: str | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        return tuple(name for name in (self.text, self.label, self.weight) if name is not None)


@dataclass(frozen=True)
class TextRow:
    """A row: its place from 0, its text, and label and weight if there are such columns."""

    place: int
    text: str
    label: str | None
    weight: float | None


def text_shards(addresses: Sequence[str]) -> tuple[str, ...]:
    """The files of addresses, folders and patterns, each group in the order of its names."""
    found: list[str] = []
    for address in addresses:
        fs, path = filesystem(address)
        if any(sign in path for sign in "*?["):
            names = sorted(fs.glob(path))
        elif fs.protocol not in ("http", ("http", "https")) and fs.isdir(path):
            names = sorted(fs.ls(path, detail=False))
        else:
            names = [path]
        shards = [fs.unstrip_protocol(name) for name in names if suffix_of(str(name)) in SUFFIXES]
        if not shards:
            raise ScaleError("no_shards", address=address, names=SUFFIXES)
        found += shards
    return tuple(dict.fromkeys(found))


def suffix_of(address: str) -> str:
    suffixes = [each.lower() for each in PurePosixPath(address).suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def text_blocks(
    address: str, columns: TextColumns, *, skip: bool, left_out: RowsLeftOut
) -> Iterator[list[TextRow]]:
    """The rows of a shard that have texts, BLOCK_TEXTS rows at a time."""
    block: list[TextRow] = []
    for place, record in enumerate(_records(address, columns)):
        row = record if isinstance(record, str) else _row(place, record, columns)
        if isinstance(row, str):
            if not skip:
                raise ScaleError(row, shard=address, row=place + 1)
            left_out.add([place + 1])
        elif not row.text.strip():
            left_out.blank += 1
        else:
            block.append(row)
        if len(block) == BLOCK_TEXTS:
            yield block
            block = []
    if block:
        yield block


def _row(place: int, record: dict[str, Any], columns: TextColumns) -> TextRow | str:
    text = record.get(columns.text)
    label = None if columns.label is None else record.get(columns.label)
    weight = None
    if not isinstance(text, str | None):
        return "no_text"
    if columns.weight is not None:
        try:
            weight = float(record[columns.weight])
        except (KeyError, TypeError, ValueError):
            return "no_weight"
        if not 0 <= weight < float("inf"):
            return "no_weight"
    return TextRow(place, text or "", None if label is None else str(label), weight)


def _records(address: str, columns: TextColumns) -> Iterator[dict[str, Any] | str]:
    suffix = suffix_of(address)
    try:
        if suffix == ".parquet":
            with opened_shard(address) as file:
                _need(columns, tuple(file.schema_arrow.names), address)
                for batch in batches_of(file, list(columns.wanted), address):
                    yield from batch.to_pylist()
            return
        with fsspec.open(address, "rb", compression="infer") as raw:
            lines = io.BufferedReader(raw) if not hasattr(raw, "readline") else raw
            if suffix in (".jsonl", ".ndjson"):
                yield from _json_lines(lines, address, columns)
            elif suffix in (".csv", ".tsv"):
                yield from _csv(lines, "\t" if suffix == ".tsv" else ",", address, columns)
            else:
                for line in lines:
                    try:
                        yield {columns.text: line.rstrip(b"\r\n").decode("utf-8-sig")}
                    except UnicodeDecodeError:
                        yield "not_utf8"
    except (EOFError, FileNotFoundError) as error:  # a gzip archive that is cut off
        raise unreadable(address, error) from error


def _json_lines(lines: Any, address: str, columns: TextColumns) -> Iterator[dict[str, Any] | str]:
    is_first = True
    for line in lines:
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except UnicodeDecodeError:
            yield "not_utf8"
            continue
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            yield "not_json"
            continue
        if is_first:
            _need(columns, tuple(record), address)
            is_first = False
        yield record


def _csv(
    lines: Any, delimiter: str, address: str, columns: TextColumns
) -> Iterator[dict[str, Any] | str]:
    csv.field_size_limit(CELL_CHARACTERS)
    text = io.TextIOWrapper(lines, encoding="utf-8-sig", errors="surrogateescape", newline="")
    rows = csv.reader(text, delimiter=delimiter)
    header = next(rows, [])
    _need(columns, tuple(header), address)
    while True:
        try:
            row = next(rows, None)
        except csv.Error:
            yield "uneven"
            continue
        if row is None:
            return
        if row and len(row) != len(header):
            yield "uneven"
        elif _NO_UTF8.search("".join(row)):
            yield "not_utf8"
        elif row:
            yield dict(zip(header, row, strict=True))


def _need(columns: TextColumns, names: tuple[str, ...], address: str) -> None:
    for name in columns.wanted:
        if name not in names:
            raise ScaleError("no_column", shard=address, column=name, names=names)
