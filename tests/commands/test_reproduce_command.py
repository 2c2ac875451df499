"""python -m geometry reproduce: rows of published tables, from a hub of this machine."""

import gzip
import json
import re

import numpy as np
import pytest

from geometry import evaluate_encoder, load_encoder, read_pairs
from geometry.commands import run_shell
from geometry.evaluate import evaluate_words, published_tables
from geometry.evaluate.recipes import BERT, DATA_SETS, RECIPES
from geometry.hub.pair_sets import PAIR_SETS
from geometry.vectors import read_vectors
from tests.encode.tiny_encoder import WORDS
from tests.for_each import for_each
from tests.hub.conftest import server, tiny  # noqa: F401

NOUNS = ("cat", "dog", "bird", "rain", "tree", "mat")
PAIRS = [
    (f"the {a} sat on the {b}", f"a {b} ran under a {c}", i * 7 % 11 / 2)
    for i, (a, b, c) in enumerate((a, b, c) for a in NOUNS for b in NOUNS for c in NOUNS[:2])
]


@pytest.fixture
def hub(server, tiny):  # noqa: F811
    server.publish(BERT, tiny)
    names = ("sentence1", "sentence2", "score")
    for name in ("stsb", "sickr"):
        low = PAIR_SETS[name].scale[0]
        rows = [dict(zip(names, (*two, max(low, score)), strict=True)) for *two, score in PAIRS]
        content = "\n".join(map(json.dumps, rows)).encode()
        files = {"test.jsonl.gz": gzip.compress(content, mtime=0)}
        kept = PAIR_SETS[name]
        server.publish(f"datasets/{kept.repository}", files, revision=kept.revision)
    return server


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [",".join(map(str, (*each, "ab"[i % 2]))) for i, each in enumerate(PAIRS)]
    data = tmp_path / "sts"
    data.mkdir()
    (data / "sts12.csv").write_text("\n".join(["left,right,score,subset", *rows]))
    (data / "stsb.csv").write_text("\n".join(["left,right,score,genre", *rows]))
    (data / "nli.txt").write_text(
        "\n".join(f"the old {a} sang. a red {b}" for a in NOUNS for b in NOUNS)
    )
    rng = np.random.default_rng(0)
    lines = [
        f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=6))}"
        for word in WORDS
        if word.isalpha()
    ]
    (tmp_path / "glove.txt").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cells(capsys, *args):
    assert run_shell(["reproduce", *args, "--json", "--quiet"]) == 0
    printed = json.loads(capsys.readouterr().out)
    return printed["about"], {(each["row"], each["column"]): each for each in printed["cells"]}


def expected(model, pairs, row, how, **more):
    grid = evaluate_encoder(
        load_encoder(model),
        pairs,
        layers=[row.layer],
        poolings=[row.pooling],
        treatments=[row.treatment],
        aggregation=how,
        **more,
    )
    return 100 * grid.cells[0].score.spearman


@for_each("name", RECIPES)
def test_every_published_row_has_a_recipe(name):
    table = next(each for each in published_tables() if each.key == RECIPES[name].key)
    assert list(table.rows) == list(RECIPES[name].rows)
    assert table.columns == tuple(DATA_SETS)


