"""Vectors as npy, Parquet and Embedding Projector files, read by each format's library."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from geometry.data.errors import OutputError
from geometry.export import npy_bytes, parquet_bytes, projector_files, write_vectors

X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
TEXTS = ("plain", "a\ttab and\na line", "=1+1", "雨")
LABELS = ("a", "b", "", "a")


def test_npy_is_read_without_pickle_and_parquet_has_texts_labels_and_lists():
    read = np.load(io.BytesIO(npy_bytes(X.astype(np.float64))), allow_pickle=False)
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read, X)
    read = pd.read_parquet(io.BytesIO(parquet_bytes(X, texts=TEXTS, labels=LABELS)))
    assert list(read.columns) == ["text", "label", "vector"]
    assert tuple(read["text"]) == TEXTS
    assert tuple(read["label"]) == LABELS
    np.testing.assert_array_equal(np.stack(read["vector"]), X)
    assert list(pd.read_parquet(io.BytesIO(parquet_bytes(X))).columns) == ["vector"]


def test_the_projector_s_files_have_a_row_a_vector():
    files = projector_files(X, texts=TEXTS, labels=LABELS)
    np.testing.assert_array_equal(
        np.loadtxt(io.BytesIO(files["vectors.tsv"]), delimiter="\t", dtype=np.float32), X
    )
    text = files["metadata.tsv"].decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows == [
        ["text", "label"],
        ["plain", "a"],
        ["a tab and a line", "b"],
        ["'=1+1", ""],
        ["雨", "a"],
    ]
    # one column has no header, which is the Projector's rule
    assert projector_files(X, labels=LABELS)["metadata.tsv"].decode().splitlines() == list(LABELS)
    assert list(projector_files(X)) == ["vectors.tsv"]


def test_the_name_decides_the_form_and_a_folder_in_use_is_refused(tmp_path):
    for name in ("a.npy", "a.parquet", "folder"):
        write_vectors(tmp_path / name, X, texts=TEXTS)
    assert (tmp_path / "folder" / "metadata.tsv").is_file()
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), X)
    with pytest.raises(OutputError, match="not empty"):
        write_vectors(tmp_path / "folder", X)
    with pytest.raises(ValueError, match="1 texts for 4 vectors"):
        write_vectors(tmp_path / "b.parquet", X, texts=["one"])
