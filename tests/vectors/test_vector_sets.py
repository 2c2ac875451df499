"""Sets of vectors from real files of every format, and every refusal with its sentence."""

import gzip
import json
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from safetensors.numpy import save

from geometry.data.limits import LIMITS
from geometry.errors import GeometryError
from geometry.measure import mean_cosine
from geometry.vectors import preview_vector_set, read_vector_set
from tests.for_each import for_each
from tests.vector_files import WRITERS, arrow_of, csv_of, jsonl_of, npy, npz, parquet_of

N, D = 40, 6
X = np.random.default_rng(0).standard_normal((N, D)).astype(np.float32)
TEXTS = tuple(f"text {i}, a" for i in range(N))
LABELS = tuple("ab"[i % 2] for i in range(N))
BOTH = {"text": list(TEXTS), "label": [f"{each} " for each in LABELS]}
DIMENSIONS = {f"dim_{i}": X[:, i] for i in range(D)}


def projector(array):
    return "".join("\t".join(map(repr, row)) + "\n" for row in array.tolist()).encode()


def of_format(kind):
    return pa.array(list(X), kind)


WITH_LISTS = {**BOTH, "e": X.tolist()}
OF_FLOATS, OF_DOUBLES = pa.list_(pa.float32()), pa.large_list(pa.float64())
RECORDS = [{"text": t, "label": b} for t, b in zip(TEXTS, LABELS, strict=True)]
RECORDS_OF_LISTS = [r | {"vector": x} for r, x in zip(RECORDS, X.tolist(), strict=True)]
KEYS = [dict(zip(DIMENSIONS, x, strict=True)) for x in X.tolist()]
ARRAYS = {"X": np.asfortranarray(X), "text": np.array(TEXTS), "label": np.array(LABELS)}
LINES = {"embeddings": X, "text": np.frombuffer("\n".join(TEXTS).encode(), np.uint8)}
FILES = {  # with texts and labels: (name, content)
    "npz": ("a.npz", npz(True, **ARRAYS | {"X": X})),
    "npz, stored": ("a.npz", npz(**ARRAYS)),
    "parquet, lists": ("a.parquet", parquet_of(BOTH | {"e": of_format(OF_FLOATS)})),
    "parquet, large lists": ("a.parquet", parquet_of(BOTH | {"e": of_format(OF_DOUBLES)})),
    "parquet, fixed": (
        "a.parquet",
        parquet_of(BOTH | {"e": of_format(pa.list_(pa.float32(), D))}, row_group_size=7),
    ),
    "arrow": ("a.arrow", arrow_of(WITH_LISTS)),
    "arrow, stream": ("a.arrow.gz", gzip.compress(arrow_of(WITH_LISTS, stream=True))),
    "arrow, zstd": ("a.feather", arrow_of(BOTH | DIMENSIONS, compression="zstd")),
    "parquet, columns": ("a.parquet", parquet_of({**BOTH, **DIMENSIONS, "id": list(range(N))})),
    "jsonl": ("a.jsonl", jsonl_of(RECORDS_OF_LISTS)),
    "jsonl, keys": ("a.jsonl", jsonl_of(r | x for r, x in zip(RECORDS, KEYS, strict=True))),
    "safetensors": ("a.safetensors", save(LINES, {"label": json.dumps(LABELS)})),
    "csv": ("a.csv", csv_of({**BOTH, **DIMENSIONS})),
    "csv, semicolons": ("a.csv", csv_of({**DIMENSIONS, **BOTH}, sep=";")),
    "csv, lists": ("a.csv", csv_of(WITH_LISTS)),
    "csv, gzip": ("a.csv.gz", gzip.compress(csv_of({**BOTH, **DIMENSIONS}))),
    "csv, UTF-16": ("a.csv", csv_of({**BOTH, **DIMENSIONS}).decode().encode("utf-16")),
    "tsv": ("a.tsv", csv_of({**BOTH, **DIMENSIONS}, sep="\t")),
}  # fmt: skip


