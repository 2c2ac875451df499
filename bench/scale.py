"""Data sets of any size: workers against each other, against plain code, and by number of rows.

The synthetic data sets are hard links to one Parquet file, so that 10,000,000 rows need little
disk. Costs of a row are in seconds of processor time of one thread, which other work on the machine
hardly changes.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from threadpoolctl import threadpool_limits

from bench.child import peak_bytes
from bench.encode import sentences
from bench.table import Row
from bench.timing import seconds
from geometry import Whitening, load_encoder
from geometry.export.affine import AffineMap, affine_map
from geometry.scale import (
    Engine,
    VectorData,
    encode_shards,
    find_neighbours,
    fit_data,
    measure_data,
    open_engine,
    project_data,
    transform_data,
)
from geometry.scale.engine import ShardSum

D = 384
SHARD_ROWS = 100_000
TEXTS, TEXT_SHARDS = 20_000, 20
EMPTY_SHARDS = 400
GIGABYTE = 10**9


def main() -> list[Row]:
    return [
        *encoding(),
        *two_workers(),
        *against_plain(),
        *by_rows(),
        *overhead(),
        *costs(D),
        *costs(2 * D),
    ]


# ---- data sets ----


@contextmanager
def folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(dir=os.environ.get("NARROW_CONE_BENCH_DIR")))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def write_shard(path: Path, rows: int, d: int) -> None:
    """A cone of float32 rows, written as ``encode`` writes them.

    Parameters
    ----------
    path : Path
    rows : int
    d : int
        Dimensions.
    """
    rng = np.random.default_rng(0)
    kind = pa.list_(pa.field("item", pa.float32(), nullable=False), d)
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("v", kind, nullable=False),
        ]
    )
    with pq.ParquetWriter(
        path, schema, compression="none", use_dictionary=False, write_statistics=False
    ) as writer:
        for start in range(0, rows, 10_000):
            n = min(10_000, rows - start)
            X = rng.standard_normal((n, d), dtype=np.float32)
            X = X * np.geomspace(2, 0.05, d).astype(np.float32) + 0.3
            arrays = [
                np.arange(start, start + n),
                pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), type=kind),
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def data_set(place: Path, rows: int, d: int, *, shard_rows: int = SHARD_ROWS) -> VectorData:
    """A folder of hard links to one shard. Without manifest no sum is stored between two fits.

    Parameters
    ----------
    place : Path
        Folder of the shard and of the data set.
    rows : int
        Rows of the data set, rounded down to whole shards.
    d : int
        Dimensions.
    shard_rows : int
        Of the shard; cut to ``rows``.
    """
    shard_rows = min(rows, shard_rows)
    source = place / f"shard-{shard_rows}-{d}.parquet"
    if not source.exists():
        write_shard(source, shard_rows, d)
    files = place / f"data-{rows}-{d}"
    files.mkdir()
    for i in range(rows // shard_rows):
        (files / f"{i:05d}.parquet").hardlink_to(source)
    return VectorData(str(files))


def fit_and_transform(engine: Engine, data: VectorData, place: Path, **how: Any) -> None:
    """Fit a map, transform the vectors, and delete what was written.

    Parameters
    ----------
    engine : Engine
    data : VectorData
    place : Path
        Folder that the result is written into.
    **how
        Other arguments of ``fit_data``.
    """
    out = place / "out"
    transform_data(engine, data, affine_map(fit_data(engine, data, **how)), str(out))
    shutil.rmtree(out)


# ---- promises ----


def encoding() -> list[Row]:
    """20,000 texts by two workers of one thread, against one process of two threads."""
    texts = sentences(TEXTS)
    with folder() as place:
        each = TEXTS // TEXT_SHARDS
        for i in range(TEXT_SHARDS):
            lines = (json.dumps({"text": t}) + "\n" for t in texts[i * each : (i + 1) * each])
            (place / f"{i:03d}.jsonl").write_text("".join(lines))
        first = place / "first.txt"
        first.write_text("A sentence.\n" * 8)
        with open_engine(workers=2) as engine:
            for i in range(4):  # so that every worker has loaded the model
                encode_shards(engine, [str(first)] * 1, str(place / f"warm{i}"), layers=(4,))
            ours = seconds(
                lambda: encode_shards(
                    engine, [str(place / "*.jsonl")], str(place / "run"), layers=(4,)
                )
            )
        size = VectorData(str(place / "run"))
        encoder = load_encoder(device="cpu")
        torch.set_num_threads(2)
        encoder.encode(texts[:64], layer=4)
        peer = seconds(lambda: encoder.encode(texts, layer=4))
        on_disk = sum(shard.size for shard in size.shards) / TEXTS
    return [
        Row(
            name=f"encode {TEXTS:,} texts with 2 workers of one thread (peer: one process of two)",
            ours=ours,
            peer=peer,
            ratio=peer / ours,
            target="0.9 ×",
            met=peer / ours >= 0.9,
            note=f"{on_disk:,.0f} bytes a row on disk, with its text",
        )
    ]


def two_workers(rows: int = 2_000_000) -> list[Row]:
    """fit and transform with two workers, against one."""
    with folder() as place:
        data = data_set(place, rows, D, shard_rows=50_000)
        first = _part(place, data)
        taken: dict[int, float] = {}
        for workers in (1, 2) * 3:  # in turns, so that a slow moment affects both
            with open_engine(workers=workers) as engine:
                fit_and_transform(engine, first, place)  # this loads the libraries
                time = seconds(lambda engine=engine: fit_and_transform(engine, data, place))  # type: ignore[misc]
                taken[workers] = min(time, taken.get(workers, time))
    ratio = taken[1] / taken[2]
    return [
        Row(
            name=f"fit and transform {rows:,} x {D} from Parquet with 2 workers (peer: 1 worker)",
            ours=taken[2],
            peer=taken[1],
            ratio=ratio,
            target="1.7 ×",
            met=ratio >= 1.7,
        )
    ]


def against_plain(rows: int = 1_000_000) -> list[Row]:
    """fit with one worker, against partial_fit over the same files."""
    with folder() as place, threadpool_limits(1):
        data = data_set(place, rows, D)

        def plain() -> None:
            whitening = Whitening("zca")
            for shard in data.shards:
                file = pq.ParquetFile(shard.address)
                for batch in file.iter_batches(2**15, columns=["v"], use_threads=False):
                    flat = batch.column(0).flatten().to_numpy()
                    whitening.partial_fit(flat.reshape(-1, D))
            _ = whitening.map_.matrix

        with open_engine(workers=1) as engine:
            fit_data(engine, VectorData(str(_first(place, data))))  # so that the worker has started
            pairs = [(seconds(lambda: fit_data(engine, data)), seconds(plain)) for _ in range(3)]
        ours, peer = (float(np.median(times)) for times in zip(*pairs, strict=True))
    return [
        Row(
            name=f"fit {rows:,} x {D} from Parquet with 1 worker (peer: plain partial_fit)",
            ours=ours,
            peer=peer,
            ratio=peer / ours,
            target="0.85 ×",
            met=peer / ours >= 0.85,
        )
    ]


def _first(place: Path, data: VectorData) -> Path:
    single = place / "one"
    single.mkdir()
    (single / "a.parquet").hardlink_to(data.shards[0].address)
    return single


def by_rows(sizes: tuple[int, ...] = (10**5, 10**6, 10**7)) -> list[Row]:
    """Memory of a worker and time of a row, fit and transform to 32 directions, one worker.

    With two workers the smallest set has one shard for each, and lasts as long as the slower one.
    The time of the smaller data sets is a median of five.
    """
    memory, time = {}, {}
    with folder() as place:
        for rows in sizes:
            data = data_set(place, rows, D, shard_rows=50_000)
            with open_engine(workers=1) as engine:
                # this loads the libraries
                fit_and_transform(engine, _part(place, data), place, method="pca", n_components=32)
                work = partial(
                    fit_and_transform, engine, data, place, method="pca", n_components=32
                )
                repeats = 5 if rows < sizes[-1] else 1
                time[rows] = median(seconds(work) for _ in range(repeats))
                memory[rows] = max(engine.client.run(peak_bytes).values())  # type: ignore[attr-defined]
    most = max(memory.values())
    flat = max(memory.values()) / min(memory.values()) if memory else 1.0
    row = {rows: time[rows] / rows for rows in sizes}
    slowest, fastest = max(row.values()), min(row.values())
    listed = ", ".join(f"{rows:.0e}: {memory[rows] / 1e6:,.0f} MB" for rows in sizes)
    times = ", ".join(f"{rows:.0e}: {1e6 * row[rows]:.2f} µs" for rows in sizes)
    return [
        Row(
            name="memory of the one worker, 10⁵ to 10⁷ rows (fit, transform to 32 directions)",
            ours=most / GIGABYTE,
            unit="GB",
            target="flat, under 1 GB",
            met=most < GIGABYTE and flat < 1.25,
            note=listed,
        ),
        Row(
            name="the slowest time of a row against the fastest, 10⁵ to 10⁷ rows, one worker",
            ours=slowest / fastest,
            unit="×",
            target="1.1 × or less",
            met=slowest / fastest <= 1.1,
            note=times,
        ),
    ]


def _part(place: Path, data: VectorData) -> VectorData:
    part = place / f"part-{data.n_rows}"
    part.mkdir()
    for i in range(2):
        (part / f"{i}.parquet").hardlink_to(data.shards[0].address)
    return VectorData(str(part))


def overhead() -> list[Row]:
    """Seconds of a shard of one row, with its file, its log and its part of the manifest."""
    with folder() as place:
        data = data_set(place, EMPTY_SHARDS, 4, shard_rows=1)
        fitted = AffineMap(np.zeros(4), np.eye(4))
        with open_engine(workers=2) as engine:
            transform_data(engine, data, fitted, str(place / "first"))
            written = seconds(lambda: transform_data(engine, data, fitted, str(place / "out")))
            # so that the workers have imported this file
            engine.total(_nothing, list(data.shards))
            summed = seconds(lambda: engine.total(_nothing, list(data.shards)))
    return [
        Row(
            name="overhead of a shard: one row transformed, written and logged, 2 workers",
            ours=1000 * written / EMPTY_SHARDS,
            unit="ms",
            target="20 ms or less",
            met=written / EMPTY_SHARDS <= 0.02,
        ),
        Row(
            name="overhead of a shard: empty work, merged in the tree, 2 workers",
            ours=1000 * summed / EMPTY_SHARDS,
            unit="ms",
            target="20 ms or less",
            met=summed / EMPTY_SHARDS <= 0.02,
        ),
    ]


def _nothing(task: Any) -> ShardSum:
    return ShardSum(None, 1)


# ---- what a row costs ----


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of this process while it works."""
    start = process_time()
    work()
    return process_time() - start


