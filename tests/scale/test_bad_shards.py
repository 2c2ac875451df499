"""Faulty shards end a run with a message that names shard and row, or are skipped and listed."""

import gzip
import json
import re
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from geometry import load_encoder
from geometry.export.affine import AffineMap
from geometry.scale import (
    Engine,
    ScaleError,
    TextColumns,
    VectorData,
    draw,
    find_neighbours,
    fit_data,
    read_status,
    transform_data,
)
from geometry.scale.encode import encode_shards, text_blocks, text_shards
from geometry.scale.vectors import RowsLeftOut
from tests.scale.shards import D, cloud, split, write_files
from tests.scale.test_walk import shell

X = cloud(90)
IDENTITY = AffineMap(np.zeros(D), np.eye(D))


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def cut_inside(path: Path) -> None:
    """The footer is undamaged, but the pages of rows are damaged."""
    content = bytearray(path.read_bytes())
    content[40:400] = bytes(360)
    path.write_bytes(bytes(content))


def other_columns(path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "w": [[1.0] * D]}), path)


def other_dimension(path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "v": [[1.0] * D, [1.0] * 3]}), path)


def not_floats(path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "v": ["a text"]}), path)


def with_nan(path: Path) -> None:
    rows = pq.read_table(path)["v"].to_pylist()
    rows[6][2] = float("nan")
    rows[8] = None
    pq.write_table(pa.table({"id": list(range(30)), "v": pa.array(rows)}), path)


def infinite(path: Path) -> None:
    rows = np.full((5, D), np.inf, dtype=np.float32)
    pq.write_table(
        pa.table({"id": range(5), "v": pa.FixedSizeListArray.from_arrays(rows.ravel(), D)}), path
    )


FAULTS = [
    (cut_off, r"001.parquet` can't be read"),
    (cut_inside, r"001.parquet` can't be read|Row \d+ of the shard .*001.parquet"),
    (other_columns, r"001.parquet` has no column `v`; it has `id`, `w`"),
    (other_dimension, r"Row 2 of the shard .*001.parquet` has 3 numbers, and the data set has 12"),
    (not_floats, r"001.parquet` is of type `string`"),
    (with_nan, r"Row 7 of the shard .*001.parquet` has no vector, or has NaN"),
    (infinite, r"Row 1 of the shard .*001.parquet`"),
]


@pytest.mark.parametrize(("spoil", "sentence"), FAULTS)
def test_a_bad_shard_of_vectors_ends_the_run_with_its_name(spoil, sentence, tmp_path):
    data = VectorData(str(write_files(tmp_path / "files", split(X, 30, 30))))
    spoil(Path(data.shards[1].address))
    with pytest.raises(ScaleError, match=sentence):
        fit_data(Engine(), data)
    with pytest.raises(ScaleError, match=sentence):
        transform_data(Engine(), data, IDENTITY, str(tmp_path / "out"))
    out = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [shard["state"] for shard in out["shards"]] == ["done", "left", "left"]
    found = read_status(str(tmp_path / "out"))
    assert [found.counts[name] for name in ("done", "failed", "left")] == [1, 1, 1]
    assert re.search(sentence, found.failed["part-00001.parquet"])
    # After the shard is repaired, the run continues with the missing parts.
    write_files(tmp_path / "files", split(X, 30, 30))
    transform_data(Engine(), VectorData(data.address), IDENTITY, str(tmp_path / "out"))
    assert VectorData(str(tmp_path / "out")).n_rows == 90


@pytest.mark.parametrize("spoil", [cut_off, other_columns, with_nan])
def test_what_is_skipped_is_counted_and_listed(spoil, tmp_path, capsys):
    data = VectorData(str(write_files(tmp_path / "files", split(X, 30, 30))))
    spoil(Path(data.shards[1].address))
    left = [6, 8] if spoil is with_nan else list(range(30))
    engine = Engine(skip=True)
    remaining = np.delete(X, 30 + np.array(left), axis=0)
    np.testing.assert_allclose(
        fit_data(engine, data).mean, remaining.mean(axis=0, dtype=np.float64), rtol=1e-6
    )
    if spoil is with_nan:
        assert engine.omitted == [("001.parquet", 2, [7, 9])]
    else:
        assert [failed.shard for failed in engine.failures] == ["001.parquet"]
    manifest = transform_data(engine, data, IDENTITY, str(tmp_path / "out"))
    counts = manifest["counts"]
    assert counts["rows"] == len(remaining)
    assert (counts["failed"], counts["left_out"]) == ((0, 2) if spoil is with_nan else (1, 0))
    code, out, _ = shell(capsys, "status", tmp_path / "out")
    assert code == 3
    assert ("rows 7, 9" if spoil is with_nan else "part-00001.parquet failed") in out


