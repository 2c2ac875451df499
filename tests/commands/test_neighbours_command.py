"""python -m geometry neighbours: the examples of its help run; the table and the numbers."""

import csv
import json
import re
import shlex

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.neighbors import NearestNeighbors

from geometry import Whitening, load_encoder, read_bundled
from geometry.commands import run_shell
from geometry.commands.neighbours import neighbours
from geometry.measure import neighbour_changes
from tests.sentences import sentence

TEXTS = ("=1+1", *read_bundled("pairs").texts[:59])
QUESTIONS = ("Is it raining?", "Who cooks?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    (path / "sentences.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    (path / "questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    X = np.random.default_rng(0).standard_normal((80, 6)).astype(np.float32) + 1
    np.save(path / "vectors.npy", X)
    np.save(path / "q.npy", X[:12] + 0.5)
    answers = [f"{q + 1}\t{q + 1}\t1\n{q + 1}\t{q + 13}\t2" for q in range(12)]
    header = "query-id\tcorpus-id\tscore"
    (path / "qrels.tsv").write_text("\n".join([header, *answers, "13\t1\t1"]))
    return path


def lines(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("example", re.findall(r"python -m geometry (.+)", neighbours.help))
def test_an_example_of_the_help_runs(folder, monkeypatch, example):
    monkeypatch.chdir(folder)
    assert run_shell(shlex.split(example)) == 0


def test_the_table_has_both_lists_of_every_row(folder, tmp_path, capsys):
    out = tmp_path / "n.csv"
    args = ("neighbours", folder / "sentences.txt", "--out", out, "-k", 3)
    options = ("--layer", 4, "--transform", "pca:8:lw", "--quiet")
    assert run_shell([str(each) for each in (*args, *options)]) == 0
    said = capsys.readouterr().out
    assert run_shell([str(each) for each in (*args, *options, "--json", "--force")]) == 0
    found = json.loads(capsys.readouterr().out)
    X = load_encoder().encode(TEXTS, layer=4).astype(np.float64)
    Z = Whitening("pca", n_components=8, shrinkage="ledoit-wolf").fit_transform(X)
    written = lines(out)
    assert len(written) == 60 * 2 * 3
    for name, cloud in (("before", X), ("after", Z)):
        index = NearestNeighbors(n_neighbors=3, metric="cosine", algorithm="brute").fit(cloud)
        distances, rows = index.kneighbors()
        of = [line for line in written if line["list"] == name]
        assert [int(line["row"]) - 1 for line in of] == rows.ravel().tolist()
        np.testing.assert_allclose(
            [float(line["cosine"]) for line in of], 1 - distances.ravel(), atol=1e-5
        )
    assert written[0]["query"] == "'=1+1"  # the apostrophe prevents a spreadsheet from running it
    changes = neighbour_changes(X, Z, k=3)
    assert found["overlap"]["value"] == pytest.approx(changes.jaccard.value)
    assert found["hubness_after"] == pytest.approx(changes.after.hubness, abs=1e-4)
    assert found["hubs"][0]["before"] == changes.before.occurrences.max()
    assert f"overlap of the 3 nearest (Jaccard): {changes.jaccard.value:.3f} [" in said
    assert "fitted on the rows themselves (60 rows, n/d = 0.16)" in said


def test_queries_half_and_known_answers(folder, tmp_path, capsys):
    answers = tmp_path / "answers.csv"
    answers.write_text("query,relevant\n1,2;3;4;5;6;7;8\n2,1;3;4;5;6;7;8\n", encoding="utf-8")
    out = tmp_path / "n.csv"
    args = ["neighbours", str(folder / "vectors.npy"), "--out", str(out), "--force", "--quiet"]
    more = ["--transform", "centred", "--relevance", str(answers)]
    assert run_shell([*args, *more]) == 0
    assert "nDCG@10 of 2 queries" in capsys.readouterr().out
    assert run_shell([*args, *more, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    X = np.load(folder / "vectors.npy")
    index = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(X)
    found = [{*rows} & {*range(8)} for rows in index.kneighbors(X[:2], 11)[1]]
    recall = np.mean([(len(each) - 1) / 7 for each in found])  # without the query itself
    assert printed["recall"]["before"]["value"] == pytest.approx(recall)
    assert run_shell([*args, "--fit", "half"]) == 0
    assert len({line["query_row"] for line in lines(out)}) == 40
    assert "fitted on the other half of the rows (40 rows" in capsys.readouterr().out


def test_queries_with_vectors_of_their_own(folder, tmp_path, capsys):
    out = tmp_path / "n.csv"
    args = ["neighbours", str(folder / "vectors.npy"), "--queries", str(folder / "q.npy")]
    more = ["--relevance", str(folder / "qrels.tsv"), "-k", "5", "--transform", "centred"]
    assert run_shell([*args, *more, "--out", str(out), "--json", "--quiet"]) == 0
    said = capsys.readouterr()
    printed = json.loads(said.out)
    assert (printed["scored_queries"], printed["queries_left_out"]) == (12, 1)
    assert "12 of 13 queries are used" in said.err
    X, Q = np.load(folder / "vectors.npy"), np.load(folder / "q.npy")
    for side, shift in (("before", 0), ("after", X.mean(axis=0))):
        index = NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(X - shift)
        near = index.kneighbors(Q - shift)[1]
        right = near == np.arange(12)[:, None]
        right |= near == np.arange(12, 24)[:, None]
        first = [1 / (1 + each.argmax()) if each.any() else 0 for each in right]
        assert printed["mrr"][side]["value"] == pytest.approx(np.mean(first))
        assert printed["recall"][side]["value"] == pytest.approx(right.sum(axis=1).mean() / 2)
    of_first = [line for line in lines(out) if line["query"] == "#1" and line["list"] == "after"]
    assert [int(line["row"]) - 1 for line in of_first] == near[0].tolist()


@pytest.mark.model
def test_texts_of_queries_are_named_by_their_ids(tmp_path, capsys):
    """A folder of BEIR: corpus.jsonl, queries.jsonl, qrels. Each query is a text of the corpus."""
    texts = read_bundled("pairs").texts[:40]
    for name, letter, some in (("corpus", "d", texts), ("queries", "q", texts[:12])):
        rows = [json.dumps({"_id": f"{letter}{n}", "text": each}) for n, each in enumerate(some)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    qrels = "".join(f"q{n} 0 d{n} 1\n" for n in range(12))
    (tmp_path / "qrels.txt").write_text(qrels)
    files = ("--queries", "queries.jsonl", "--relevance", "qrels.txt")
    args = ["neighbours", "corpus.jsonl", *files, "--out", "n.csv", "--transform", "centred"]
    paths = [str(tmp_path / each) if "." in each else each for each in args]
    assert run_shell([*paths, "--json", "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["mrr"]["before"]["value"] == 1
    assert printed["scored_queries"] == 12


def test_labels_and_rows_of_zeros(tmp_path, capsys):
    """Vectors from Parquet with a table beside them; a row is zero, and another has a NaN."""
    X = np.random.default_rng(0).standard_normal((60, 6)).astype(np.float32) + 1
    X[6], X[2, 1] = 0, np.nan
    vectors, table, out = (tmp_path / name for name in ("v.parquet", "m.tsv", "n.csv"))
    pq.write_table(pa.table({"vector": list(X)}), vectors)
    labels = ["ab"[row % 2] if row % 5 else "" for row in range(60)]
    rows = [f"text {row}\t{label}" for row, label in enumerate(labels)]
    table.write_text("\n".join(["text\ttopic", *rows]), encoding="utf-8")
    args = ["neighbours", str(vectors), "--out", str(out), "-k", "3", "--transform", "centred"]
    more = ["--metadata", str(table), "--labels", "topic", "--drop-nan", "--quiet"]
    assert run_shell([*args, *more]) == 0
    said = capsys.readouterr().out
    assert "rows of zeros, which have no direction: 1 left out" in said
    sound = [row for row in range(60) if row not in (2, 6)]
    found = neighbour_changes(
        X[sound], X[sound] - X[sound].mean(axis=0), k=3, labels=[labels[row] for row in sound]
    )
    of = "the same label, of 46 rows with one"
    assert f"neighbours with {of}: {found.before.agreement.value:.3f} [" in said
    assert {line["query_row"] for line in lines(out)} == {str(row + 1) for row in sound}
    assert lines(out)[-1]["query"] == "text 59"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--transform", "rounding"], "is not known"),
        (["--queries", "questions.txt"], "vectors"),
        (["--relevance", "questions.txt"], sentence("corpus", "no_relevance_columns")),
        (["--fit", "nowhere.npy"], "nowhere.npy"),
        (["-k", "79"], "none of the 79 neighbours that each of 80 rows has"),
    ],
)
def test_an_error_is_one_line(folder, monkeypatch, capsys, args, message):
    monkeypatch.chdir(folder)
    assert run_shell(["neighbours", "vectors.npy", "--out", "x.csv", "--quiet", *args]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1
    assert not (folder / "x.csv").exists()
