"""Kinds of files of vectors: each is read right, asked about, or refused with the true reason."""

import base64
import bz2
import gzip
import io
import lzma
import pickle
import struct
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
import torch
from safetensors.numpy import save

from geometry import read_corpus, read_vectors
from geometry.data.account import DUPLICATE, NOT_FINITE, SAMPLED, UNWANTED, LeftOut
from geometry.data.limits import LIMITS
from geometry.data.recognise import Reading
from geometry.errors import GeometryError
from geometry.vectors import preview_vector_set, read_vector_set, recognise, vector_blocks
from tests.for_each import for_each
from tests.vector_files import (
    arrow_of,
    csv_of,
    hdf5_of,
    jsonl_of,
    npy,
    npz,
    parquet_of,
    vecs_of,
    workbook_of,
    zip_of,
)

RANDOM = np.random.default_rng(0)
N, D = 40, 6
X = RANDOM.standard_normal((N, D)).astype(np.float32)
TEXTS = [f"text {i}, a" for i in range(N)]
BITS = RANDOM.standard_normal((N, 64)) > 0
PACKED = np.packbits(BITS, axis=1)
SIGNED = np.round(RANDOM.standard_normal((N, 16)) * 32).clip(-127, 127).astype(np.int8)


def refused(content, **options):
    with pytest.raises(GeometryError) as caught:
        read_vector_set(content, **{"name": "a", **options})
    return caught.value


def left_out(account):
    return {each.reason: (each.n, each.rows) for each in account.left_out}


# ---- files others write: read ----


def test_hdf5_of_ann_benchmarks():
    neighbours = np.arange(30).reshape(10, 3)
    distances = np.ones((10, 3), np.float32)
    content = hdf5_of(train=X, test=X[:10] + 1, neighbors=neighbours, distances=distances)
    found = read_vector_set(content, name="a.hdf5")
    np.testing.assert_array_equal(found.vectors, X)
    assert found.texts is None
    assert found.account.columns_used == ("train",)
    assert set(found.account.columns_left_out) == {"test", "neighbors", "distances"}
    queries = read_vector_set(content, vector_column="test")
    np.testing.assert_array_equal(queries.vectors, X[:10] + 1)
    assert set(preview_vector_set(content).vector_columns) >= {"train", "test"}


def test_hdf5_of_other_groups_and_types():
    h5py = pytest.importorskip("h5py")
    content = hdf5_of(obsm__X_pca=X.astype(">f8"), obs___index=np.array(TEXTS, dtype="S"))
    found = read_vector_set(content, text_column="obs/_index")
    np.testing.assert_array_equal(found.vectors, X)
    assert list(found.texts) == TEXTS
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file.create_dataset("X", data=X, chunks=(7, 2), compression="gzip", shuffle=True)
        file["rest"] = h5py.Empty("f4")
        file["own"] = file["X"].ref
    np.testing.assert_array_equal(read_vector_set(buffer.getvalue()).vectors, X)
    assert refused(buffer.getvalue()[:-900]).code == "damaged_file"