def test_neighbours_list_the_rows_that_no_index_and_no_query_has(tmp_path):
    data = VectorData(str(write_files(tmp_path / "files", split(X, 30, 30))))
    queries = VectorData(str(write_files(tmp_path / "queries", [X[:30]])))
    with_nan(Path(data.shards[1].address))
    with_nan(Path(queries.shards[0].address))
    for _ in range(2):  # the first time the index is built, then read
        engine = Engine(skip=True)
        out = str(tmp_path / "near.parquet")
        found = find_neighbours(engine, data, queries, out, k=3, approximate=True)
        assert (found["queries"], found["rows"]) == (28, 88)
        assert {("000.parquet", 2, (7, 9)), ("001.parquet", 2, (7, 9))} == {
            (name, n, tuple(rows)) for name, n, rows in engine.omitted
        }
    sound = VectorData(str(write_files(tmp_path / "sound", [X[:30]])))
    with pytest.raises(ScaleError, match="Row 7 of the shard"):
        find_neighbours(Engine(), data, sound, out, k=3, approximate=True)


def test_two_workers_report_the_same_of_a_bad_shard(two_workers, tmp_path, monkeypatch):
    data = VectorData(str(write_files(tmp_path / "files", split(X, 30, 30))))
    with_nan(Path(data.shards[1].address))
    with pytest.raises(ScaleError, match="Row 7 of the shard"):
        fit_data(two_workers, data)
    with pytest.raises(ScaleError, match="Row 7 of the shard"):
        transform_data(two_workers, data, IDENTITY, str(tmp_path / "out"))
    monkeypatch.setattr(two_workers, "skip", True)
    monkeypatch.setattr(two_workers, "omitted", [])
    assert fit_data(two_workers, data).n_rows == 88
    assert two_workers.omitted == [("001.parquet", 2, [7, 9])]


def test_files_of_other_programs_may_have_no_rows_or_other_ids(tmp_path):
    """The first file is empty, the second begins with a row without a vector, ids are texts."""
    kind = pa.list_(pa.float32())
    rows = [None, *X[:20].tolist()]
    ids = [f"row {i}" for i in range(21)]
    pq.write_table(pa.table({"v": pa.array([], kind)}), tmp_path / "0.parquet")
    with pytest.raises(ScaleError, check=lambda error: error.code == "no_vectors"):
        VectorData(str(tmp_path))
    pq.write_table(pa.table({"id": ids, "v": pa.array(rows, kind)}), tmp_path / "1.parquet")
    numbers = pa.array([None, *range(5, 9)], pa.int32())
    table = pa.table({"id": numbers, "v": pa.array(X[20:25].tolist(), kind)})
    pq.write_table(table, tmp_path / "2.parquet")
    data = VectorData(str(tmp_path))
    assert fit_data(Engine(skip=True), data).n_rows == 25
    found = draw(Engine(skip=True), data, data.columns[0], 100)
    assert found.ids.tolist() == [5, 6, 7, 8, *range(2**32 + 1, 2**32 + 21), 2 * 2**32]
    assert found.ids.dtype == np.int64


def test_a_pickle_in_a_shard_is_not_read(tmp_path):
    (tmp_path / "files").mkdir()
    with (tmp_path / "files" / "a.parquet").open("wb") as file:
        np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ScaleError, check=lambda error: error.code == "unreadable_shard"):
        VectorData(str(tmp_path / "files"))


# ---- shards of texts ----


def jsonl(path: Path) -> Path:
    lines = [{"text": "one"}, {"text": ""}, "[1]", "{broken", {"text": 5}, {"text": "six"}]
    text = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines)
    path = path.with_suffix(".jsonl")
    path.write_bytes(text.encode() + b'\n{"text": "\xff"}\n')
    return path


def table(path: Path) -> Path:
    path = path.with_suffix(".csv.gz")
    content = b'text,n\none,1\n,2\ntwo,2,3\n"three, or 3",1\nbad \xff,1\nsix\n'
    path.write_bytes(gzip.compress(content))
    return path


def lines(path: Path) -> Path:
    path = path.with_suffix(".txt")
    path.write_bytes(b"\xef\xbb\xbfone\n\nthree \xff\nfour\r\n")
    return path


def parquet(path: Path) -> Path:
    path = path.with_suffix(".parquet")
    pq.write_table(pa.table({"text": ["one", None, "three"], "n": [1.0, 2.0, 3.0]}), path)
    return path


