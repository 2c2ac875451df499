"""python -m geometry diagnose, whiten and project, on texts and on vectors."""

import base64
import csv
import gzip
import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from geometry import fit_treatment, load_encoder, mean_cosine, project, read_bundled
from geometry.commands import diagnose as diagnose_command
from geometry.commands import export_view as export_view_command
from geometry.commands import project as project_command
from geometry.commands import run_shell
from geometry.commands import whiten as whiten_command
from geometry.data import (
    VectorSet,
    judge_vectors,
    read_bundled_pairs,
    read_pairs,
    read_relevance,
)
from geometry.data.translations import catalogue
from geometry.diagnosis import (
    diagnose,
    report_html,
    sentences,
    storage_table,
    threshold_sentences,
)
from geometry.diagnosis.sentences import REPORT, SENTENCES, basis, recommendation
from geometry.export import save_transform
from geometry.projection.neighbour_maps import MAPS
from tests.diagnosis.made_up import labelled
from tests.sentences import sentence

ROOT = Path(__file__).parents[2]
X, LABELS = labelled("centre", n=200)
EXAMPLE = re.compile(r"python -m geometry (.*)")
COMMANDS = (diagnose_command, whiten_command, project_command, export_view_command)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    topics = read_bundled("topics")
    with (tmp_path / "sentences.csv").open("w", newline="") as file:
        rows = list(zip(topics.texts, topics.labels, strict=True))[:60]
        csv.writer(file).writerows([("text", "topic"), *rows])
    np.save(tmp_path / "vectors.npy", X)
    pairs = read_bundled_pairs()
    with (tmp_path / "pairs.csv").open("w", newline="") as file:
        rows = list(zip(pairs.left, pairs.right, pairs.gold_scores, strict=True))[:100]
        csv.writer(file).writerows([("left", "right", "score"), *rows])
    judge_vectors_by_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def judge_vectors_by_files(folder):
    """Queries with BEIR's qrels, and pairs of rows: the labels decide what is relevant."""
    np.save(folder / "queries.npy", X[:40] * 2)
    of_label = [[row for row in range(40, 200) if LABELS[row] == LABELS[q]][:6] for q in range(40)]
    qrels = [f"{q + 1}\t{row + 1}\t1" for q, rows in enumerate(of_label) for row in rows]
    qrels += ["41\t50\t1", "1\t999\t1"]  # no query, and no row
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *qrels]))
    pairs = [(q, q + 40 + q % 3) for q in range(150)]
    rows = [f"{a + 1},{b + 1},{int(LABELS[a] == LABELS[b]) + a % 2 / 4}" for a, b in pairs]
    (folder / "pairs-of-rows.csv").write_text("\n".join(["left,right,score", *rows, "1,999,1"]))


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_examples_of_help_run(folder, capsys, command):
    examples = EXAMPLE.findall(command.get_help(click.Context(command, info_name="x")))
    assert len(examples) >= 2
    for example in examples:
        assert run_shell([*shlex.split(example), "--quiet"]) == 0, capsys.readouterr().err
    named = {"diagnose": ["report.html", "pairs.html"],
             "export-view": ["cloud.html"],
             "project": ["points.csv", "points/metadata.tsv"],
             "whiten": ["whitened.npy", "centred.parquet", "projector/vectors.tsv"]}  # fmt: skip
    assert all((folder / name).is_file() for name in named[command.name])


@pytest.mark.slow
@pytest.mark.model
def test_the_readme_goes_from_a_file_to_a_model(folder, capsys):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _before, _head, part = readme.partition("## From a file to a model")
    lines = EXAMPLE.findall(part.partition("## The library")[0])
    assert [line.split()[0] for line in lines] == ["diagnose", "export", "neighbours"]
    for line in lines:
        assert run_shell([*shlex.split(line), "--quiet"]) == 0, capsys.readouterr().err
    from sentence_transformers import SentenceTransformer

    texts = list(read_bundled("topics").texts[:60])
    X = load_encoder().encode(texts, layer=4)
    found = SentenceTransformer(str(folder / "centred-model")).encode(texts)
    np.testing.assert_allclose(found, X - X.mean(axis=0), atol=1e-4)


