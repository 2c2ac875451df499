"""Sets of vectors from real files of every format, and every refusal with its sentence."""

import gzip
import hashlib
import io
import json
import pickle
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from safetensors.numpy import save

from geometry.data.corpus import read_corpus
from geometry.data.embeddings import VectorSet
from geometry.data.limits import LIMITS
from geometry.data.recognise import Reading
from geometry.errors import GeometryError
from geometry.linalg.moments import Moments
from geometry.measure import mean_cosine
from geometry.vectors import preview_vector_set, read_vector_set, vector_blocks
from geometry.vectors.row_source import ChosenColumns, Hints
from geometry.vectors.set_tables import open_json, open_table
from tests.for_each import for_each
from tests.vector_files import WRITERS

N, D = 40, 6
X = np.random.default_rng(0).standard_normal((N, D)).astype(np.float32)
TEXTS = tuple(f"text {i}, a" for i in range(N))
LABELS = tuple("ab"[i % 2] for i in range(N))
BOTH = {"text": list(TEXTS), "label": list(LABELS)}
DIMENSIONS = {f"dim_{i}": X[:, i] for i in range(D)}


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def npz(compress=True, **arrays):
    buffer = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(buffer, **arrays)
    return buffer.getvalue()


def parquet_of(columns, **options):
    buffer = io.BytesIO()
    parquet.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def csv(columns, **options):
    return pd.DataFrame(columns).to_csv(index=False, **options).encode()