@for_each("case", FILES)
def test_vectors_texts_and_labels_of_each_format(case):
    name, content = FILES[case]
    found = read_vector_set(content, name=name, text_column="text", label_column="label")
    np.testing.assert_allclose(found.vectors, X, rtol=1e-6)
    assert found.vectors.dtype == np.float32
    assert found.texts == TEXTS
    assert found.labels == LABELS
    assert (found.name, found.label_column) == ("a", "label")
    assert (found.report.n_rows, found.report.n_sampled) == (N, None)
    preview = preview_vector_set(content, 3, name=name)
    np.testing.assert_allclose(preview.vectors, X[:3], rtol=1e-6)
    assert (preview.suggested_text_column, preview.suggested_label_column) == ("text", "label")
    assert [row[preview.columns.index("text")] for row in preview.rows] == list(TEXTS[:3])


BFLOAT = {"dtype": "BF16", "shape": [N, D], "data_offsets": [0, 2 * N * D]}
BFLOAT_HEAD = json.dumps({"e": BFLOAT}).encode()
BFLOAT_FILE = len(BFLOAT_HEAD).to_bytes(8, "little") + BFLOAT_HEAD
BFLOAT_FILE += (X.view(np.uint32) >> 16).astype("<u2").tobytes()
ALONE = {
    "npy": ("a.npy", npy(X)),
    "npy, columns first": ("a.npy", npy(np.asfortranarray(X.astype(np.float64)))),
    "npy, half": ("a.npy", npy(X.astype(np.float16))),
    "npy, big-endian": ("a.npy", npy(X.astype(">f8"))),
    "npy, long": ("a.npy", npy(X.astype(np.longdouble))),
    "npy, gzip": ("a.npy.gz", gzip.compress(npy(X))),
    "csv, no header": ("a.csv", csv_of(DIMENSIONS, header=False)),
    "csv, counted header": ("a.csv", pd.DataFrame(X).to_csv().encode()),
    "tsv": ("vectors.tsv", projector(X)),
    "spaces": ("a.txt", projector(X).replace(b"\t", b" ")),
    "bfloat16": ("a.safetensors", BFLOAT_FILE),
}  # fmt: skip


IDS = tuple(f"D-{i}" for i in range(N))
WITH_IDS = {  # a column of ids beside the vectors
    "npz": ("a.npz", npz(embeddings=X, _id=np.array(IDS))),
    "parquet": ("a.parquet", parquet_of({"_id": list(IDS), "embedding": X.tolist()})),
    "csv": ("a.csv", csv_of({"_id": list(IDS), **DIMENSIONS})),
    "jsonl": ("a.jsonl", jsonl_of({"_id": f"D-{i}", "vec": x} for i, x in enumerate(X.tolist()))),
    "safetensors": ("a.safetensors", save({"vec": X}, metadata={"_id": "\n".join(IDS)})),
}


@for_each("case", WITH_IDS)
def test_ids_are_read_on_request(case):
    name, content = WITH_IDS[case]
    assert preview_vector_set(content, name=name).suggested_id_column == "_id"
    assert read_vector_set(content, name=name).ids is None
    found = read_vector_set(content, name=name, id_column="_id", sample=10)
    assert found.ids == tuple(f"D-{number - 1}" for number in found.numbers)


def test_ids_of_metadata():
    metadata = "_id\ttopic\n" + "".join(f"{each}\tx\n" for each in IDS)
    options = {"metadata": metadata.encode(), "metadata_name": "m.tsv", "name": "a.npy"}
    found = read_vector_set(npy(X), id_column="_id", **options)
    assert found.ids == IDS
    with pytest.raises(GeometryError, match="no column `other`"):
        read_vector_set(npy(X), id_column="other", **options)


@for_each("case", ALONE)
def test_vectors_alone(case):
    name, content = ALONE[case]
    found = read_vector_set(content, name=name)
    np.testing.assert_allclose(found.vectors, X, rtol=0 if case == "npy" else 0.01, atol=1e-3)
    assert found.vectors.shape == (N, D)
    assert found.texts is None
    assert found.labels is None


@for_each("writer", WRITERS)
def test_word_vectors_have_their_words_as_texts(writer):
    words = ["the", "of", ",", "1990"]
    found = read_vector_set(WRITERS[writer](words, X[:4]), name="a")
    np.testing.assert_array_equal(found.vectors, X[:4])
    if writer != "npz, other names":  # whose array of words has no known name
        assert found.texts == tuple(words)