def test_hdf5_opens_no_other_file(tmp_path):
    h5py = pytest.importorskip("h5py")
    secret = tmp_path / "secret.bin"
    secret.write_bytes(X.tobytes())
    (tmp_path / "other.h5").write_bytes(hdf5_of(vectors=X))
    path = tmp_path / "own.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("stored", X.shape, "f4", external=[(str(secret), 0, X.nbytes)])
        file["linked"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "vectors")
        layout = h5py.VirtualLayout(X.shape, "f4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "vectors", X.shape)
        file.create_virtual_dataset("virtual", layout)
    assert refused(path).because == "no_table"
    assert refused(path.read_bytes()).because == "no_table"


def test_hdf5_without_its_library_names_the_line(monkeypatch):
    content = b"\x89HDF\r\n\x1a\n" + bytes(200)
    monkeypatch.setitem(sys.modules, "h5py", None)
    error = refused(content, limits=LIMITS.but(memory_bytes=0))
    assert (error.code, "pip install 'narrow-cone[hdf5]'" in str(error)) == (
        "missing_library",
        True,
    )


@for_each("wide", [D, 640])  # 640 begins as a pickle does
@for_each("name", ["a.fvecs", "a", "a.bin"])
def test_fvecs_by_content(wide, name):
    rows = RANDOM.standard_normal((9, wide)).astype("<f4")
    found = read_vector_set(vecs_of(rows), name=name)
    np.testing.assert_array_equal(found.vectors, rows)
    assert found.report.format == "fvecs"


def test_bvecs_and_ivecs():
    rows = (RANDOM.random((20, 128)) ** 4 * 180).astype(np.uint8)  # as of SIFT
    np.testing.assert_array_equal(read_vector_set(vecs_of(rows)).vectors, rows)
    packed = gzip.compress(vecs_of(rows))
    np.testing.assert_array_equal(read_vector_set(packed, name="a.bvecs.gz").vectors, rows)
    neighbours = RANDOM.integers(0, 10**6, (20, 100)).astype("<i4")
    for name in ("a.ivecs", "a.fvecs"):
        assert "numbers of rows" in str(refused(vecs_of(neighbours), name=name))
    assert refused(vecs_of(X)[:-3]).code == "damaged_file"


def test_an_array_of_objects_beside_a_sound_one():
    objects = np.array([{"a": 1}, None] * (N // 2), dtype=object)
    content = npz(vectors=X, meta=objects, text=np.array(TEXTS))
    for found in (read_vector_set(content), read_vector_set(npz(meta=objects, emb=X))):
        np.testing.assert_array_equal(found.vectors, X)
        assert found.account.columns_left_out == ("meta",)
    assert list(read_vector_set(content).texts) == TEXTS
    words = np.array([f"w{i}" for i in range(N)])
    table = read_vectors(npz(words=words, vec=X, meta=objects))
    np.testing.assert_array_equal(table.vectors, X)
    assert table.account.columns_left_out == ("meta",)


NESTED = {
    "tensors of one axis": lambda: parquet_of(
        {"e": pa.FixedShapeTensorArray.from_numpy_ndarray(X), "text": TEXTS}
    ),
    "a field of a struct": lambda: parquet_of(
        {"embedding": [{"values": row, "model": "m"} for row in X.tolist()], "text": TEXTS}
    ),
    "lists of decimals": lambda: parquet_of(
        {"e": pa.array(X.tolist()).cast(pa.list_(pa.decimal128(12, 6))), "text": TEXTS}
    ),
    "dictionaries of texts": lambda: arrow_of(
        {"e": X.tolist(), "text": pa.array(TEXTS).dictionary_encode()}
    ),
}


@for_each("case", NESTED)
def test_nested_types_of_arrow_are_read(case):
    found = read_vector_set(NESTED[case]())
    np.testing.assert_allclose(found.vectors, X, atol=1e-6)
    assert list(found.texts) == TEXTS


# ---- files others write: refused with the line that converts ----


def torch_saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def scipy_saved(matrix):
    buffer = io.BytesIO()
    scipy.sparse.save_npz(buffer, matrix)
    return buffer.getvalue()


def tfrecord():
    values = b"\x12" + bytes([4 * D + 2]) + b"\x0a" + bytes([4 * D]) + X[0].tobytes()
    record = b"\x0a" + bytes([len(values)]) + values
    return (struct.pack("<QI", len(record), 1) + record + struct.pack("<I", 2)) * 3


SPARSE_ROWS = scipy.sparse.random(9, 7, 0.4, random_state=1)
FAISS = struct.pack("<4siqqqBi", b"IxF2", D, N, 1 << 20, 1 << 20, 1, 1) + X.tobytes()
FOREIGN = {
    "FAISS": (FAISS, "faiss.read_index"),
    "torch": (torch_saved(torch.tensor(X)), "torch.load("),
    "torch, the old form": (
        torch_saved(torch.tensor(X), _use_new_zipfile_serialization=False),
        "torch.load(",
    ),
    **{
        f"pickle {n}": (pickle.dumps(X.tolist(), protocol=n), "pandas.read_pickle")
        for n in range(6)
    },
    "csr": (scipy_saved(SPARSE_ROWS.tocsr()), "scipy.sparse.load_npz"),
    "coo": (scipy_saved(SPARSE_ROWS.tocoo()), ".toarray()"),
    "dia": (scipy_saved(SPARSE_ROWS.todia()), "scipy.sparse.load_npz"),
    "Matrix Market": (b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2.5\n", "mmread"),
    "TFRecord": (tfrecord(), "TFRecordDataset"),
    "GGUF": (b"GGUF\x03\0\0\0" + bytes(64), "model of GGUF"),
    "Feather 1": (b"FEA1" + bytes(64), "pandas.read_feather"),
    "ORC": (b"ORC" + bytes(64), "pandas.read_orc"),
    "SQLite": (b"SQLite format 3\0" + bytes(99), "pandas.read_sql"),
    "MATLAB": (b"MATLAB 5.0 MAT-file" + bytes(200), "scipy.io.loadmat"),
    "bzip2": (bz2.compress(npy(X)), "bunzip2"),
    "xz": (lzma.compress(npy(X)), "unxz"),
}


@for_each("case", FOREIGN)
def test_what_is_not_read_is_named_with_the_line_that_converts(case):
    content, line = FOREIGN[case]
    error = refused(content)
    assert error.code == "no_vectors"
    assert line in str(error), str(error)
    assert "ownload" not in str(error)
    with pytest.raises(GeometryError, check=lambda error: line in str(error)):
        read_vectors(content)


def test_lance_workbooks_archives_and_sparse_hdf5_are_named():
    assert "lance.dataset" in str(refused(b"\x01\x02" * 99, name="a.lance"))
    assert "pandas.read_excel" in str(refused(workbook_of(X.tolist())))
    assert "`glove.6B.50d.txt`" in str(refused(zip_of({"glove.6B.50d.txt": "the 1 2\n"})))
    matrix = SPARSE_ROWS.tocsr()
    parts = {f"X__{name}": getattr(matrix, name) for name in ("data", "indices", "indptr")}
    assert "X.toarray()" in str(refused(hdf5_of(**parts)))


# ---- packed or quantised vectors ----

PACKED_FILES = {
    "npy, signed": npy(PACKED.view(np.int8)),
    "parquet": parquet_of({"embedding": PACKED.tolist(), "text": TEXTS}),
    "parquet, columns": parquet_of({f"d{i}": PACKED[:, i] for i in range(8)}),
    "csv": csv_of(pd.DataFrame(PACKED).add_prefix("d")),
    "bvecs": vecs_of(PACKED),
}


@for_each("case", PACKED_FILES)
def test_packed_bits_are_asked_about(case):
    name = "a.csv" if case == "csv" else "a"
    error = refused(PACKED_FILES[case], name=name)
    assert (error.code, error.details["option"]) == ("uncertain", "packed")
    assert "numpy.unpackbits" in str(error)
    with pytest.raises(GeometryError, match="packed"):
        list(vector_blocks(PACKED_FILES[case], name=name))
    bits = read_vector_set(PACKED_FILES[case], name=name, reading=Reading(packed=True))
    np.testing.assert_array_equal(bits.vectors, np.where(BITS, 1, -1))
    numbers = read_vector_set(PACKED_FILES[case], name=name, reading=Reading(packed=False))
    np.testing.assert_array_equal(numbers.vectors.astype(np.int64) & 255, PACKED)


IMAGES = (RANDOM.random((50, 64)) ** 6 * 255).astype(np.uint8)
WHOLE = {
    "int8 of an embedding": SIGNED,
    "uint8 of an embedding": (SIGNED.astype(int) + 128).astype(np.uint8),
    "images": IMAGES,
    "grades": RANDOM.integers(1, 6, (50, 8)),
    "int32": RANDOM.integers(-9_999, 9_999, (50, 8)),
}


@for_each("case", WHOLE)
def test_whole_numbers_that_are_no_bits_are_read(case):
    np.testing.assert_array_equal(read_vector_set(npy(WHOLE[case])).vectors, WHOLE[case])
    content = parquet_of({"e": WHOLE[case].tolist()})
    np.testing.assert_array_equal(read_vector_set(content).vectors, WHOLE[case])
    with pytest.raises(GeometryError, match="other numbers"):
        read_vector_set(npy(X), reading=Reading(packed=True))


SCALES = np.linspace(0.01, 0.02, SIGNED.shape[1]).astype(np.float32)
SCALED = {
    "npz": npz(codes=SIGNED, codebook=np.ones((4, 16, 2), np.float32)),
    "safetensors": save({"q": SIGNED, "q.scale": SCALES}),
    "parquet": parquet_of({"e": pa.array(list(SIGNED), pa.list_(pa.int8())), "scale": [0.1] * N}),
    "jsonl": jsonl_of({"e": row, "zero_point": 1, "scale": 0.1} for row in SIGNED.tolist()),
}


@for_each("case", SCALED)
def test_bytes_beside_their_scales_are_refused_with_the_line(case):
    error = refused(SCALED[case])
    assert "by `" in str(error)
    assert '.astype("float32") *' in str(error)


def test_columns_beside_dimensions_and_bytes_stay_columns():
    """Lists of tags, hashes, and ranges of prices are neither vectors nor scales."""
    tags, hashes = [["a", "b"]] * N, [f"{i * 7919**4:032x}" for i in range(N)]
    for names in (COLUMNS, {"left": X[:, 0], "right": X[:, 1]}):
        found = read_vector_set(parquet_of({**names, "tags": tags, "sha": hashes}))
        assert found.account.columns_used == tuple(names)
    content = parquet_of({"e": pa.array(list(SIGNED), pa.list_(pa.int8())), "range": [1] * N})
    assert len(read_vector_set(content)) == N


def test_texts_that_look_like_base64_are_none():
    words = [f"{word}word" * 4 for word in ("abcd", "efgh", "ijkl")]
    content = parquet_of({"text": words, "x": [1.0, 2, 3], "y": [2.0, 3, 5]})
    assert list(read_vector_set(content).texts) == words


# ---- a column that fails the guess ----

COLUMNS = {f"d{i}": X[:, i] for i in range(5)}
MIXED = {
    "integers": np.arange(N),
    "constant": np.zeros(N, np.int64),
    "decimals": pa.array([f"{i}.25" for i in range(N)]).cast(pa.decimal128(9, 2)),
    "unsigned": np.arange(N)[::-1].astype(np.uint8),
    "float16": X[:, 2].astype(np.float16),
}


@for_each("case", MIXED)
def test_a_dimension_of_another_type_stays(case):
    found = read_vector_set(parquet_of({**COLUMNS, "d2": MIXED[case], "score": X[:, 5]}))
    assert found.vectors.shape == (N, 5)
    expected = np.array(pa.array(MIXED[case]).cast(pa.float64()))
    np.testing.assert_allclose(found.vectors[:, 2], expected, rtol=1e-3)
    assert found.account.columns_used == tuple(COLUMNS)
    assert found.account.columns_left_out == ("score",)


# ---- ids ----

IDS = {
    "numbers": list(range(1, N + 1)),
    "numbers from 1,000": list(range(1_000, 1_000 + N)),
    "UUIDs": [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(N)],
    "codes": [f"doc_{i * 7}" for i in range(N)],
}


@for_each("case", IDS)
def test_an_id_is_no_text_and_no_dimension(case):
    ids = IDS[case]
    for name in ("id", "point"):
        for write in (parquet_of, arrow_of):
            found = read_vector_set(write({"vector": X.tolist(), name: ids}))
            assert (found.texts, found.vectors.shape) == (None, (N, D))
        assert read_vector_set(npz(**{"vector": X, name: np.array(ids)})).texts is None
    lines_of = lambda columns: jsonl_of(pd.DataFrame(columns).to_dict("records"))  # noqa: E731
    for write in (parquet_of, csv_of, lines_of):
        found = read_vector_set(write({"point": ids, "x": X[:, 0], "y": X[:, 1]}), name="a")
        assert found.vectors.shape == (N, 2)
        assert isinstance(ids[0], str) or found.texts is None
        by_text = read_vector_set(write({"d10": X[:, 2], "d2": X[:, 0], "d9": X[:, 1]}), name="a")
        np.testing.assert_allclose(by_text.vectors, X[:, :3], rtol=1e-5)
    chosen = read_vector_set(parquet_of({"v": X.tolist(), "point": ids}), text_column="point")
    assert list(chosen.texts) == [str(each) for each in ids]


def test_whole_numbers_at_an_end_of_a_table_without_header_are_no_dimension():
    for at, whole in ((0, IDS["numbers from 1,000"][::-1]), (D, np.arange(N) % 3)):
        rows = np.insert(X.astype(str), at, whole, axis=1)
        found = read_vector_set("\n".join(map(",".join, rows)).encode(), name="a.csv")
        assert (found.texts, found.vectors.shape) == (None, (N, D))
        assert found.ids == (None if at else tuple(map(str, whole)))


@for_each(("names", "end"), [("x,y", ""), ("x,y1,y2", ","), ("x1,x2,y", ",.5")])
def test_a_few_rows_lose_no_dimension(names, end):
    content = f"{names}\n1,2{end}\n2,3{end}\n3,4{end}\n".encode()
    assert read_vector_set(content, name="a.csv").vectors.tolist() == [[1, 2], [2, 3], [3, 4]]


# ---- missing vectors, and the account ----


def test_the_account_of_a_sample_and_of_words():
    content = parquet_of({"e": [None, [np.inf, 1.0], *X[:, :2].tolist()]})
    account = read_vector_set(content, not_finite="drop", sample=7).account
    assert (account.rows_in_file, account.rows_read, account.n_left_out) == (42, 7, 35)
    assert left_out(account) == {NOT_FINITE: (2, (1, 2)), SAMPLED: (33, ())}
    lines = b"a 1 2\nb nan 2\na 3 4\nc 5 6\nd 7 8\n"
    words = read_vectors(lines, words=["a", "b", "c"]).account
    assert (words.rows_in_file, words.rows_read) == (5, 2)
    assert left_out(words) == {NOT_FINITE: (1, (2,)), DUPLICATE: (1, (3,)), UNWANTED: (1, (5,))}
    table = read_vectors(npz(words=np.array(list("abcde")), vec=X[:5]), max_words=2)
    assert table.account.left_out == (LeftOut(UNWANTED, 3, (3, 4, 5)),)
    rows = read_vector_set(lines, not_finite="drop").account
    assert (rows.rows_in_file, rows.rows_read, rows.n_left_out) == (5, 4, 1)


@for_each("write", [parquet_of, arrow_of])
def test_words_of_tables(write):
    words = [f"w{i}" for i in range(N)]
    table = read_vectors(write({"word": words, "vector": X.tolist(), "count": range(N)}))
    assert list(table.words) == words
    np.testing.assert_array_equal(table.vectors, X)
    assert table.account.columns_left_out == ("count",)


# ---- large files ----


def test_a_sample_of_a_file_that_is_larger_than_memory_counts_what_is_kept():
    limits = LIMITS.but(table_bytes=10 * 4 * D)
    columns = npy(np.asfortranarray(X))
    for content in (npy(X), columns, npz(e=X), parquet_of({"e": X.tolist()}), save({"e": X})):
        error = refused(content, limits=limits)
        if error.code == "too_many_bytes":
            assert error.details["fits"] == 10
            assert ": 10 of these fit" in str(error)
        found = read_vector_set(content, sample=9, seed=2, limits=limits)
        assert found.report.whole.n_rows == N
        np.testing.assert_allclose(found.report.whole.mean, X.mean(axis=0), rtol=1e-5)
        np.testing.assert_array_equal(found.vectors, X[found.numbers - 1])


# ---- cases of public reports ----


def test_words_of_another_encoding_are_asked_about():
    content = "".join(f"été{i} {i}.5 1.5 2.5\n" for i in range(9)).encode("latin-1")
    with pytest.raises(GeometryError) as caught:
        read_vectors(content)
    assert caught.value.details["option"] == "encoding"
    assert read_vectors(content, encoding="latin-1").words[0] == "été0"
    (choice,) = caught.value.details["choices"]
    assert read_vectors(content, encoding=choice).words[0] == "\ufffdt\ufffd0"


def test_rows_that_a_service_could_not_answer_are_dropped():
    answers = [{"body": {"data": [{"embedding": row}]}} for row in X[:3].tolist()]
    rows = [{"response": answer, "error": None} for answer in answers]
    rows.append({"response": None, "error": {"message": "rate limit"}})
    found = read_vector_set(jsonl_of(rows), name="a.jsonl", not_finite="drop")
    assert (found.vectors.shape, found.texts) == ((3, D), None)


def test_what_is_recognised_of_lists_of_ids_and_of_an_archive_of_single_rows():
    tokens = parquet_of({"input_ids": [[101, 7, 8]] * 5, "n": [3, 4, 5, 6, 7]})
    assert not recognise(tokens, name="a.parquet").is_certain
    with pytest.raises(GeometryError, match="one array of n rows"):
        recognise(npz(a=X[0], b=X[1]), name="a.npz")


# ---- vectors as texts, bits and bytes ----

WRITTEN = {
    "a list": lambda row: str(row.tolist()),
    "numpy": lambda row: str(row),
    "NumPy 2": lambda row: "[" + ", ".join(f"np.float64({x})" for x in row.tolist()) + "]",
    "arrays": lambda row: f"array({row.tolist()}, dtype=float32)",
    "tensors": lambda row: f"tensor({row.tolist()})",
    "PostgreSQL": lambda row: "{" + ",".join(map(str, row)) + "}",
    "decimal commas": lambda row: "[" + " ".join(map(str, row)).replace(".", ",") + "]",
    "spaces": lambda row: " ".join(map(str, row)),
    "commas": lambda row: ",".join(map(str, row)),
    "commas and spaces": lambda row: ", ".join(map(str, row)),
}


def json_lines(columns):
    return jsonl_of(
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    )


TABLES = {"a.parquet": parquet_of, "a.arrow": arrow_of, "a.csv": csv_of, "a.jsonl": json_lines}


@for_each("name", TABLES)
@for_each("written", WRITTEN)
def test_vectors_as_strings_of_a_table_are_read(name, written):
    rows = [*map(WRITTEN[written], X)]
    rows[5] = None
    content = TABLES[name]({"text": TEXTS, "embedding": rows})
    found = recognise(content, name=name)
    assert (found.holds, found.is_certain, found.vectors) == ("vectors", True, ("embedding",))
    read = read_vector_set(content, name=name, not_finite="drop")
    np.testing.assert_allclose(read.vectors, np.delete(X, 5, axis=0), rtol=1e-4, atol=1e-6)
    assert read.texts == (*TEXTS[:5], *TEXTS[6:])


def test_a_string_that_is_no_vector_is_named():
    rows = [*map(WRITTEN["spaces"], X)]
    rows[7] = "0.1 0.2 x"
    error = refused(parquet_of({"text": TEXTS, "embedding": rows}))
    assert (error.code, error.details["line"]) == ("bad_number", 8)


def test_bytes_of_a_table_are_no_texts():
    for kind in ("<f4", "<f8", "<f2"):
        cells = [row.astype(kind).tobytes() for row in X]
        for columns in ({"text": TEXTS, "embedding": cells}, {"embedding": cells}):
            content = parquet_of(columns)
            with pytest.raises(GeometryError) as caught:
                recognise(content, name="a")
            assert "numpy.frombuffer(cell" in str(caught.value)
        with pytest.raises(GeometryError, check=lambda error: error.code == "no_text_column"):
            read_corpus(content, name="a")
    corpus = read_corpus(parquet_of({"text": [text.encode() for text in TEXTS]}), name="a")
    assert list(corpus.texts) == TEXTS


@for_each("kind", ["<f2", "<f4", "<f8"])
@for_each("name", TABLES)
def test_base64_of_any_width_is_refused_with_its_type(kind, name):
    cells = [base64.b64encode(row.astype(kind).tobytes()).decode() for row in X]
    content = TABLES[name]({"text": TEXTS, "embedding": cells})
    for read in (recognise, read_vector_set):
        with pytest.raises(GeometryError) as caught:
            read(content, name=name)
        assert f"of the type {kind} in each row as base64" in str(caught.value)
        assert caught.value.details["d"] == D


def test_base64_of_bytes_is_refused_without_a_guess():
    cells = [base64.b64encode(row.tobytes()).decode() for row in SIGNED]
    error = refused(csv_of({"text": TEXTS, "embedding": cells}), name="a.csv")
    assert (error.because, error.details["n"]) == ("base64_of_bytes", 16)


def test_digits_0_and_1_are_numbers_or_bits_and_no_decimals():
    digits = BITS.astype(int).astype(str)
    rows = "".join(",".join(row) + "\n" for row in digits)
    for content in (rows, ",".join(f"b{i}" for i in range(64)) + "\n" + rows):
        np.testing.assert_array_equal(read_vector_set(content.encode(), name="a.csv").vectors, BITS)
        assert recognise(content.encode(), name="a.csv").holds == "vectors"
    wide = "".join(",".join(f"0{each}" for each in row) + "\n" for row in digits)
    np.testing.assert_array_equal(read_vector_set(wide.encode(), name="a.csv").vectors, BITS)
    joined = ["".join(row) for row in digits]
    text = "text,code\n" + "".join(f"text {i},{each}\n" for i, each in enumerate(joined))
    for content in (text, "".join(f"{each}\n" for each in joined)):
        for read in (recognise, read_vector_set):
            with pytest.raises(GeometryError) as caught:
                read(content.encode(), name="a.csv")
            assert (caught.value.because, caught.value.details["d"]) == ("bits_in_text", 64)
