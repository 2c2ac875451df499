"""Pairs from the Hugging Face Hub: the catalogue's layouts, files of a split, cache, refusals.

The repositories are invented, with three rows a split; ``geometry.hub.pair_sets`` has the layouts.
"""

import gzip
import io
import json
import re
from dataclasses import replace

import pyarrow as pa
import pytest
from pyarrow import parquet

from geometry import ModelFilesError
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
    "test.tsv": as_csv().replace(b",", b"\t"),
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


def refused(**keywords):
    with pytest.raises(DataSetError) as caught:
        fetch_pairs(OWN, **keywords)
    return caught.value


def test_what_the_hub_refuses_is_reported_of_a_data_set(server, offline):
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
    offline()
    error = refused()
    assert error.code == "no_network"
    assert "The data set `own/pairs`" in str(error)


def test_names_and_splits():
    with pytest.raises(ValueError, match="no set 'stsc'; choose one of stsb"):
        fetch_pairs("stsc")
    with pytest.raises(ValueError, match="no split 'dev'; choose one of test"):
        fetch_pairs("sts14", "dev")
    paths = ["README.md", "train.jsonl.gz", "validation.jsonl.gz", "test.jsonl.gz", "latest.csv"]
    assert files_of("dev", paths) == ["validation.jsonl.gz"]
    assert files_of("test", paths) == ["test.jsonl.gz"]
    assert files_of("test", ["en/test.csv", "zh/test.csv"]) == []
    both = ["data/test-00000-of-00001.parquet", "test.csv"]
    assert files_of("test", both) == both[:1]


@pytest.mark.parametrize("name", PAIR_SETS)
def test_the_catalogue_pins_a_commit_of_each_set(name):
    assert re.fullmatch("[0-9a-f]{40}", PAIR_SETS[name].revision)
