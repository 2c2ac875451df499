"""Every set of the catalogue in its repository's layout, with three invented rows a split."""

import gzip
import io
import json
from dataclasses import replace

import pyarrow as pa
import pytest
from pyarrow import parquet

from geometry.data.limits import CorpusError
from geometry.hub import DataSetError, fetch_pairs
from geometry.hub.pair_sets import PAIR_SETS

SENTENCES = [
    ("A dog ran home.", "A dog runs home."),
    ("It rained all day.", 'He said "no", twice.'),
    ("下雨了。", "今天有雨。"),
]
FILES = {"train": "train", "dev": "validation", "test": "test"}
HASHES = {"train": "7d9f45e146afdbd0", "dev": "f26577b4869b4653", "test": "8599d9428e96fe39"}


def stsb_row(i, left, right):
    """A row of STS-B; both genre and dataset could name its subset."""
    return {
        "split": "test",
        "genre": ("main-news", "main-forums", "main-news")[i],
        "dataset": "own",
        "year": "2026test",
        "sid": f"{i:04}",
        "score": (4.5, 0.0, 2.75)[i],
        "sentence1": left,
        "sentence2": right,
    }


def sts_row(i, left, right):
    return {"split": "test", "sentence1": left, "sentence2": right, "score": (4.5, 0.0, 2.75)[i]}


def sick_row(i, left, right):
    return {"sentence1": left, "sentence2": right, "score": (5.0, 1.0, 3.2)[i]}


def chinese_row(i, left, right):
    return {"sentence1": left, "sentence2": right, "score": (5, 0, 2)[i]}


ROWS = {
    "stsb": stsb_row,
    **dict.fromkeys(("sts12", "sts13", "sts14", "sts15", "sts16"), sts_row),
    "sickr": sick_row,
    "stsb-zh": chinese_row,
}


def sentences_of(split):
    """Sentence pairs in a different order for each split, because equal files are fetched once."""
    at = list(FILES).index(split)
    return SENTENCES[at:] + SENTENCES[:at]


def rows_of(name, split="test"):
    return [ROWS[name](i, *pair) for i, pair in enumerate(sentences_of(split))]


def split_file(name, split, rows=None):
    """(path, content) of a split in the layout of the set's repository."""
    rows = rows_of(name, split) if rows is None else rows
    if name == "stsb-zh":
        buffer = io.BytesIO()
        table = pa.Table.from_pylist(rows)
        score = table.schema.get_field_index("score")
        if score >= 0:
            table = table.set_column(score, "score", table.column("score").cast(pa.int32()))
        parquet.write_table(table, buffer)
        return f"data/{FILES[split]}-00000-of-00001-{HASHES[split]}.parquet", buffer.getvalue()
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return f"{FILES[split]}.jsonl.gz", gzip.compress(lines.encode(), mtime=0)


def layout(name, **replaced):
    """All files of the repository. None removes a split; bytes replace its content."""
    files = {".gitattributes": b"*.gz filter=lfs\n", "README.md": b"---\nlanguage: en\n---\n"}
    for split in PAIR_SETS[name].n_pairs:
        path, content = split_file(name, split)
        changed = replaced.get(split, content)
        if changed is not None:
            files[path] = changed
    return files


@pytest.fixture
def publish(server):
    """publish(name): the catalogue's set, at its pinned commit."""

    def published(name, **replaced):
        chosen = PAIR_SETS[name]
        key, files = f"datasets/{chosen.repository}", layout(name, **replaced)
        server.revisions[key, chosen.revision] = chosen.revision
        server.files[key, chosen.revision] = files
        return files

    return published


