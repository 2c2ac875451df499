"""Shards of texts and of vectors for the tests of geometry/scale, and each verb on them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from geometry import read_bundled
from geometry.export.affine import affine_map
from geometry.scale import (
    Engine,
    VectorData,
    encode_shards,
    find_neighbours,
    fit_data,
    measure_data,
    project_data,
    transform_data,
)
from geometry.scale.manifest import Column, RunFolder
from geometry.scale.vectors import writing_shard

D = 12
SHARDS = 24  # shards of the vectors on which every verb is tested
VERBS = ("encode", "fit", "transform", "measure", "project", "neighbours")


def cloud(n: int, d: int = D, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n, d)) * np.linspace(2, 0.2, d) + 3).astype(np.float32)


def write_files(folder: Path, parts: list[np.ndarray], **columns: list) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    start = 0
    for i, X in enumerate(parts):
        ids = np.arange(start, start + len(X))
        table = {"id": ids, "v": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])}
        table |= {name: values[start : start + len(X)] for name, values in columns.items()}
        pq.write_table(pa.table(table), folder / f"{i:03d}.parquet")
        start += len(X)
    return folder


def write_run(folder: Path, parts: list[np.ndarray], column: str = "v") -> Path:
    columns = [Column(column, parts[0].shape[1], "float32", {})]
    run = RunFolder(str(folder), "encode", {}, columns, [f"source {i}" for i in range(len(parts))])
    start = 0
    with run.held():
        for part, X in zip(run.parts, parts, strict=True):
            with writing_shard(run.address, part.name, columns, {}) as writer:
                writer.write(np.arange(start, start + len(X)), [X], {})
            start += len(X)
        run.save([])
    return folder


def write_texts(folder: Path, shards: int, rows: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    corpus = read_bundled("topics")
    for i in range(shards):
        lines = [
            json.dumps({"text": corpus.texts[row], "topic": corpus.labels[row]})
            for row in range(i * rows, (i + 1) * rows)
        ]
        (folder / f"texts-{i:03d}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "shards").iterdir())}


def split(X: np.ndarray, *sizes: int) -> list[np.ndarray]:
    return np.split(X, np.cumsum(sizes))


def run_verb(verb: str, engine: Engine, folder: Path, sources: Mapping[str, str]) -> Any:
    """Run a verb; returns values that can be compared."""
    out = str(folder / verb)
    if verb == "encode":
        encode_shards(engine, [sources["texts"]], out, layers=(1,))
        return content(Path(out))
    data = VectorData(sources["files"])  # without a manifest no sum is stored
    if verb == "fit":
        return fit_data(engine, data).matrix.tobytes()
    if verb == "transform":
        fitted = affine_map(fit_data(Engine(), VectorData(sources["run"])))
        transform_data(engine, data, fitted, out)
        return content(Path(out))
    if verb == "measure":
        return measure_data(engine, data, sample=300)
    if verb == "project":
        project_data(engine, data, out)
        return content(Path(out))
    find_neighbours(engine, data, VectorData(sources["queries"]), out, k=5)
    return pq.read_table(out).to_pydict()
