"""Time and memory of a sample of a 1 GB Parquet file of vectors, with exact numbers of all rows."""

import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.child import peak_bytes, printed_by
from bench.table import Row

N, D, PART, SAMPLE = 650_000, 384, 50_000, 20_000
LIMIT = 1.5  # GB


def main() -> list[Row]:
    """The peer reads the whole file with pyarrow, and computes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.parquet"
        printed_by("bench.large_vectors", "write", path)
        ours, peer, diagnosed = (
            [float(word) for word in printed_by("bench.large_vectors", what, path)]
            for what in ("sample", "whole", "diagnosed")
        )
        size = path.stat().st_size / 1e9
    name = f"{size:.2f} GB of Parquet, {N:,} × {D}: {SAMPLE:,} rows, exact numbers of all"
    return [
        Row(
            name=f"peak memory: {name}",
            ours=ours[0],
            peer=peer[0],
            ratio=peer[0] / ours[0],
            unit="GB",
            target=f"{LIMIT:g} GB or less",
            met=ours[0] <= LIMIT,
        ),
        Row(name=name, ours=ours[1], peer=peer[1], ratio=peer[1] / ours[1]),
        Row(
            name=f"peak memory: python -m geometry diagnose, the same file ({diagnosed[1]:.0f} s)",
            ours=diagnosed[0],
            unit="GB",
            target=f"{LIMIT:g} GB or less",
            met=diagnosed[0] <= LIMIT,
        ),
    ]


def write(path: str) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    random = np.random.default_rng(0)
    schema = pa.schema([("text", pa.string()), ("embedding", pa.list_(pa.float32()))])
    offsets = np.arange(0, PART * D + 1, D, dtype=np.int32)
    with parquet.ParquetWriter(path, schema, compression="none") as file:
        for start in range(0, N, PART):
            values = random.standard_normal(PART * D, dtype=np.float32) + 1
            texts = [f"row {row}" for row in range(start, start + PART)]
            columns = [texts, pa.ListArray.from_arrays(offsets, values)]
            file.write_table(pa.table(columns, schema=schema))


def sample(path: str) -> None:
    from geometry.data.limits import OWN_FILES
    from geometry.vectors import read_vector_set

    began = perf_counter()
    found = read_vector_set(path, sample=SAMPLE, limits=OWN_FILES)
    assert found.report is not None
    assert found.report.whole is not None
    assert found.report.whole.n_rows == N
    print(peak_bytes() / 1e9, perf_counter() - began)


def diagnosed(path: str) -> None:
    from contextlib import redirect_stdout
    from io import StringIO

    from geometry.commands import run_shell

    began = perf_counter()
    with redirect_stdout(StringIO()):
        assert run_shell(["diagnose", path, "--out", f"{path}.html", "--quiet"]) == 0
    print(peak_bytes() / 1e9, perf_counter() - began)


def whole(path: str) -> None:
    from pyarrow import parquet

    began = perf_counter()
    table = parquet.read_table(path)
    assert table.num_rows == N
    print(peak_bytes() / 1e9, perf_counter() - began)


if __name__ == "__main__":
    commands = {"write": write, "sample": sample, "whole": whole, "diagnosed": diagnosed}
    commands[sys.argv[1]](sys.argv[2])