@pytest.mark.parametrize("name", PAIR_SETS)
def test_every_split_in_its_own_layout(server, publish, name):
    chosen, files = PAIR_SETS[name], publish(name)
    for split in chosen.n_pairs:
        reports = []
        server.requests.clear()
        pairs = fetch_pairs(name, split, progress=lambda *at, reports=reports: reports.append(at))
        path, content = split_file(name, split)
        assert server.fetched() == {path}
        assert reports[-1] == (len(content), len(files[path]))
        assert reports == sorted(reports)
        assert list(zip(pairs.left, pairs.right, strict=True)) == sentences_of(split)
        assert pairs.gold_scores.tolist() == [row["score"] for row in rows_of(name, split)]
        assert (pairs.scale, pairs.name) == (chosen.scale, f"{chosen.title} {split}")
        assert pairs.source == f"{chosen.repository}@{chosen.revision}"
        subsets = ("main-news", "main-forums", "main-news") if name == "stsb" else None
        assert pairs.subsets == subsets


@pytest.mark.parametrize("name", PAIR_SETS)
def test_what_can_go_wrong_with_each(server, publish, monkeypatch, name):
    chosen = PAIR_SETS[name]

    def refused(**keywords):
        with pytest.raises(DataSetError) as caught:
            fetch_pairs(name, **keywords)
        return caught.value

    publish(name, test=None)
    error = refused()
    assert error.code == "no_such_file"
    assert error.details["revision"] == chosen.revision
    publish(name)
    error = refused(revision="0" * 40)
    assert (error.code, error.details["revision"]) == ("vanished_revision", "0" * 40)
    path, content = split_file(name, "test")
    for status in (401, 403):
        server.faults.file_status[path] = status
        error = refused()
        assert (error.code, error.details["status"]) == ("gated", status)
        assert (
            f"{server.url}/datasets/{chosen.repository} with your account, set `HF_TOKEN`"
            in str(error)
        )
    server.faults.file_status.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    error = refused()
    assert (error.code, error.details["reason"]) == ("no_network", "HF_HUB_OFFLINE is set")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    server.faults.breaks[path] = [100]  # a broken transfer resumes
    assert len(fetch_pairs(name)) == 3
    assert server.sent(path) == len(content)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # cached files need no network
    assert len(fetch_pairs(name)) == 3


@pytest.mark.parametrize("name", PAIR_SETS)
def test_a_file_of_other_columns_or_another_scale_is_refused(publish, name):
    renamed = [
        {("label" if key == "score" else key): value for key, value in row.items()}
        for row in rows_of(name)
    ]
    publish(name, test=split_file(name, "test", renamed)[1])
    with pytest.raises(CorpusError) as caught:
        fetch_pairs(name)
    assert caught.value.code == "unknown_column"
    assert "score" in str(caught.value)


@pytest.mark.parametrize("name", ["sts12", "sickr", "stsb-zh"])
def test_scores_beyond_the_scale_are_another_file(publish, name):
    rows = rows_of(name)
    rows[0]["score"] = 40
    publish(name, test=split_file(name, "test", rows)[1])
    with pytest.raises(CorpusError, match=r"run from .* to 40, but the scale") as caught:
        fetch_pairs(name)
    assert caught.value.code == "score_outside_scale"


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("name", ["sickr", "stsb"])
def test_a_set_written_anew_as_a_table_is_read(server, name, suffix):
    """No set has this layout today, but a branch may change."""
    mark = {".csv": ",", ".tsv": "\t"}[suffix]
    rows = rows_of(name)
    quoted = [
        '"{}"'.format(str(value).replace('"', '""')) for row in rows for value in row.values()
    ]
    width = len(rows[0])
    lines = [
        mark.join(rows[0]),
        *(mark.join(quoted[i * width : (i + 1) * width]) for i in range(3)),
    ]
    chosen = replace(PAIR_SETS[name], revision="main")
    files = {f"test{suffix}": "\n".join(lines).encode()}
    server.publish(f"datasets/{chosen.repository}", files)
    pairs = fetch_pairs(chosen)
    assert list(zip(pairs.left, pairs.right, strict=True)) == sentences_of("test")
    assert pairs.gold_scores.tolist() == [row["score"] for row in rows]