def test_rows_of_models_of_the_hub_and_reasons_for_the_others(hub, folder, tiny, capsys):  # noqa: F811
    how = ("--sets", "stsb,sickr,sts13", "--vectors", "glove.txt")
    about, found = cells(capsys, "sbert-table1", *how)
    recipes = RECIPES["sbert-table1"].rows
    pairs = read_pairs(folder / "sts" / "stsb.csv")
    for row, published in (("avg BERT", 46.35), ("BERT CLS", 16.5)):
        cell = found[row, "STS-B"]
        assert cell["here"] == pytest.approx(expected(tiny, pairs, recipes[row], None), abs=1e-6)
        assert cell["published"] == published
        assert cell["difference"] == pytest.approx(cell["here"] - published)
        assert (cell["n"], cell["missing"]) == (72, "")
        assert cell["low"] < cell["here"] < cell["high"]
    table = read_vectors("glove.txt")
    words = evaluate_words(
        table, pairs, treatments=("none",), tokenizer="ascii", stop_words="sklearn"
    )
    of_glove = 100 * words.grid.cells[0].score.spearman
    assert found["avg GloVe", "STS-B"]["here"] == pytest.approx(of_glove)
    reasons = {row: found[row, "STS-B"]["missing"] for row in recipes}
    assert "TensorFlow" in reasons["USE"]
    assert "no model of the Hub" in reasons["InferSent-GloVe"]
    assert "bert-large-nli-mean-tokens" in reasons["SBERT-NLI-large"]
    for row in ("avg BERT", "avg GloVe"):
        assert found[row, "STS13"]["here"] is None
        assert "mteb/sts13-sts" in found[row, "STS13"]["missing"]
    assert any(PAIR_SETS["sickr"].note in line for line in about)
    assert "aggregation all" in about[0]
    assert f"{BERT}: commit {hub.revisions[BERT, 'main']}" in about
    assert f"avg GloVe: {len(table.words)} vectors of 6 numbers in glove.txt" in about
    assert len([each for each in hub.requests if each.path == "model.safetensors"]) < 3


def test_the_whitening_is_fitted_and_aggregated_as_each_row_says(hub, folder, tiny, capsys):  # noqa: F811
    how = ("--data", "sts", "--sets", "sts12,stsb,sickr")
    _, found = cells(capsys, "whitening-table", *how)
    pairs = {name: read_pairs(folder / "sts" / f"{name}.csv") for name in ("sts12", "stsb")}
    nli = {"fit_texts": (folder / "sts" / "nli.txt").read_text().split("\n"), "fit_on": "nli"}
    for row, recipe in RECIPES["whitening-table"].rows.items():
        more = nli if recipe.fit == "nli" else {}
        aggregation = None if recipe.aggregation == "all" else recipe.aggregation
        for column, name, wanted in (("STS12", "sts12", aggregation), ("STS-B", "stsb", None)):
            known = expected(tiny, pairs[name], recipe, wanted, **more)
            assert found[row, column]["here"] == pytest.approx(known, abs=1e-3), (row, column)
    assert found["whiten NLI all", "STS12"]["here"] != found["whiten NLI wmean", "STS12"]["here"]
    assert found["whiten NLI Su", "STS12"]["published"] == 61.69
    assert found["whiten target Su", "SICK-R"]["n"] == 72  # from the hub: one set, no subsets


def test_what_lacks_is_said_in_the_row(hub, folder, capsys):
    (folder / "sts" / "nli.txt").unlink()
    lines = (folder / "sts" / "sts12.csv").read_text().splitlines()
    (folder / "sts" / "sts12.csv").write_text("\n".join(line.rpartition(",")[0] for line in lines))
    assert run_shell(["reproduce", "whitening-table", "--data", "sts", "--sets", "sts12"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"whiten NLI all +STS12 +57.83 +not computed: .*as nli.txt", printed)
    assert re.search(r"whiten target wmean +STS12 +63.38 +not computed: .*no subsets", printed)
    assert re.search(r"whiten target all +STS12 +42.88 +-?\d+.\d\d \[.*n = 72\) +[+-]\d", printed)
    assert "Target is fitted on the sentences of the scored pairs alone." in printed
    assert "72 pairs of sts12.csv" in printed


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("table-9",), "'table-9' is not one of 'sbert-table1'"),
        (("sbert-table1", "--sets", "sts17"), "--sets: sts17 is none of sts12"),
        (("sbert-table1", "--rows", "BERT"), "--rows: BERT is none of avg GloVe"),
        (("sbert-table1", "--data", "absent"), "'absent' does not exist"),
    ],
)
def test_an_error_is_one_line(capsys, args, message):
    assert run_shell(["reproduce", *args]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