@for_each(
    ("name", "metadata", "texts", "labels"),
    [
        ("m.tsv", "word\ttag\n" + "".join(f"w{i}\t{i % 3}\n" for i in range(N)), "word", "tag"),
        ("m.csv", "tag,word\n" + "".join(f'{i % 3},"w{i}"\n' for i in range(N)), "word", "tag"),
        ("m.csv", "tag;word\n" + "".join(f"{i % 3};w{i}\n" for i in range(N)), "word", "tag"),
        ("m.csv", "".join(f'{{"{i % 3};,w{i}\n' for i in range(N)), "column 2", None),
        ("m.tsv", "".join(f"w{i}\n" for i in range(N)), None, None),
    ],
)
@for_each("vectors", ["tsv", "npy"])
def test_metadata_of_the_embedding_projector(vectors, name, metadata, texts, labels):
    file, content = ALONE[vectors]
    given = {"metadata": metadata.encode(), "metadata_name": name, "name": file}
    found = read_vector_set(content, text_column=texts, label_column=labels, **given)
    assert found.texts == tuple(f"w{i}" for i in range(N))
    assert found.labels == (labels and tuple(str(i % 3) for i in range(N)))
    assert preview_vector_set(content, 2, **given).rows[1][-1 if name == "m.csv" else 0] == "w1"


def test_rows_with_nan_stop_or_are_dropped_by_number():
    bad, metadata = X.copy(), "\n".join(TEXTS).encode()
    bad[[2, 30], 1] = np.nan, np.inf
    bad[4] = 0
    with pytest.raises(GeometryError, match="missing number: 2, the first of them `3`, `31`"):
        read_vector_set(npy(bad))
    found = read_vector_set(npy(bad), metadata=metadata, not_finite="drop")
    np.testing.assert_array_equal(found.vectors, np.delete(bad, [2, 30], axis=0))
    assert found.texts[2] == TEXTS[3]
    assert found.numbers.tolist() == [row for row in range(1, N + 1) if row not in (3, 31)]
    assert read_vector_set(npy(X)).numbers is None
    report = found.report
    assert (report.n_dropped, report.dropped) == (2, (3, 31))
    assert (report.n_zero, report.zero) == (1, (5,))
    with pytest.raises(GeometryError, match="missing number: 1, the first of them `1`"):
        read_vector_set(csv_of({**DIMENSIONS, "dim_2": [None, *X[1:, 2]]}), name="a.csv")


def test_rows_of_words_are_numbered_as_in_the_file_also_beside_metadata():
    """Repeated words stay; without the rows with NaN, others keep their numbers in the file."""
    content = b"6 2\na 1 2\nb nan 1\nc 3 1\na 9 9\n\ne 0 2\nf 2 2\n"  # a header and a blank line
    with pytest.raises(GeometryError, match="missing number: 1, the first of them `2`"):
        read_vector_set(content)
    found = read_vector_set(content, not_finite="drop", metadata=b"A\nB\nC\nAgain\nE\nF\n")
    assert found.numbers.tolist() == [1, 3, 4, 5, 6]
    assert found.texts == ("A", "C", "Again", "E", "F")
    assert (found.report.n_rows, found.report.n_dropped) == (6, 1)
    with pytest.raises(GeometryError, match="has 4 rows and the file has 6 vectors"):
        read_vector_set(content, not_finite="drop", metadata=b"A\nC\nE\nF\n")


# formats with a known and an unknown number of rows
@for_each("case", ["parquet, fixed", "csv"])
@for_each("n", [15, 35])  # 35 is most of the rows
def test_a_sample_is_seeded_and_the_numbers_of_all_are_exact(case, n):
    name, content = FILES[case]
    given = {"name": name, "text_column": "text", "sample": n}
    found = read_vector_set(content, seed=3, **given)
    rows = [TEXTS.index(text) for text in found.texts]
    assert len(set(rows)) == len(rows) == n
    assert rows == sorted(rows)
    assert found.numbers.tolist() == [row + 1 for row in rows]
    np.testing.assert_allclose(found.vectors, X[rows], rtol=1e-6)
    assert found.sha256 == read_vector_set(content, seed=3, **given).sha256
    assert found.sha256 != read_vector_set(content, seed=4, **given).sha256
    report = found.report
    assert (report.n_rows, report.n_sampled, report.seed) == (N, n, 3)
    np.testing.assert_allclose(report.whole.mean, X.mean(0), rtol=1e-5)
    np.testing.assert_allclose(report.whole.covariance, np.cov(X.T, bias=True), rtol=1e-5)
    assert report.whole.mean_norm == pytest.approx(np.linalg.norm(X, axis=1).mean(), rel=1e-6)
    assert report.whole.mean_cosine == pytest.approx(mean_cosine(X), abs=1e-6)