def jsonl(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def projector(array):
    return "".join("\t".join(map(repr, row)) + "\n" for row in array.tolist()).encode()


def of_format(kind):
    return pa.array(list(X), kind)


FILES = {  # with texts and labels: (name, content)
    "npz": ("a.npz", npz(embeddings=X, text=np.array(TEXTS), label=np.array(LABELS))),
    "npz, stored": (
        "a.npz",
        npz(False, X=np.asfortranarray(X), **{k: np.array(v) for k, v in BOTH.items()}),
    ),
    "parquet, lists": (
        "a.parquet",
        parquet_of({**BOTH, "embedding": of_format(pa.list_(pa.float32()))}),
    ),
    "parquet, large lists": (
        "a.parquet",
        parquet_of({**BOTH, "e": of_format(pa.large_list(pa.float64()))}),
    ),
    "parquet, fixed": (
        "a.parquet",
        parquet_of({**BOTH, "e": of_format(pa.list_(pa.float32(), D))}, row_group_size=7),
    ),
    "parquet, columns": ("a.parquet", parquet_of({**BOTH, **DIMENSIONS, "id": list(range(N))})),
    "jsonl": (
        "a.jsonl",
        jsonl(
            {"vector": x.tolist(), "text": t, "label": b}
            for x, t, b in zip(X, TEXTS, LABELS, strict=True)
        ),
    ),
    "jsonl, keys": (
        "a.jsonl",
        jsonl(
            {**dict(zip(DIMENSIONS, x.tolist(), strict=True)), "text": t, "label": b}
            for x, t, b in zip(X, TEXTS, LABELS, strict=True)
        ),
    ),
    "safetensors": (
        "a.safetensors",
        save(
            {"embeddings": X, "text": np.frombuffer("\n".join(TEXTS).encode(), np.uint8)},
            {"label": json.dumps(LABELS)},
        ),
    ),
    "csv": ("a.csv", csv({**BOTH, **DIMENSIONS})),
    "csv, semicolons": ("a.csv", csv({**DIMENSIONS, **BOTH}, sep=";")),
    "csv, lists": ("a.csv", csv({**BOTH, "embedding": [str(x.tolist()) for x in X]})),
    "csv, gzip": ("a.csv.gz", gzip.compress(csv({**BOTH, **DIMENSIONS}))),
    "csv, UTF-16": ("a.csv", csv({**BOTH, **DIMENSIONS}).decode().encode("utf-16")),
    "tsv": ("a.tsv", csv({**BOTH, **DIMENSIONS}, sep="\t")),
}


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


ALONE = {
    "npy": ("a.npy", npy(X)),
    "npy, columns first": ("a.npy", npy(np.asfortranarray(X.astype(np.float64)))),
    "npy, half": ("a.npy", npy(X.astype(np.float16))),
    "npy, gzip": ("a.npy.gz", gzip.compress(npy(X))),
    "csv, no header": ("a.csv", csv(DIMENSIONS, header=False)),
    "csv, counted header": ("a.csv", pd.DataFrame(X).to_csv().encode()),
    "tsv": ("vectors.tsv", projector(X)),
    "spaces": ("a.txt", "\n".join(" ".join(f"{v:.9e}" for v in x) for x in X.tolist()).encode()),
    "bfloat16": (
        "a.safetensors",
        (lambda head: len(head).to_bytes(8, "little") + head)(
            json.dumps(
                {"e": {"dtype": "BF16", "shape": [N, D], "data_offsets": [0, 2 * N * D]}}
            ).encode()
        )
        + (X.view(np.uint32) >> 16).astype("<u2").tobytes(),
    ),
}


IDS = tuple(f"D-{i}" for i in range(N))
WITH_IDS = {  # a column of ids beside the vectors
    "npz": ("a.npz", npz(embeddings=X, _id=np.array(IDS))),
    "parquet": (
        "a.parquet",
        parquet_of({"_id": list(IDS), "embedding": of_format(pa.list_(pa.float32()))}),
    ),
    "csv": ("a.csv", csv({"_id": list(IDS), **DIMENSIONS})),
    "jsonl": (
        "a.jsonl",
        jsonl([{"_id": i, "vec": x} for i, x in zip(IDS, X.tolist(), strict=True)]),
    ),
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
        read_vector_set(csv({**DIMENSIONS, "dim_2": [None, *X[1:, 2]]}), name="a.csv")
    with pytest.raises(GeometryError, match="2 words, the first of them `b`, `c`"):
        read_vector_set(b"a 1.5 2\nb nan 1\nc 1 inf\nd 2 2\n")
    assert read_vector_set(b"a 1.5 2\nb nan 1\nd 2 2\n", not_finite="drop").report.n_dropped == 1


def test_rows_of_words_are_numbered_as_in_the_file_also_beside_metadata():
    """Repeated words and rows with NaN are left out; other rows keep their numbers in the file."""
    content = b"6 2\na 1 2\nb nan 1\nc 3 1\na 9 9\n\ne 0 2\nf 2 2\n"  # a header and a blank line
    given = {"not_finite": "drop", "metadata": b"A\nB\nC\nAgain\nE\nF\n"}
    found = read_vector_set(content, **given)
    assert found.numbers.tolist() == [1, 3, 5, 6]
    assert found.texts == ("A", "C", "E", "F")
    assert (found.report.n_rows, found.report.n_dropped) == (6, 1)
    assert read_vector_set(b"a 1 2\nb 2 1\n").numbers is None
    with pytest.raises(GeometryError, match="has 4 rows and the file has 6 vectors"):
        read_vector_set(content, not_finite="drop", metadata=b"A\nC\nE\nF\n")


@for_each("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
def test_metadata_beside_a_table_in_any_encoding(encoding):
    content = "x,y\n1,2\n3,4\n5,6\n".encode(encoding)
    how = {"name": "a.csv", "encoding": None if encoding in ("utf-8", "utf-16") else encoding}
    found = read_vector_set(content, metadata=b"a\nb\nc\n", **how)
    assert found.texts == ("a", "b", "c")


# formats with a known and an unknown number of rows
@for_each("case", ["parquet, fixed", "csv"])
def test_a_sample_is_seeded_and_the_numbers_of_all_are_exact(case):
    name, content = FILES[case]
    given = {"name": name, "text_column": "text", "sample": 15}
    found = read_vector_set(content, seed=3, **given)
    rows = [TEXTS.index(text) for text in found.texts]
    assert len(set(rows)) == 15
    assert rows == sorted(rows)
    assert found.numbers.tolist() == [row + 1 for row in rows]
    np.testing.assert_allclose(found.vectors, X[rows], rtol=1e-6)
    assert found.sha256 == read_vector_set(content, seed=3, **given).sha256
    assert found.sha256 != read_vector_set(content, seed=4, **given).sha256
    report = found.report
    assert (report.n_rows, report.n_sampled, report.seed) == (N, 15, 3)
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


def test_the_digest_needs_no_copy_of_the_vectors():
    rows = np.ones((50_000, 8), dtype=np.float32)
    whole = VectorSet("a", rows)
    tracemalloc.start()
    try:
        found = whole.sha256
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 4
    finally:
        tracemalloc.stop()
    assert found == hashlib.sha256(b"(50000, 8)" + rows.tobytes()).hexdigest()


def test_blocks_go_into_moments():
    parts = [Moments.of(block) for block in vector_blocks(FILES["parquet, fixed"][1])]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.merge(part)
    np.testing.assert_allclose(whole.mean, X.mean(0), rtol=1e-5)


SMALL = LIMITS.but(vectors=N - 1, dimensions=D)
OBJECTS = npy(np.array([[1.0, "a"]], dtype=object), allow_pickle=True)
REFUSED = {
    "objects": (OBJECTS, {}, "Python objects, which could run code"),
    "objects in npz": (npz(v=np.array([[1, "a"]], dtype=object)), {}, "could run code"),
    "objects as texts": (
        npz(v=X, text=np.array(TEXTS, dtype=object)),
        {"text_column": "text"},
        "The column `text` has cells of a type that can't be read",
    ),
    "a pickle": (pickle.dumps(X), {}, "could run code"),
    "three axes": (npy(np.zeros((2, 3, 4))), {}, "the shape 2 × 3 × 4 and the type float64"),
    "text array": (npy(np.array([["a", "b"]])), {}, "the type <U1"),
    "cut npy": (npy(X)[:-9], {}, "a NumPy array, is damaged or cut off"),
    "cut npz": (npz(v=X)[:-40], {}, "a NumPy archive, is damaged or cut off"),
    "cut parquet": (FILES["parquet, lists"][1][:-9], {}, "a Parquet table, is damaged"),
    "cut safetensors": (FILES["safetensors"][1][:-9], {}, "a safetensors file, is damaged"),
    "bomb": (
        npz(v=np.zeros((10**5, 6), np.float32)),
        {"limits": LIMITS.but(table_bytes=10**6)},
        "larger than the limit of 1 MB once",
    ),
    "zip of texts": (b"PK\x05\x06" + bytes(18), {}, "has no arrays"),
    "no numbers": (b"a,b\nx,y\nz,w\n", {"name": "a.csv"}, "None of the columns `a`, `b` has vec"),
    "nothing": (b"", {}, "This file has no rows"),
    "empty columns": (b"a,b\n,\n,\n", {"name": "a.csv"}, "columns `a`, `b` has vec"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(99), {}, "No vectors are found in this file"),
    "ragged csv": (csv(DIMENSIONS) + b"1,2\n", {"name": "a.csv"}, "at line 42 has 2 columns"),
    "ragged tsv": (projector(X) + b"1.0\t2.0\n", {"name": "a.tsv"}, "line 41 has 2 columns"),
    "ragged jsonl": (
        jsonl([{"v": [1, 2]}, {"v": [1, 2]}, {"v": [1]}]),
        {},
        "Line 3 has 1 numbers",
    ),
    "ragged parquet": (
        parquet_of({"e": [[1.0, 2.0]] * 3 + [[1.0]]}),
        {},
        "row 4 has 1 numbers and the first row has 2",
    ),
    "no vector in jsonl": (jsonl([{"v": [1, 2]}, {"t": "a"}]), {}, "at line 2 has no vector"),
    "no vector in parquet": (parquet_of({"e": [[1.0], None]}), {}, "Row 2 has no vector"),
    "null first in jsonl": (jsonl([{"v": None}, {"v": [1, 2]}]), {}, "at line 1 has no vector"),
    "deep json": (b'{"v": ' + b"[" * 10**5 + b"\n", {}, "Line 1 is not a JSON object"),
    "nested json": (b'{"v": [1, 2]}\n{"v": [[1], 2]}\n', {}, "`[1]` in column `v` at line 2"),
    "bad cell": (
        csv(DIMENSIONS) + b"1,2,x,4,5,6\n",
        {"name": "a.csv"},
        "`x` in column `dim_2` at line 42",
    ),
    "open quotes": (
        b'a,b\n1,2\n1,2\n1,"2\n',
        {"name": "a.csv"},
        '`"2` in column `b` at line 4 is not',
    ),
    "encoding": (
        csv({**BOTH, **DIMENSIONS}) + "é,b,1,2,3,4,5,6\n".encode("utf-16-le")[:9],
        {"name": "a.csv"},
        "is not a text file",
    ),
    "late encoding": (
        b"t,a\n" + b"x,1\n" * 300_000 + b"\xff,2\n",
        {"name": "a.csv"},
        "do not fit `UTF-8`, the first of them in the lines `300002`",
    ),
    "all NaN": (npy(X * np.nan), {"not_finite": "drop"}, "All 40 rows have NaN or infinity"),
    "unknown column": (
        FILES["csv"][1],
        {"name": "a.csv", "label_column": "tag"},
        "There is no column `tag`",
    ),
    "empty column": (
        csv({**DIMENSIONS, "label": [None] * N}),
        {"name": "a.csv", "label_column": "label"},
        "The column `label` is empty",
    ),
    "short column": (
        npz(v=X, text=np.array(TEXTS[:3])),
        {},
        "`text` has 3 values and there are 40",
    ),
    "short metadata": (npy(X), {"metadata": b"a\nb\n"}, "has 2 rows and the file has 40 vectors"),
    "ragged metadata": (npy(X), {"metadata": b"a\tb\n" * 9 + b"a\n"}, "Line 10 of the metadata"),
    "UTF-16": (
        csv(DIMENSIONS).decode().encode("utf-16"),
        {"name": "a.csv", "limits": LIMITS.but(file_bytes=900)},
        "in UTF-16 is larger than the limit of 900 bytes",
    ),
    "many rows": (npy(X), {"limits": SMALL}, "There are 40 vectors and the limit is 39"),
    "many lines": (
        projector(X),
        {"name": "a.tsv", "limits": SMALL},
        "more vectors than the limit of 39",
    ),
    "wide": (npy(X), {"limits": LIMITS.but(dimensions=5)}, "more numbers than the limit of 5"),
    "large": (
        npy(X),
        {"limits": LIMITS.but(table_bytes=900)},
        "40 vectors of 6 numbers take 960 bytes",
    ),
    "large file": (
        npy(X),
        {"limits": LIMITS.but(vector_file_bytes=900)},
        "larger than the limit of 900 bytes",
    ),
}


@for_each("case", REFUSED)
def test_refusals_have_a_reason(case):
    content, options, words = REFUSED[case]
    with pytest.raises(GeometryError) as caught:
        read_vector_set(content, **{"name": "a", **options})
    assert words in str(caught.value)


HALF = "a\\ud800b"  # half of a surrogate pair, as JSON writes it
HALVES = {
    "jsonl text": f'{{"v": [1, 2], "text": "a"}}\n{{"v": [1, 3], "text": "{HALF}"}}\n'.encode(),
    "jsonl column": f'{{"v": [1, 2], "{HALF}": "a"}}\n{{"v": [1, 3]}}\n'.encode(),
    "npz": npz(v=X[:2], text=np.array(["a", "\ud800"])),
    "safetensors": save({"v": X[:2]}, metadata={"text": f'["a", "{HALF}"]'}),
    "safetensors header": save({"v": X[:2]}, metadata={"tXXXXX": "a"}).replace(
        b"tXXXXX", rb"\ud800"
    ),
}


@for_each("case", HALVES)
def test_half_of_a_surrogate_pair_is_refused_at_its_line(case):
    with pytest.raises(GeometryError, match="half of a surrogate pair") as caught:
        read_vector_set(HALVES[case])
    assert caught.value.details["line"] == (
        1 if case in ("jsonl column", "safetensors header") else 2
    )
    with pytest.raises(GeometryError, match="half of a surrogate pair"):
        preview_vector_set(HALVES[case])


def test_parquet_with_binary_texts_and_columns_of_one_name():
    texts = pa.array([b"caf\xc3\xa9", b"\xff"], pa.binary())
    table = pa.Table.from_arrays(
        [pa.array([[1.0, 2], [3, 4]]), texts, pa.array(["x", "y"])], names=["v", "text", "text"]
    )
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    assert read_vector_set(buffer.getvalue(), name="a").texts == ("café", "\ufffd")
    assert preview_vector_set(buffer.getvalue(), name="a").rows[0] == ("café",)
    assert read_corpus(buffer.getvalue(), name="a.parquet").texts == ("café", "\ufffd")


def test_a_member_whose_stated_size_is_wrong_is_damaged():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("v.npy", npy(X)[:200])
    with pytest.raises(GeometryError, match="NumPy archive, is damaged"):
        read_vector_set(buffer.getvalue())


@for_each("name", ["a.csv", "a.jsonl"])
def test_lines_with_replaced_bytes_are_noted(name):
    rows = ["text,x,y", "\ufffd é,1,2", "caf\0,2,3", "c,3,4"]
    if name == "a.jsonl":
        rows = [f'{{"text": "{text}", "v": [1, 2]}}' for text in ("\ufffd é", "b", "caf\0", "c")]
    content = "\n".join(rows).encode().replace(b"\0", b"\xff")
    hints = Hints(f".{name[2:]}", Reading(encoding="utf-8:replace"))
    source = (open_table if name == "a.csv" else open_json)(io.BytesIO(content), hints)
    list(source.blocks(ChosenColumns(source.vector_choice(None, ()))))
    assert set(source.replaced) == {3}
    found = read_vector_set(content, name=name, encoding="utf-8:replace")
    assert "caf\ufffd" in found.texts


def test_a_column_of_labels_alone_is_no_text():
    """Equal labels as equal texts would make all rows of a label copies of each other."""
    X = np.eye(4, dtype=np.float32)
    metadata = b"topic\nred\nblue\nred\nblue\n"
    found = read_vector_set(npy(X), metadata=metadata, label_column="topic")
    assert (found.labels, found.texts) == (("red", "blue", "red", "blue"), None)
    assert read_vector_set(npy(X), metadata=metadata).texts == ("red", "blue", "red", "blue")