def test_diagnose_prints_the_library_s_numbers(folder, capsys):
    assert run_shell(["diagnose", "vectors.npy", "--json", "--quiet", "--seed", "3"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = diagnose(X, seed=3)
    assert printed["findings"][0]["numbers"]["value"] == found.findings[0].numbers["value"]
    assert printed["vectors_sha256"] == found.vectors_sha256
    assert run_shell(["diagnose", "vectors.npy", "--out", "r.html", "--seed", "3"]) == 0
    output = capsys.readouterr()
    assert output.out.splitlines()[-1] == recommendation(found, str)
    assert SENTENCES["leave-no_yardstick"] in (folder / "r.html").read_text()
    assert "diagnosing: 100%" in output.err


def test_the_report_and_the_text_in_another_language(folder, capsys):
    args = ["diagnose", "vectors.npy", "--out", "r.html", "--quiet", "--language", "zh-Hant"]
    assert run_shell(args) == 0
    found = diagnose(X, about={"corpus": "vectors"})
    chinese = catalogue("zh-Hant").gettext
    written = (folder / "r.html").read_text(encoding="utf-8")
    assert written == report_html(found, translate=chinese, language="zh-Hant")
    assert chinese(REPORT["findings"]) not in ("Findings", "")
    assert capsys.readouterr().out.splitlines()[-1] == recommendation(found, chinese)
    assert run_shell([*args[:-1], "xx"]) == 2


def test_thresholds_are_printed_and_storage_on_demand(folder, capsys):
    with (folder / "kinds.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("row", "kind"), *enumerate(LABELS)])
    args = ["diagnose", "vectors.npy", "--metadata", "kinds.csv", "--labels", "kind", "--quiet"]
    found = diagnose(X, labels=LABELS)
    assert run_shell(args) == 0
    printed = capsys.readouterr().out
    assert threshold_sentences.summary(found, str) in printed
    assert threshold_sentences.basis(found, str) in printed
    assert sentences.STORAGE["title"] not in printed
    assert run_shell([*args, "--storage", "--out", "r.html"]) == 0
    stored = storage_table(found, X, labels=LABELS)
    printed = capsys.readouterr().out
    assert sentences.storage_summary(stored, str) in printed
    assert sentences.STORAGE["title"] in (folder / "r.html").read_text(encoding="utf-8")
    assert run_shell([*args, "--storage", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["storage"]["rows"][3]["form"] == "binary"
    assert written["sentences"]["thresholds"] == threshold_sentences.summary(found, str)
    assert written["thresholds"]["arms"][1]["kind"] == "centre"


@pytest.mark.slow
@pytest.mark.model
def test_pairs_alone_are_diagnosed_by_their_sentences(folder, capsys):
    args = ["diagnose", "--pairs", "pairs.csv", "--layer", "5", "--json", "--quiet"]
    assert run_shell(args) == 0
    printed = json.loads(capsys.readouterr().out)
    pairs = read_pairs("pairs.csv")
    layers = load_encoder().encode_layers(pairs.sentences, poolings=("mean",))["mean"]
    others = {(layer, "mean"): layers[layer] for layer in range(7) if layer != 5}
    judged = (*pairs.rows, pairs.gold_scores)
    found = diagnose(
        layers[5], texts=pairs.sentences, pairs=judged, others=others, about={"layer": "5"}
    )
    assert printed["n"] == len(pairs.sentences)
    assert printed["trial"]["amount"] == found.trial.amount >= 40
    for name, line in (("basis", basis), ("recommendation", recommendation)):
        assert printed["sentences"][name] == line(found, str)


def test_pairs_of_rows_judge_vectors(folder, capsys):
    args = ["diagnose", "vectors.npy", "--pairs", "pairs-of-rows.csv", "--json", "--quiet"]
    assert run_shell(args) == 0
    printed = json.loads(capsys.readouterr().out)
    lines = (folder / "pairs-of-rows.csv").read_text().splitlines()[1:-1]
    left, right, gold = np.array([line.split(",") for line in lines], dtype=float).T
    left, right = (side.astype(int) - 1 for side in (left, right))
    found = diagnose(X, pairs=(left, right, gold))
    assert printed["sentences"]["recommendation"] == recommendation(found, str)
    assert printed["sentences"]["basis"] == basis(found, str)
    note = "150 of 151 pairs are used. Their ids are taken as: row numbers from 1."
    assert note in printed["notes"]
    # the same sides as vectors of their own, named by ids
    ids = [f"S{row}" for row in range(len(X))]
    table = pa.table({"_id": ids[::-1], "vector": list(X[::-1])})
    pq.write_table(table, folder / "sides.parquet")
    rows = [f"S{a},S{b},{score}" for a, b, score in zip(left, right, gold, strict=True)]
    (folder / "ids.csv").write_text("\n".join(rows))
    more = ["--pairs", "ids.csv", "--pairs-vectors", "sides.parquet", "--json", "--quiet"]
    assert run_shell(["diagnose", "vectors.npy", *more]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = diagnose(X, pairs=(X[left], X[right], gold))
    assert printed["sentences"]["basis"] == basis(found, str)
    assert "150 of 150 pairs are used. Their ids are taken as: ids." in printed["notes"]


def test_queries_judge_vectors(folder, capsys):
    args = ["diagnose", "vectors.npy", "--queries", "queries.npy", "--relevance", "qrels.tsv"]
    assert run_shell([*args, "--json", "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)
    judged = judge_vectors(
        read_relevance(folder / "qrels.tsv"), VectorSet("v", X), VectorSet("q", X[:40] * 2)
    )
    assert (len(judged), judged.n_queries, judged.n_missing) == (40, 41, 2)
    found = diagnose(X, queries=judged)
    assert printed["sentences"]["recommendation"] == recommendation(found, str)
    assert printed["sentences"]["basis"] == basis(found, str)
    [note] = [each for each in printed["notes"] if "queries are used" in each]
    assert note.startswith("40 of 41 queries are used")
    assert note.endswith("Ids without a vector: 2.")
    # half of the answers name no vector
    lines = (folder / "qrels.tsv").read_text().splitlines()
    broken = [line.replace("\t", "\tno-", 1) if n % 2 else line for n, line in enumerate(lines)]
    (folder / "qrels.tsv").write_text("\n".join(broken))
    assert run_shell([*args, "--json", "--quiet"]) == 0
    assert "Check the ids." in capsys.readouterr().out


def test_of_a_large_file_a_sample_is_diagnosed_and_stated(folder, capsys, monkeypatch):
    module = sys.modules["geometry.commands.diagnose"]
    monkeypatch.setattr(module, "LARGE_FILE", 1000)
    monkeypatch.setattr(module, "SAMPLE", 100)
    args = ["diagnose", "vectors.npy", "--out", "r.html", "--quiet"]
    assert run_shell([*args, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    whole = f"Of all 200 rows, exactly: mean cosine {mean_cosine(X):.3f}"
    assert (printed["n"], printed["notes"][0]) == (100, "A random sample: 100 of 200, seed 0.")
    assert printed["notes"][1].startswith(whole)
    assert whole in (folder / "r.html").read_text(encoding="utf-8")
    assert run_shell([*args, "--force", "--sample", "150"]) == 0
    assert "A random sample: 150 of 200, seed 0." in capsys.readouterr().out


def test_whiten_fits_on_the_file_on_another_or_takes_a_fitted_transform(folder, capsys):
    def whitened(*args: str) -> np.ndarray:
        command = ["whiten", "vectors.npy", "--out", "w.npy", "--force", "--quiet"]
        assert run_shell([*command, *args]) == 0
        return np.load("w.npy")

    np.testing.assert_allclose(whitened("--transform", "centred"), X - X.mean(axis=0), atol=1e-4)
    assert "fitted_on FILE itself" in capsys.readouterr().out
    np.save("other.npy", X[:100])
    half = whitened("--transform", "centred", "--fit", "other.npy")
    np.testing.assert_allclose(half, X - X[:100].mean(axis=0), atol=1e-4)
    save_transform("w.safetensors", fit_treatment("centred", X[:100]))
    np.testing.assert_allclose(whitened("--fit", "w.safetensors"), half, atol=1e-4)
    np.save("zeros.npy", np.vstack([X[:100], np.zeros((50, 24), np.float32)]))  # left out of a fit
    zeros = whitened("--transform", "centred", "--fit", "zeros.npy")
    np.testing.assert_allclose(zeros, half, atol=1e-4)
    capsys.readouterr()
    # 200 rows of 24 dimensions are enough for a whitening in full
    usual = whitened("--json")
    np.testing.assert_allclose(np.cov(usual.T, bias=True), np.eye(24), atol=1e-3)
    assert json.loads(capsys.readouterr().out)["about"]["method"] == "pca"


@pytest.mark.model
def test_texts_are_read_as_on_the_page(folder, capsys):
    """Options: no header, another encoding, splitting texts into sentences, a mean of layers."""
    rows = ["貓在睡。狗在跑。", "雨下得很大。", "火車來了。茶涼了。"]
    (folder / "big.csv").write_text("".join(f"{row},x\n" for row in rows), encoding="big5")
    args = ["project", "big.csv", "--out", "p.csv", "--json", "--quiet", "--encoding", "big5"]
    args.append("--force")

    def projected(*more: str) -> list[dict[str, str]]:
        assert run_shell([*args, *more]) == 0, capsys.readouterr().err
        with (folder / "p.csv").open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    alone = projected("--no-header")
    assert [row["text"] for row in alone] == rows
    assert json.loads(capsys.readouterr().out)["about"]["layer"] == "6"
    split = projected("--no-header", "--by-sentence", "--layer", "first-last")
    assert [row["text"] for row in split] == [
        *("貓在睡。", "狗在跑。", "雨下得很大。", "火車來了。", "茶涼了。")
    ]
    assert json.loads(capsys.readouterr().out)["about"]["layer"] == "first-last"
    sentences = [row["text"] for row in split]
    X = load_encoder().encode(sentences, layer="first-last")
    expected = project(X, "svd").around_origin
    found = np.array([[float(row["x"]), float(row["y"])] for row in split])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert run_shell([*args, "--header"]) == 2  # two texts remain, but a picture needs three
    assert run_shell([*args, "--no-header", "--layer", "lst"]) == 2
    assert "lst" in capsys.readouterr().err
    diagnosed = ["diagnose", "sentences.csv", "--layer", "1+6", "--json", "--quiet"]
    assert run_shell(diagnosed) == 0
    assert json.loads(capsys.readouterr().out)["about"]["layer"] == "1+6"


def test_rows_with_nan_are_dropped_and_a_sample_is_taken_on_request(folder, capsys):
    bad = np.vstack([X, np.full((1, X.shape[1]), np.nan)])
    np.savez("two.npz", vec=X[:3], mine=bad)
    args = ["whiten", "two.npz", "--force", "--out", "w.npy"]
    args += ["--transform", "centred", "--vector-column", "mine"]
    assert run_shell(args) == 2
    said = capsys.readouterr().err
    assert "NaN" in said
    assert "--drop-nan leaves them out." in said
    assert run_shell([*args, "--drop-nan"]) == 0
    np.testing.assert_allclose(np.load("w.npy"), X - X.mean(axis=0), atol=1e-4)
    said = capsys.readouterr()
    assert "left out 1 row with NaN or infinity" in said.out
    assert "Rows left out for NaN or infinity: 1 (number 201)." in said.err
    assert run_shell([*args, "--drop-nan", "--sample", "50"]) == 0
    assert np.load("w.npy").shape == (50, X.shape[1])
    assert "sample 50 of 201 rows, seed 0" in capsys.readouterr().out
    far = X.copy()
    far[0], far[7] = np.nan, 1e3
    np.save("far.npy", far)
    assert run_shell(["diagnose", "far.npy", "--drop-nan", "--storage", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "Their first rows, from 1: 8, " in said  # as in the file
    assert "What storage costs is not judged" in said


def test_umap_leaves_zeros_out_and_places_what_is_beyond_its_sample(tmp_path, monkeypatch, capsys):
    X = np.random.default_rng(0).standard_normal((90, 6)).astype(np.float32)
    X[6] = 0
    np.save(tmp_path / "v.npy", X)
    monkeypatch.setattr("geometry.projection.neighbour_maps.MOST_FITTED", 40)
    fitted = []

    def layout(rows, _found, n_components, seed, _progress):
        fitted.append((rows, seed))
        return np.asarray(rows[:, :n_components], dtype=np.float64)

    monkeypatch.setitem(MAPS, "umap", replace(MAPS["umap"], layout=layout))
    args = ["project", str(tmp_path / "v.npy"), "--method", "umap", "--quiet", "--json"]
    assert run_shell([*args, "--out", str(tmp_path / "p.npy")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["n"], printed["zero_rows_left_out"], printed["n_fitted"]) == (89, 1, 40)
    assert (len(fitted[-1][0]), fitted[-1][1]) == (40, printed["seed"]) == (40, 0)
    assert np.isfinite(np.load(tmp_path / "p.npy")).all()
    args = [*args, "--out", str(tmp_path / "p.npy"), "--force", "--fit-all", "--no-seed"]
    assert run_shell(args) == 0
    said = capsys.readouterr()
    assert "UMAP: a map of neighbours: it has no origin, no cone" in said.err
    printed = json.loads(said.out)
    assert (printed["n_fitted"], printed["seed"]) == (89, None)
    assert (len(fitted[-1][0]), fitted[-1][1]) == (89, None)


def test_a_view_is_one_file_with_escaped_texts(folder, capsys, monkeypatch):
    with (folder / "kinds.csv").open("w", newline="") as file:
        rows = [(f"row {i} </script><b>", kind) for i, kind in enumerate(LABELS)]
        csv.writer(file).writerows([("text", "kind"), *rows])
    beside = ["--metadata", "kinds.csv", "--texts", "text", "--labels", "kind", "--quiet"]
    args = ["export-view", "vectors.npy", "--out", "cloud.html", *beside]
    assert run_shell([*args, "--language", "zh-Hant", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    page = (folder / "cloud.html").read_text(encoding="utf-8")
    assert (printed["n"], printed["bytes"]) == (len(X), len(page.encode()))
    assert '<html lang="zh-Hant">' in page
    assert "default-src 'none'" in page
    assert "</script><b>" not in page
    parts = re.findall(r'type="text/plain" id="cloud-description">([^<]*)<', page)
    [description] = [json.loads(gzip.decompress(base64.b64decode(part))) for part in parts]
    assert description["texts"][7] == "row 7 </script><b>"
    module = sys.modules["geometry.commands.project"]  # its package has the command there
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    assert run_shell([*args, "--force"]) == 2
    assert "--sample 100" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["diagnose", "none.npy"], "none.npy"),
        (["diagnose"], "give FILE, or scored pairs"),
        (["diagnose", "--pairs", "pairs.csv", "--labels", "topic"], "an option about FILE"),
        (["diagnose", "vectors.npy", "--out", "no/r.html"], sentence("output", "no_folder")),
        (["diagnose", "vectors.npy", "--pairs", "pairs.csv"], sentence("corpus", "no_known_ids")),
        (["diagnose", "vectors.npy", "--queries", "queries.npy"], "--queries need --relevance"),
        (["diagnose", "vectors.npy", "--pairs-vectors", "queries.npy"], "need --pairs"),
        (
            ["diagnose", "vectors.npy", "--pairs", "pairs.csv", "--relevance", "qrels.tsv"],
            "give --pairs or --relevance",
        ),
        (
            ["diagnose", "vectors.npy", "--queries", "narrow.npy", "--relevance", "qrels.tsv"],
            sentence("corpus", "other_dimension", found="3", wanted="24"),
        ),
        (["whiten", "vectors.npy", "--out", "w.npy", "--transform", "flow"], "flow needs training"),
        (["whiten", "vectors.npy", "--out", "."], "not empty"),
        (["whiten", "vectors.npy", "--out", "w.csv"], "one of `.npy`, `.parquet`, or a name"),
    ],
)
def test_errors_are_one_line_with_exit_code_2(folder, capsys, args, message):
    np.save(folder / "narrow.npy", X[:40, :3])
    assert run_shell([*args, "--quiet"]) == 2
    error = capsys.readouterr().err
    assert re.search(message, error)
    assert error.count("\n") == 1


def with_gaps(path, rows, header):
    lines = [f"{','.join(header)},size", *(f"{row},{i % 7 * 3}" for i, row in enumerate(rows))]
    path.write_text("\n".join([*lines[:3], "," * len(header), *lines[3:]]) + "\n")
    return path.name


TOLD = [f"It rains in town number {i}.,topic {i % 2}" for i in range(40)]
LOOK = ("--layer", "1")


@pytest.mark.model
@pytest.mark.parametrize(
    "args",
    [
        ("whiten", *LOOK, "--out", "out.npy"),
        ("project", *LOOK, "--out", "out.csv"),
        ("neighbours", *LOOK, "--out", "out.csv"),
        ("export", *LOOK, "--out", "out"),
        ("diagnose", *LOOK),
    ],
    ids=lambda args: args[0],
)
def test_every_command_says_what_it_left_out_of_texts(folder, capsys, args):
    name = with_gaps(folder / "told.csv", TOLD, ("text", "topic"))
    verb, *rest = args
    assert run_shell([verb, name, *rest, "--quiet"]) == 0, capsys.readouterr().err
    printed = capsys.readouterr()
    said = printed.out if verb == "diagnose" else printed.err
    assert "Rows left out because they have no text: 1 (4)." in said
    assert "neither text, label nor vector: “topic” (not chosen), “size” (numbers)." in said


def test_evaluate_says_what_it_left_out_of_pairs(folder, capsys):
    pairs = [f"A cat {i} sleeps.,A dog {i % 5} runs.,{i % 6}" for i in range(30)]
    name = with_gaps(folder / "told.csv", pairs, ("left", "right", "score"))
    lines = [f"{word} {i}.5 {i % 2} 1 {i * i}.25\n" for i, word in enumerate(("a", "cat", "dog"))]
    (folder / "own.vec").write_text("".join(lines))
    args = ["evaluate", "--vectors", "own.vec", "--pairs", name, "--transforms", "none"]
    assert run_shell([*args, "--quiet"]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().err
    assert "Rows left out because they have no text: 1 (4)." in printed
    assert "neither text, label nor vector: “size” (numbers)." in printed