def test_each_row_is_as_likely_to_be_sampled():
    """Each row is in a sample of 1/4 with that chance: for 40 rows over 800 seeds, z is below 4."""
    content = npy(np.arange(N, dtype=np.float32)[:, None] + 1)
    counts = np.zeros(N)
    for seed in range(800):
        counts[read_vector_set(content, sample=10, seed=seed).vectors[:, 0].astype(int) - 1] += 1
    assert (np.abs(counts - 200) < 4 * np.sqrt(800 * 0.25 * 0.75)).all()


SMALL = LIMITS.but(vectors=N - 1, dimensions=D)
OBJECTS = npy(np.array([[1.0, "a"]], dtype=object), allow_pickle=True)
OF_OBJECTS = npz(v=X, text=np.array(TEXTS, dtype=object))
ZEROS = npz(True, v=np.zeros((10**5, 6), np.float32))
CSV, DROP, TEXT = {"name": "a.csv"}, {"not_finite": "drop"}, {"text_column": "t"}
WIDE_CSV = csv_of(DIMENSIONS)
UTF16 = WIDE_CSV.decode().encode("utf-16")
LATE = b"t,a\n" + b"x,1\n" * 300_000 + b"\xff,2\n"
REFUSED = {  # the reason, and details that it has
    "objects": (OBJECTS, {}, "pickled_array", {}),
    "objects in npz": (npz(v=np.array([[1, "a"]], dtype=object)), {}, "pickled_array", {}),
    "objects as texts": (OF_OBJECTS, {"text_column": "text"}, "unreadable_column", {}),
    "a pickle": (pickle.dumps(X), {}, "pickle_file", {}),
    "three axes": (npy(np.zeros((2, 3, 4))), {}, "other_array", {"shape": "2 × 3 × 4"}),
    "complex": (npy(X.astype(np.complex64)), {}, "complex_array", {"dtype": "complex64"}),
    "true and false": (npy(X > 0), {}, "bool_array", {}),
    "no rows": (npy(X[:0]), {}, "other_array", {"shape": "0 × 6"}),
    "lists of texts": (parquet_of({"e": [["0.1", "0.2"]] * 3}), {}, "other_lists", {"column": "e"}),
    "text array": (npy(np.array([["a", "b"]])), {}, "other_array", {"dtype": "<U1"}),
    "cut npy": (npy(X)[:-9], {}, "damaged_file", {"kind": "NumPy array"}),
    "cut npz": (npz(v=X)[:-40], {}, "damaged_file", {"kind": "NumPy archive"}),
    "cut parquet": (FILES["parquet, lists"][1][:-9], {}, "damaged_file", {"kind": "Parquet table"}),
    "cut safetensors": (FILES["safetensors"][1][:-9], {}, "damaged_file", {}),
    "bomb": (ZEROS, {"limits": LIMITS.but(table_bytes=10**6)}, "unpacked_set", {"limit": 10**6}),
    "zip of texts": (b"PK\x05\x06" + bytes(18), {}, "no_arrays", {}),
    "no numbers": (b"a,b\nx,y\nz,w\n", CSV, "no_vector_column", {"columns": ("a", "b")}),
    "nothing": (b"", {}, "empty_file", {}),
    "empty columns": (b"a,b\n,\n,\n", CSV, "no_vector_column", {}),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(99), {}, "no_vector_set", {}),
    "ragged csv": (WIDE_CSV + b"1,2\n", CSV, "uneven_row", {"line": 42, "n": 2, "expected": 6}),
    "ragged tsv": (projector(X) + b"1.0\t2.0\n", {"name": "a.tsv"}, "uneven_row", {"line": 41}),
    "ragged jsonl": (jsonl_of([{"v": [1, 2]}] * 2 + [{"v": [1]}]), {}, "ragged_row", {"line": 3}),
    "ragged parquet": (parquet_of({"e": [[1.0, 2], [1, 2], [1]]}), {}, "ragged_vector", {"row": 3}),
    "no vector in jsonl": (jsonl_of([{"v": [1]}, {"t": 1}]), {}, "no_vector_in_line", {"line": 2}),
    "no vector in parquet": (parquet_of({"e": [[1.0], None]}), {}, "no_vector_in_row", {"row": 2}),
    "null first": (jsonl_of([{"v": None}, {"v": [1, 2]}]), {}, "no_vector_in_line", {"line": 1}),
    "deep json": (b'{"v": ' + b"[" * 10**5 + b"\n", {}, "bad_json", {"line": 1}),
    "nested json": (jsonl_of([{"v": [1, 2]}, {"v": [[1], 2]}]), {}, "bad_cell", {"field": "[1]"}),
    "bad cell": (WIDE_CSV + b"1,2,x,4,5,6\n", CSV, "bad_cell", {"line": 42, "column": "dim_2"}),
    "open quotes": (b'a,b\n1,2\n1,2\n1,"2\n', CSV, "bad_cell", {"line": 4, "field": '"2'}),
    "encoding": (WIDE_CSV + "é,1,2".encode("utf-16-le"), CSV, "unknown_binary", {}),
    "late encoding": (LATE, CSV, "uncertain_bytes", {"lines": (300_002,)}),
    "all NaN": (npy(X * np.nan), DROP, "none_finite", {"n": N}),
    "unknown column": (FILES["csv"][1], CSV | {"label_column": "tag"}, "unknown_column", {}),
    "no columns": (npy(X), {"label_column": "tag"}, "no_columns", {}),
    "empty column": (csv_of({**DIMENSIONS, "t": [None] * N}), CSV | TEXT, "empty_column", {}),
    "short column": (npz(v=X, text=np.array(TEXTS[:3])), {}, "column_length", {"n": 3}),
    "short metadata": (npy(X), {"metadata": b"a\nb\n"}, "metadata_rows", {"n": 2, "n_vectors": N}),
    "JSON metadata": (npy(X), {"metadata": jsonl_of(RECORDS)}, "json_metadata", {}),
    "ragged metadata": (npy(X), {"metadata": b"a\tb\na\n"}, "uneven_metadata", {"line": 2}),
    "UTF-16": (UTF16, CSV | {"limits": LIMITS.but(file_bytes=900)}, "wide_text", {"limit": 900}),
    "many rows": (npy(X), {"limits": SMALL}, "too_many_vectors", {"n": N, "limit": 39}),
    "many lines": (projector(X), {"name": "a.tsv", "limits": SMALL}, "more_vectors", {"limit": 39}),
    "wide": (npy(X), {"limits": LIMITS.but(dimensions=5)}, "too_many_dimensions", {"limit": 5}),
    "large": (npy(X), {"limits": LIMITS.but(table_bytes=900)}, "large_set", {"needed": 960}),
    "large file": (npy(X), {"limits": LIMITS.but(vector_file_bytes=900)}, "file_bytes_set", {}),
}  # fmt: skip


