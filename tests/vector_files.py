"""Small files of every form that is read, and writers of word vectors, for tests."""

import gzip
import io
import json
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet
from safetensors.numpy import save


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(compress=False, **arrays):
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **arrays)
    return buffer.getvalue()


def parquet_of(columns, **options):
    buffer = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    parquet.write_table(table, buffer, **options)
    return buffer.getvalue()


def arrow_of(columns, *, stream=False, **options):
    """Uncompressed it is a file of Feather, too."""
    buffer = io.BytesIO()
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    new = ipc.new_stream if stream else ipc.new_file
    with new(buffer, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=7)
    return buffer.getvalue()


def hdf5_of(**datasets):
    """A name with two underscores is of a group."""
    h5py = pytest.importorskip("h5py")
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", track_times=False) as file:
        for name, each in datasets.items():
            file[name.replace("__", "/")] = each
    return buffer.getvalue()


def vecs_of(rows):
    counts = np.full((len(rows), 1), rows.shape[1], "<i4").view(np.uint8)
    return np.hstack([counts, np.ascontiguousarray(rows).view(np.uint8)]).tobytes()


def csv_of(columns, **options):
    return pd.DataFrame(columns).to_csv(index=False, **options).encode()


def jsonl_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def zip_of(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def workbook_of(rows, **sheets):
    """A workbook of the rows, and of further sheets by their names."""
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for name, others in sheets.items():
        sheet = book.create_sheet(name)
        for row in others:
            sheet.append(row)
    book.save(buffer)
    return buffer.getvalue()


def as_text(words, vectors, *, header=False, end="\n", delimiter=" ", trailing=""):
    """GloVe's text format, or word2vec's and fastText's with a header; 9 digits restore float32."""
    lines = [f"{len(words)} {vectors.shape[1]}"] if header else []
    for word, row in zip(words, vectors.tolist(), strict=True):
        lines.append(delimiter.join([word, *(f"{value:.9g}" for value in row)]) + trailing)
    return (end.join(lines) + end).encode()


def as_binary(words, vectors, *, newlines=True):
    end = b"\n" if newlines else b""
    rows = (
        word.encode() + b" " + row.astype("<f4").tobytes() + end
        for word, row in zip(words, vectors, strict=True)
    )
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


def as_npz(words, vectors, names=("words", "vec")):
    return npz(**{names[0]: np.array(words, dtype=str), names[1]: vectors})


def as_safetensors(words, vectors, where="tensor"):
    text = "\n".join(words)
    tensors = {"vectors": vectors}
    if where == "tensor":
        tensors["words"] = np.frombuffer(text.encode(), dtype=np.uint8)
    metadata = {"json": {"words": json.dumps(words)}, "lines": {"words": text}}.get(where)
    return save(tensors, metadata=metadata)


WRITERS = {
    "glove": as_text,
    "header": lambda words, vectors: as_text(words, vectors, header=True),
    "fasttext": lambda words, vectors: as_text(words, vectors, header=True, trailing=" "),
    "tabs": lambda words, vectors: as_text(words, vectors, delimiter="\t"),
    "windows": lambda words, vectors: as_text(words, vectors, header=True, end="\r\n"),
    "binary": as_binary,
    "binary, no newlines": lambda words, vectors: as_binary(words, vectors, newlines=False),
    "npz": as_npz,
    "npz, other names": lambda words, vectors: as_npz(words, vectors, ("a", "b")),
    "safetensors": as_safetensors,
    "safetensors, json": lambda words, vectors: as_safetensors(words, vectors, "json"),
    "safetensors, lines": lambda words, vectors: as_safetensors(words, vectors, "lines"),
    "gzip": lambda words, vectors: gzip.compress(as_text(words, vectors)),
}
