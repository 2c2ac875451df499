"""Pairs from the Hugging Face Hub: files of a split, progress, resuming, cache, refusals."""

import gzip
import io
import json
import re
from dataclasses import replace

import pyarrow as pa
import pytest
from pyarrow import parquet

from geometry import ModelFilesError
from geometry.data.limits import CorpusError
from geometry.hub import DataSetError, PairSet, fetch_pairs
from geometry.hub.pair_sets import PAIR_SETS, files_of

NAME = "own/pairs"
PUBLISHED = f"datasets/{NAME}"
ROWS = [
    {"sentence1": "A dog ran.", "sentence2": "A dog runs.", "score": 4.5, "genre": "news"},
    {"sentence1": "It rained.", "sentence2": "I sing.", "score": 0.0, "genre": "forum"},
    {"sentence1": "下雨了。", "sentence2": "今天有雨。", "score": 3, "genre": "news"},
]
OWN = PairSet("Own", NAME, "main", {"train": 3, "dev": 3, "test": 3}, (0, 5), "MIT", "English")


def json_lines(rows=ROWS):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_parquet(rows=ROWS):
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def as_csv(rows=ROWS):
    lines = [",".join(str(row[key]) for key in rows[0]) for row in rows]
    return "\n".join([",".join(rows[0]), *lines]).encode()


FORMS = {
    "test.jsonl.gz": gzip.compress(json_lines(), mtime=0),
    "test.jsonl": json_lines(),
    "data/test-00000-of-00001-1ab2c3d4e5f60718.parquet": as_parquet(),
    "test.csv": as_csv(),
    "test.csv.gz": gzip.compress(as_csv(), mtime=0),
}


@pytest.mark.parametrize("path", FORMS)
def test_every_form(server, path):
    commit = server.publish(PUBLISHED, {path: FORMS[path], "README.md": b"x"})
    pairs = fetch_pairs(OWN)
    assert pairs.left == tuple(row["sentence1"] for row in ROWS)
    assert pairs.right == tuple(row["sentence2"] for row in ROWS)
    assert pairs.gold_scores.tolist() == [4.5, 0, 3]
    assert pairs.subsets == ("news", "forum", "news")
    assert (pairs.name, pairs.scale, pairs.score_range) == ("Own test", (0, 5), (0, 4.5))
    assert pairs.source == f"{NAME}@{commit}"
    assert server.fetched() == {path}


def test_parts_of_a_split_in_order(server):
    server.publish(
        PUBLISHED,
        {
            "data/train-00001-of-00002.parquet": as_parquet(ROWS[2:] * 2),
            "data/train-00000-of-00002.parquet": as_parquet(ROWS[:2]),
            "data/test-00000-of-00001.parquet": as_parquet(ROWS[:2]),
        },
    )
    assert fetch_pairs(OWN, "train").gold_scores.tolist() == [4.5, 0, 3, 3]
    assert len(fetch_pairs(OWN, "test")) == 2


@pytest.mark.slow
def test_a_half_fetched_split_resumes(server):
    class Stop(Exception):
        pass

    first, second = (f"data/test-0000{i}-of-00002.parquet" for i in (0, 1))
    parts = {first: as_parquet(), second: as_parquet(ROWS * 400)}
    server.publish(PUBLISHED, parts)

    def stop(done, total):
        assert total == sum(map(len, parts.values()))
        if done >= len(parts[first]):
            raise Stop

    with pytest.raises(Stop):
        fetch_pairs(OWN, progress=stop)
    server.requests.clear()
    assert len(fetch_pairs(OWN)) == 3 + 1200
    assert server.sent(first) == 0


def test_progress_rises_to_the_total(server):
    content = gzip.compress(json_lines(ROWS * 500))
    server.publish(PUBLISHED, {"test.jsonl.gz": content, "train.jsonl.gz": content * 2})
    reports = []
    fetch_pairs(OWN, progress=lambda *counts: reports.append(counts))
    assert {total for _, total in reports} == {len(content)}
    assert reports == sorted(reports)
    assert reports[-1][0] == len(content)


def test_a_pinned_commit_is_read_again_without_a_network(server):
    commit = server.publish(PUBLISHED, {"test.jsonl": json_lines()})
    server.publish(PUBLISHED, {"test.jsonl": json_lines(ROWS[:2])})  # main has changed
    pinned = replace(OWN, revision=commit)
    assert len(fetch_pairs(pinned)) == 3
    server.requests.clear()
    server.close()
    assert len(fetch_pairs(pinned)) == 3
    assert server.requests == []


def test_a_branch_remains_at_the_commit_first_fetched(server):
    first = server.publish(PUBLISHED, {"test.jsonl": json_lines()})
    assert fetch_pairs(OWN).source == f"{NAME}@{first}"
    second = server.publish(PUBLISHED, {"test.jsonl": json_lines(ROWS[:2])})
    assert fetch_pairs(OWN).source == f"{NAME}@{first}"
    assert fetch_pairs(OWN, revision=second).source == f"{NAME}@{second}"