@for_each("case", REFUSED)
def test_refusals_have_a_reason(case):
    content, options, because, details = REFUSED[case]
    with pytest.raises(GeometryError) as caught:
        read_vector_set(content, **{"name": "a", **options})
    assert caught.value.because == because
    assert caught.value.details.items() >= details.items()


HALF = "a\\ud800b"  # half of a surrogate pair, as JSON writes it
HALVES = [
    f'{{"v": [1, 2], "text": "a"}}\n{{"v": [1, 3], "text": "{HALF}"}}\n'.encode(),
    npz(v=X[:2], text=np.array(["a", "\ud800"])),
    save({"v": X[:2]}, metadata={"text": f'["a", "{HALF}"]'}),
]


@for_each("content", HALVES)
@for_each("read", [read_vector_set, preview_vector_set])
def test_half_of_a_surrogate_pair_is_refused_at_its_line(content, read):
    with pytest.raises(GeometryError) as caught:
        read(content)
    assert (caught.value.code, caught.value.details["line"]) == ("half_character", 2)


def test_a_column_of_labels_alone_is_no_text():
    """Equal labels as equal texts would make all rows of a label copies of each other."""
    X = np.eye(4, dtype=np.float32)
    metadata = b"topic\nred\nblue\nred\nblue\n"
    found = read_vector_set(npy(X), metadata=metadata, label_column="topic")
    assert (found.labels, found.texts) == (("red", "blue", "red", "blue"), None)
    assert read_vector_set(npy(X), metadata=metadata).texts == ("red", "blue", "red", "blue")
    texts = read_vector_set(npy(X), metadata=b"a; b\n" * 4, metadata_name="m.csv").texts
    assert texts == ("a; b",) * 4