@pytest.mark.parametrize(
    ("make", "texts", "blank", "bad", "first"),
    [
        (jsonl, [(0, "one"), (5, "six")], 1, [3, 4, 5, 7], "Row 3 .* is not a JSON object"),
        (table, [(0, "one"), (3, "three, or 3")], 1, [3, 5, 6], "Row 3 .* more or fewer cells"),
        (lines, [(0, "one"), (3, "four")], 1, [3], "Row 3 .* is not UTF-8"),
        (parquet, [(0, "one"), (2, "three")], 1, [], None),
    ],
)
def test_texts_of_every_form_with_bad_rows(make, texts, blank, bad, first, tmp_path):
    path = str(make(tmp_path / "shard"))
    left_out = RowsLeftOut()
    (rows,) = text_blocks(path, TextColumns(), skip=True, left_out=left_out)
    assert [(row.place, row.text) for row in rows] == texts
    assert (left_out.blank, left_out.first, left_out.n) == (blank, bad, len(bad))
    for columns, sentence in (
        (TextColumns(), first),
        (TextColumns("body"), None if make is lines else "has no column `body`; it has `text`"),
        (TextColumns(weight="text"), "a weight that is not a number"),
    ):
        if sentence:
            with pytest.raises(ScaleError, match=sentence):
                list(text_blocks(path, columns, skip=False, left_out=RowsLeftOut()))
    if make is parquet:
        columns = TextColumns(label="n", weight="n")
        (rows,) = text_blocks(path, columns, skip=False, left_out=RowsLeftOut())
        assert [(row.label, row.weight) for row in rows] == [("1.0", 1.0), ("3.0", 3.0)]


@pytest.mark.parametrize(
    ("name", "spoil"),
    [("a.parquet", lambda c: c[:-20]), ("a.txt.gz", lambda c: gzip.compress(c)[:-12])],
)
def test_a_shard_of_texts_that_is_cut_off(name: str, spoil: Callable[[bytes], bytes], tmp_path):
    path = tmp_path / name
    path.write_bytes(spoil(parquet(tmp_path / "b").read_bytes()))
    with pytest.raises(ScaleError, check=lambda error: error.code == "unreadable_shard"):
        list(text_blocks(str(path), TextColumns(), skip=True, left_out=RowsLeftOut()))


def test_shards_are_found_in_folders_and_by_patterns(tmp_path):
    for name in ("b.txt", "a.jsonl.gz", "c.md", ".hidden"):
        (tmp_path / name).write_text("x")
    found = text_shards([str(tmp_path)])
    assert [Path(each).name for each in found] == ["a.jsonl.gz", "b.txt"]
    assert text_shards([str(tmp_path / "*.txt")]) == found[1:]
    with pytest.raises(ScaleError, match="no shards of texts"):
        text_shards([str(tmp_path / "c.md")])


def test_shards_of_texts_are_read_over_http(tmp_path):
    pytest.importorskip("aiohttp")
    jsonl(tmp_path / "a")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (shard,) = text_shards([f"http://127.0.0.1:{server.server_port}/a.jsonl"])
        (rows,) = text_blocks(shard, TextColumns(), skip=True, left_out=RowsLeftOut())
        server.shutdown()
    assert [(row.place, row.text) for row in rows] == [(0, "one"), (5, "six")]


@pytest.mark.model
def test_a_prefix_is_used_and_float16_is_half_as_large_and_refuses_larger_numbers(tmp_path):
    (tmp_path / "t.txt").write_text("one\ntwo\nthree\n")
    sizes = {}
    for dtype in ("float32", "float16"):
        out = tmp_path / dtype
        source = [str(tmp_path / "t.txt")]
        encode_shards(Engine(), source, str(out), dtype=dtype, prefix="query: ")
        [shard] = VectorData(str(out)).shards
        sizes[dtype] = shard.size
        found = np.stack(pq.read_table(shard.address)["layer6_mean"].to_numpy())
        expected = load_encoder(prefix="query: ").encode(["one", "two", "three"])
        np.testing.assert_allclose(found, expected, atol=1e-5 if dtype == "float32" else 1e-2)
        [column] = json.loads((out / "manifest.json").read_text())["vectors"]
        assert column["prefix"] == "query: "
    assert sizes["float16"] < 0.7 * sizes["float32"]
    data = VectorData(str(write_files(tmp_path / "files", [X * 1e4])))
    with pytest.raises(ScaleError, match="float16 ends at 65504"):
        transform_data(Engine(), data, IDENTITY, str(tmp_path / "out"), dtype="float16")
