"""Vectors, with what belongs to each row, as npy, parquet or files of the Embedding Projector."""

import io
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..data.csv_cells import csv_cell
from ..data.write import write

ENDINGS = (".npy", ".parquet")
VECTORS, METADATA = "vectors.tsv", "metadata.tsv"
_BREAKS = re.compile(r"[\t\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


def npy_bytes(vectors: np.ndarray) -> bytes:
    """The vectors (n, d) as float32; ``numpy.load`` reads them without pickle."""
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(vectors, dtype=np.float32), allow_pickle=False)
    return out.getvalue()


def parquet_bytes(
    vectors: np.ndarray, *, texts: Sequence[str] | None = None, labels: Sequence[str] | None = None
) -> bytes:
    """A table with the columns text and label, where they are given, and vector, a list.

    Parameters
    ----------
    vectors : (n, d) array
    texts : sequence of n str, optional
    labels : sequence of n str, optional
    """
    import pyarrow as pa
    from pyarrow import parquet

    given = _columns(vectors, texts, labels).items()
    columns = {name: pa.array(list(values), pa.string()) for name, values in given}
    values = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
    columns["vector"] = pa.FixedSizeListArray.from_arrays(values, vectors.shape[1])
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def projector_files(
    vectors: np.ndarray, *, texts: Sequence[str] | None = None, labels: Sequence[str] | None = None
) -> dict[str, bytes]:
    """vectors.tsv and metadata.tsv, as the Embedding Projector of TensorFlow loads them.

    The metadata have a header only where they have two columns, which is the Projector's rule;
    without texts and labels there are none. A line break or a tab in a text becomes a space. A text
    that a spreadsheet would take for a formula begins with an apostrophe.

    Parameters
    ----------
    vectors : (n, d) array
    texts : sequence of n str, optional
    labels : sequence of n str, optional
    """
    columns = _columns(vectors, texts, labels)
    out = io.StringIO()
    np.savetxt(out, np.asarray(vectors, dtype=np.float32), fmt="%.9g", delimiter="\t")
    files = {VECTORS: out.getvalue().encode()}
    if columns:
        rows = zip(*columns.values(), strict=True)
        lines = [[csv_cell(_BREAKS.sub(" ", each)) for each in row] for row in rows]
        if len(columns) > 1:
            lines.insert(0, list(columns))
        files[METADATA] = "".join("\t".join(line) + "\n" for line in lines).encode()
    return files


def write_vectors(
    path: str | os.PathLike[str],
    vectors: np.ndarray,
    *,
    texts: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    force: bool = True,
) -> None:
    """Write .npy, .parquet, or any other name as a folder of ``projector_files``.

    Texts and labels are not written to .npy, which is for numbers only.

    Parameters
    ----------
    path : str or path
    vectors : (n, d) array
    texts : sequence of n str, optional
    labels : sequence of n str, optional
    force : bool
        Replace a file that exists.
    """
    path = Path(path)
    content: bytes | Mapping[str, bytes]
    if path.suffix == ".npy":
        content = npy_bytes(vectors)
    elif path.suffix == ".parquet":
        content = parquet_bytes(vectors, texts=texts, labels=labels)
    else:
        content = projector_files(vectors, texts=texts, labels=labels)
    write(path, content, force=force)


def _columns(
    vectors: np.ndarray, texts: Sequence[str] | None, labels: Sequence[str] | None
) -> dict[str, Sequence[str]]:
    """The columns that are given, with a value for each vector."""
    named = (("text", texts), ("label", labels))
    columns = {name: values for name, values in named if values is not None}
    for name, values in columns.items():
        if len(values) != len(vectors):
            raise ValueError(f"{len(values)} {name}s for {len(vectors)} vectors")
    return columns