def costs(d: int, rows: int = 100_000) -> list[Row]:
    """Microseconds of one core a row, verb by verb, and the encoder's."""
    found: dict[str, float] = {}
    with folder() as place, threadpool_limits(1):
        data, engine = data_set(place, rows, d, shard_rows=50_000), Engine()
        queries = data_set(place, 1000, d, shard_rows=1000)

        def time(name: str, work: Callable[[], object], per: int = rows) -> None:
            found[name] = 1e6 * processor_seconds(work) / per

        fitted = affine_map(fit_data(engine, data))
        time("fit", lambda: fit_data(engine, data))
        time("transform", lambda: transform_data(engine, data, fitted, str(place / "t")))
        time("measure", lambda: measure_data(engine, data, sample=40))
        time("project", lambda: project_data(engine, data, str(place / "p")))
        near = str(place / "near.parquet")
        time("neighbours, 1,000 queries", lambda: find_neighbours(engine, data, queries, near))
        bytes_row = sum(s.size for s in VectorData(str(place / "t")).shards) / rows
        small = data_set(place, 10_000, d, shard_rows=10_000)
        time(
            "neighbours, index",
            lambda: find_neighbours(engine, small, queries, near, approximate=True),
            10_000,
        )
        index = sum(f.stat().st_size for f in place.glob("near.parquet.index/index/*"))
        assert index, "there is no index"
    rows_of = [
        Row(name=f"{verb}, d = {d}: a core", ours=value, unit="µs a row")
        for verb, value in found.items()
    ]
    return [
        *rows_of,
        Row(name=f"vectors on disk, d = {d}, float32", ours=bytes_row, unit="bytes a row"),
        Row(name=f"index on disk, d = {d}", ours=index / 10_000, unit="bytes a row"),
        *encode_costs(d),
    ]


