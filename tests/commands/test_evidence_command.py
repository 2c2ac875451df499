"""python -m geometry evidence: the library's numbers, in files, also after an interruption."""

import csv
import json

import numpy as np
import pytest

from geometry import load_encoder
from geometry.commands import run_shell
from geometry.data import VectorSet, judge_vectors, read_pairs, read_relevance
from geometry.diagnosis.evidence import GainGrid, _judged, evidence
from tests.diagnosis.made_up import labelled
from tests.encode.tiny_encoder import save_tiny_bert

WORDS = ("cat", "dog", "bird", "rain", "tree", "mat", "old")
X, LABELS = labelled("centre", n=120)
FEW = ("--cures", "centred,abtt:1", "--quiet")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evidence")
    save_tiny_bert(folder / "model")
    sides = [(f"the {a} sat on the {b}", f"a {a} ran under a {b}") for a in WORDS for b in WORDS]
    rows = [f"{left},{right},{i * 7 % 11 / 2}" for i, (left, right) in enumerate(sides)]
    (folder / "pairs.csv").write_text("\n".join(["left,right,score", *rows]))
    (folder / "fit.txt").write_text("\n".join(f"{a} and {b}" for a in WORDS for b in WORDS))
    np.save(folder / "vectors.npy", X)
    (folder / "meta.csv").write_text("\n".join(["kind", *LABELS]))
    rows = [f"{row + 1},{row + 61},{row * 7 % 11}" for row in range(60)]
    (folder / "ids.csv").write_text("\n".join(["left,right,score", *rows]))
    rows = [f"{row + 1}\t{row + 61}\t1" for row in range(60)]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]))
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    for path in made.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def judged(monkeypatch):
    """The places that were judged; ``fails_at`` is the number of the one that is interrupted."""
    calls = []

    def counted(*args):
        if len(calls) == calls_until.get("fails_at"):
            raise KeyboardInterrupt
        calls.append(args[4])  # the seed
        return _judged(*args)

    calls_until = {}
    monkeypatch.setattr("geometry.diagnosis.evidence._judged", counted)
    return calls, calls_until


def tiny(*args):
    places = ("--layers", "1,first-last", "--poolings", "mean,cls")
    return run_shell(["evidence", "--pairs", "pairs.csv", "--model", "model", *places, *FEW, *args])


def grids(path):
    return {name: GainGrid.of_json(each) for name, each in json.loads(path.read_text()).items()}