def test_models_and_data_sets_of_one_name_are_apart(server):
    server.publish(NAME, {"test.jsonl": json_lines()})  # a model's repository
    with pytest.raises(DataSetError) as caught:
        fetch_pairs(OWN)
    assert caught.value.code == "unknown_name"
    assert "no data set `own/pairs`" in str(caught.value)


def test_a_broken_transfer_resumes(server):
    content = gzip.compress(json_lines(ROWS * 4000), compresslevel=0)
    server.publish(PUBLISHED, {"test.jsonl.gz": content})
    server.faults.breaks["test.jsonl.gz"] = [5000]
    assert len(fetch_pairs(OWN)) == 12_000
    assert server.sent("test.jsonl.gz") == len(content)


def refused(**keywords):
    with pytest.raises(DataSetError) as caught:
        fetch_pairs(OWN, **keywords)
    return caught.value


def test_what_the_hub_refuses_is_reported_of_a_data_set(server, monkeypatch):
    assert refused().code == "unknown_name"
    server.publish(PUBLISHED, {"dev.jsonl": json_lines()})
    error = refused()
    assert (error.code, error.details["files"]) == ("no_such_file", ("dev.jsonl",))
    assert isinstance(error, ModelFilesError)
    assert refused(revision="v9").code == "vanished_revision"
    server.faults.status[PUBLISHED] = 403
    error = refused()
    assert error.code == "gated"
    assert f"{server.url}/datasets/{NAME} " in str(error)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    error = refused()
    assert error.code == "no_network"
    assert "The data set `own/pairs`" in str(error)
    assert "Check the network" in str(error)


def test_scores_of_another_scale_are_another_file(server):
    server.publish(PUBLISHED, {"test.jsonl": json_lines([*ROWS, {**ROWS[0], "score": 90}])})
    with pytest.raises(CorpusError) as caught:
        fetch_pairs(OWN)
    assert caught.value.code == "score_outside_scale"
    assert len(fetch_pairs(replace(OWN, scale=(0, 100)))) == 4


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"sentence1": "a"\n', "bad_json"),
        (b"[1\n", "bad_json"),
        (json_lines([{**ROWS[0], "score": None}, ROWS[1]]), "bad_score"),
        (json_lines([{**ROWS[0], "score": float("nan")}, ROWS[1]]), "bad_score"),
        (json_lines([{**ROWS[0], "sentence2": " "}, ROWS[1]]), "blank_sentence"),
        (json_lines([{"a": "x", "b": 1}] * 3), "unknown_column"),
        (b"", "empty"),
    ],
)
def test_a_file_without_pairs(server, content, code):
    server.publish(PUBLISHED, {"test.jsonl": content})
    with pytest.raises(CorpusError) as caught:
        fetch_pairs(OWN)
    assert caught.value.code == code


def test_damaged_archives(server):
    for path, content in (
        ("test.jsonl.gz", gzip.compress(json_lines(), mtime=0)[:-9]),
        ("test.parquet", b"PAR1" + b"x" * 50),
    ):
        server.publish(PUBLISHED, {path: content})
        with pytest.raises(CorpusError) as caught:
            fetch_pairs(replace(OWN, revision=server.revisions[PUBLISHED, "main"]))
        assert caught.value.code == "damaged_file"


def test_names_that_are_none():
    with pytest.raises(ValueError, match="no set 'stsc'; choose one of stsb"):
        fetch_pairs("stsc")
    with pytest.raises(ValueError, match="no split 'dev'; choose one of test"):
        fetch_pairs("sts14", "dev")


def test_the_catalogue_is_pinned():
    assert list(PAIR_SETS) == [
        *("stsb", "sts12", "sts13", "sts14", "sts15", "sts16", "sickr", "stsb-zh"),
    ]
    for each in PAIR_SETS.values():
        assert re.fullmatch("[0-9a-f]{40}", each.revision)
        assert set(each.n_pairs) <= {"train", "dev", "test"}
        assert each.scale[0] < each.scale[1]
    revisions = [each.revision for each in PAIR_SETS.values()]
    assert len(set(revisions)) == len(revisions)


def test_which_file_is_a_splits():
    paths = ["README.md", "train.jsonl.gz", "validation.jsonl.gz", "test.jsonl.gz", "latest.csv"]
    assert files_of("dev", paths) == ["validation.jsonl.gz"]
    assert files_of("test", paths) == ["test.jsonl.gz"]
    assert files_of("test", ["en/test.csv", "zh/test.csv"]) == []
    both = ["data/test-00000-of-00001.parquet", "test.csv"]
    assert files_of("test", both) == both[:1]