def encode_costs(d: int, n: int = 2_000) -> list[Row]:
    """Seconds of one core a text: one layer and all, of the bundled model or BERT base."""
    texts = sentences(n if d == D else n // 10)
    rows = []
    with folder() as place, threadpool_limits(1):
        torch.set_num_threads(1)
        shard = place / "a.jsonl"
        shard.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        model = "bundled" if d == D else str(bert_base(place / "bert"))
        name = "all-MiniLM-L6-v2" if d == D else "BERT base"
        everything = tuple(range(load_encoder(model).n_layers + 1))
        encode_shards(Engine(), [str(shard)], str(place / "warm"), layers=(0,), model=model)
        for layers in ((4,), everything):
            out = str(place / f"run{len(layers)}")
            time = processor_seconds(
                partial(encode_shards, Engine(), [str(shard)], out, layers=layers, model=model)
            )
            size = VectorData(out).shards[0].size
            rows.append(
                Row(
                    name=f"encode, {len(layers)} of {len(everything)} layers, {name}: a core",
                    ours=1e6 * time / len(texts),
                    unit="µs a row",
                    note=f"{size / len(texts):,.0f} bytes a row on disk",
                )
            )
    return rows


def bert_base(place: Path) -> Path:
    """A folder with a BERT of 12 layers of 768, with random numbers: its time is that of BERT."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    from geometry.hub.bundled import bundled_folder

    tokenizer = AutoTokenizer.from_pretrained(bundled_folder())
    tokenizer.save_pretrained(place)
    BertModel(BertConfig(vocab_size=len(tokenizer))).save_pretrained(place)
    return place