def test_the_gains_are_printed_and_written_as_json_csv_and_a_report(folder, capsys):
    outs = [f"gains{ending}" for ending in (".json", ".csv", ".html")]
    how = ["--layers", "1", "--poolings", "mean", "--similarities", "cosine,rank", *FEW]
    args = ["evidence", "--pairs", "pairs.csv", "--model", "model", *how]
    assert run_shell([*args, *(arg for out in outs for arg in ("--out", out))]) == 0
    [grid] = grids(folder / "gains.json").values()
    assert len(grid.gains) == 2 * (2 + 2)  # two controls
    pairs = read_pairs("pairs.csv")
    known = evidence(
        {(1, "mean"): load_encoder("model").encode(pairs.sentences, layer=1)},
        task="pairs",
        pairs=(*pairs.rows, pairs.gold_scores),
        cures=("centred", "abtt:1"),
        similarities=("cosine", "rank"),
    )
    gains = [each.gain.value for each in grid.gains]
    assert gains == pytest.approx([each.gain.value for each in known.gains], abs=1e-4)
    with (folder / "gains.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["gain_low"]) for row in rows] == [each.gain.low for each in grid.gains]
    report = (folder / "gains.html").read_text()
    assert report.count("<svg") == 2 * 2
    assert "<script" not in report
    basis = "n = 49 (49 independent), d = 16; fitted on the other 4 of 5 folds"
    printed = capsys.readouterr().out
    assert basis in report
    assert basis in printed
    assert f"intervals of {grid.n_together} differences hold at 95% together" in printed


def test_an_interrupted_run_resumes_with_the_same_numbers(folder, judged, capsys):
    calls, until = judged
    assert tiny("--out", "whole.json") == 0
    n_places = len(calls)
    assert n_places == 4
    calls.clear()
    until["fails_at"] = 1
    assert tiny("--out", "parts.json") == 130
    error = capsys.readouterr().err
    assert ".parts.json.places has what is finished, and the same command resumes." in error
    assert not (folder / "parts.json").exists()
    until.clear()
    calls.clear()
    assert tiny("--out", "parts.json", "--out", "parts.html") == 0
    assert len(calls) == n_places - 1
    assert "is not computed again" in capsys.readouterr().err
    assert grids(folder / "parts.json") == grids(folder / "whole.json")
    assert not (folder / ".parts.json.places").exists()


def test_another_setting_or_file_begins_anew(folder, judged):
    calls, until = judged
    until["fails_at"] = 3
    assert tiny("--out", "gains.json") == 130
    until["fails_at"] = 6
    assert tiny("--out", "gains.json", "--seed", "1") == 130  # none of the three is of this seed
    assert calls == [0, 0, 0, 1, 1, 1]
    until.clear()
    lines = (folder / "pairs.csv").read_text().splitlines()
    (folder / "pairs.csv").unlink()
    (folder / "pairs.csv").write_text("\n".join([*lines[:-1], lines[-1].rpartition(",")[0] + ",9"]))
    assert tiny("--out", "gains.json") == 0
    assert len(calls) == 6 + 4


def test_a_file_of_texts_is_fitted_on_and_all_is_printed_without_a_file(folder, capsys):
    assert tiny("--json", "fit.txt") == 0
    [grid] = map(GainGrid.of_json, json.loads(capsys.readouterr().out).values())
    assert (grid.n_fit, grid.n_items, grid.about["fit"]) == (49, 49, "fit")
    assert tiny("fit.txt") == 0
    printed = capsys.readouterr().out
    assert "fitted on fit (n = 49)" in printed
    assert "layer first-last, cls" in printed
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize(
    ("args", "given"),
    [
        (("--metadata", "meta.csv", "--labels", "kind"), {"task": "labels", "labels": LABELS}),
        (
            ("--metadata", "meta.csv", "--labels", "kind", "--task", "probe"),
            {"task": "probe", "labels": LABELS},
        ),
        (
            ("--pairs", "ids.csv", "--vectors"),
            {
                "task": "pairs",
                "pairs": (np.arange(60), np.arange(60, 120), np.arange(60) * 7 % 11),
            },
        ),
        (("--relevance", "qrels.tsv", "--vectors"), {"task": "queries"}),
    ],
    ids=lambda each: each.get("task") if isinstance(each, dict) else "",
)
def test_vectors_are_judged_by_each_task(folder, capsys, args, given):
    if given["task"] == "queries":
        judges = judge_vectors(read_relevance(folder / "qrels.tsv"), VectorSet("vectors", X))
        given = given | {"queries": judges}
    assert run_shell(["evidence", "vectors.npy", *args, *FEW, "--json"]) == 0
    [grid] = map(GainGrid.of_json, json.loads(capsys.readouterr().out).values())
    expected = evidence({("", ""): X}, cures=("centred", "abtt:1"), **given)
    assert grid.gains == expected.gains
    assert grid.task == given["task"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "say what judges: --pairs, --relevance or --labels"),
        (("--task", "labels", "--pairs", "pairs.csv"), "--task labels needs --labels"),
        (("--labels", "kind"), "--task labels needs FILE"),
        (("--pairs", "pairs.csv", "--similarities", "l1"), "'l1' is none of cosine, dot"),
        (
            ("--pairs", "pairs.csv", "--model", "a", "--model", "b", "--prefix", "x"),
            "--revision and --prefix are of one model",
        ),
        (("fit.txt", "--relevance", "qrels.tsv"), "--relevance judges one place"),
        (("--pairs", "pairs.csv", "--texts", "x"), "about FILE is given, and no FILE"),
        (
            ("vectors.npy", "--relevance", "qrels.tsv", "--similarities", "dot"),
            "queries are judged by cosine alone",
        ),
    ],
)
def test_an_error_is_one_line_and_nothing_is_written(folder, capsys, args, message):
    before = sorted(folder.iterdir())
    assert run_shell(["evidence", *args, "--quiet"]) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.startswith("Error: ")
    assert printed.err.count("\n") == 1
    assert message in printed.err
    assert sorted(folder.iterdir()) == before


def test_texts_are_found_by_queries_at_one_place(folder, capsys):
    (folder / "few.tsv").write_text(
        "\n".join(["query-id\tcorpus-id\tscore", *(f"{i}\t{50 - i}\t1" for i in range(1, 50))])
    )
    place = ("--model", "model", "--layers", "1", "--poolings", "mean", "--as", "texts")
    args = ("evidence", "fit.txt", "--relevance", "few.tsv", *place, *FEW, "--json")
    code = run_shell(args)
    printed = capsys.readouterr()
    assert code == 0, printed.err
    [(model, grid)] = json.loads(printed.out).items()
    assert (grid["task"], grid["n_items"]) == ("queries", 48)  # the middle one answers itself
    assert (grid["about"]["model"], grid["about"]["data"]) == (model, "fit")
    assert {(each["layer"], each["pooling"]) for each in grid["gains"]} == {("1", "mean")}


def test_sentences_of_one_text_stay_together(tmp_path, monkeypatch, capsys):
    """By sentences, a text has two rows; the units are the texts."""
    save_tiny_bert(tmp_path / "model")
    rows = [(f"The {a} sat on the {b}. A {b} ran under a {a}.", a) for a in WORDS for b in WORDS]
    with (tmp_path / "texts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "topic"), *rows])
    monkeypatch.chdir(tmp_path)
    places = ("--layers", "1", "--poolings", "mean", "--model", "model", "--as", "texts")
    args = ["evidence", "texts.csv", "--labels", "topic", "--by-sentence", *places, *FEW, "--json"]
    code = run_shell(args)
    printed = capsys.readouterr()
    assert code == 0, printed.err
    [grid] = map(GainGrid.of_json, json.loads(printed.out).values())
    assert (grid.n_units, grid.n_items) == (49, 98)
