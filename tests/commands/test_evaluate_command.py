"""python -m geometry evaluate: what it prints, writes and refuses."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from geometry import Corpus, Encoder, evaluate_encoder, load_encoder, read_cloud, read_pairs
from geometry.commands import run_shell
from geometry.data import read_bundled_pairs
from geometry.encode import ArrayStore
from tests.encode.tiny_encoder import save_tiny_bert
from tests.sentences import sentence

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("cat", "dog", "bird", "rain", "tree", "mat")


def write_pairs(path, sentences, shift):
    rows = [
        (sentence, sentences[(i + shift) % len(sentences)], i * 7 % 11 / 2)
        for i, sentence in enumerate(sentences)
    ]
    lines = ["left,right,score", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    save_tiny_bert(folder / "model")
    write_pairs(folder / "test.csv", [f"the {a} sat on the {b}" for a in WORDS for b in WORDS], 5)
    write_pairs(folder / "dev.csv", [f"a {a} ran under a {b}" for a in WORDS for b in WORDS], 7)
    (folder / "train.txt").write_text("the old dog\na red bird sang\nrain\n", encoding="utf-8")
    (folder / "flat.csv").write_text("left,right,score\n" + "a cat,a dog,3\n" * 4)
    return folder


def run(place, *args):
    files = ("--model", place / "model")
    if "--pairs" not in args:
        files += ("--pairs", place / "test.csv")
    return run_shell(["evaluate", *map(str, (*files, "--draws", 20, *args))])


def test_the_grid_is_printed_and_written(place, tmp_path, capsys):
    files = ("--csv", tmp_path / "grid.csv", "--json", tmp_path / "grid.json")
    what = ("--layers", "1,-1", "--poolings", "mean", "--transforms", "none,pca:4")
    what += ("--prefix", "the old ")
    assert run(place, *what, "--fit", place / "dev.csv", "--fit-name", "train", *files) == 0
    printed = capsys.readouterr()
    assert (
        "test: 36 pairs, cosine; [95% intervals] from 20 resamples of the pairs, seed 0"
        in printed.out
    )
    assert "evaluating on test: 100%" in printed.err
    assert "prefix 'the old '" in printed.out
    encoder, pairs, dev = (
        load_encoder(place / "model", prefix="the old "),
        *map(read_pairs, (place / "test.csv", place / "dev.csv")),
    )
    with (tmp_path / "grid.csv").open(encoding="utf-8") as file:
        assert {row["model"] for row in csv.DictReader(file)} == {encoder.name}
    grid = evaluate_encoder(
        encoder,
        pairs,
        layers=[1, -1],
        poolings=["mean"],
        treatments=["none", "pca:4"],
        fit_texts=[*dev.left, *dev.right],
        fit_on="train",
        draws=20,
    )
    with (tmp_path / "grid.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    written = json.loads((tmp_path / "grid.json").read_text())
    assert (written["model"], written["prefix"]) == (encoder.name, "the old ")
    assert len(rows) == len(written["cells"]) == len(grid.cells) == 4
    for row, written_row, cell in zip(rows, written["cells"], grid.cells, strict=True):
        assert float(row["spearman"]) == written_row["spearman"] == cell.score.spearman
        assert f"{100 * cell.score.spearman:.2f} [" in printed.out
        assert row["fit_on"] == ("train" if cell.fit_on else "")
    assert "train (36)" in printed.out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--pairs", "/absent.csv"), sentence("corpus", "unreadable", path="/absent.csv")),
        (("--model", "/absent"), sentence("model", "missing_folder", name="/absent")),
        (("--layers", "1+x"), "give whole numbers, as 1"),
        (("--layers", ","), "--layers is empty"),
        (("--csv", "/absent/grid.csv"), sentence("output", "no_folder", folder="/absent")),
        (("--vectors", "/absent.vec"), "--model and --vectors exclude each other"),
        (("--weighting", "sif"), "--weighting belongs to word vectors; give them by --vectors"),
        (("--aggregate", "mean"), "test names no subsets to aggregate by 'mean'. Add a column"),
        # found before texts are read
        (("--pairs", "flat.csv"), "All 4 scores are 3, so they have no order."),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(place, capsys, monkeypatch, args, message):
    monkeypatch.chdir(place)
    assert run(place, "--quiet", *args) == 2
    printed = capsys.readouterr()
    assert not printed.out
    assert printed.err.startswith("Error: ")
    assert printed.err.count("\n") == 1
    assert re.search(message, printed.err)


def shipped(encoder, texts, poolings, **_):
    """{pooling: (layers, n, d)} of sentences of the project's pairs, as they come with it."""
    pairs = read_bundled_pairs()
    both = (*pairs.left, *pairs.right)
    where = {"corpus": Corpus("pairs", both), "store": ArrayStore()}
    layers = range(encoder.n_layers + 1)
    rows = [both.index(text) for text in texts]
    return {
        each: np.stack(
            [
                read_cloud(encoder, **where, layer=layer, pooling=each).vectors[rows]
                for layer in layers
            ]
        )
        for each in poolings
    }


@pytest.mark.model
@pytest.mark.parametrize(("name", "n"), [("pairs", 935), ("hard-pairs", 325)])
def test_bundled_model_and_pairs_are_the_defaults(name, n, capsys, monkeypatch):
    if name == "pairs":  # test_shipped_vectors.py encodes some of them again
        monkeypatch.setattr(Encoder, "encode_layers", shipped)
    cell = ["evaluate", "--layers=-1", "--poolings=mean", "--transforms=none", "--quiet"]
    assert run_shell([*cell, *([] if name == "pairs" else ["--pairs", name])]) == 0
    printed = capsys.readouterr().out
    assert "all-MiniLM-L6-v2 at " in printed
    assert f"{name}: {n} pairs" in printed.splitlines()[1]
    # the figure that the data's README quotes
    readme = (ROOT / "assets" / "corpora" / "README.md").read_text(encoding="utf-8")
    quoted = re.search(rf"([\d.]+) (\[[\d., ]+\]) on `{name}`", readme)
    found = re.search(r"([\d.]+) (\[[\d., ]+\])", printed.splitlines()[-1])
    assert quoted[2] == found[2]
    assert quoted[1] == f"{float(found[1]):.1f}"


def test_a_split_of_a_folder_is_scored(place, tmp_path, capsys):
    folder = tmp_path / "sts"
    folder.mkdir()
    for split in ("dev", "test"):
        lines = [
            f"main\tmade\t2026\t{i}\t{i * 7 % 11 / 2}\tthe {a} sat\ta {b} ran"
            for i, (a, b) in enumerate((a, b) for a in WORDS for b in WORDS)
        ]
        (folder / f"sts-{split}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    what = ("--layers", "-1", "--poolings", "mean", "--transforms", "none", "--quiet")
    assert run(place, "--pairs", f"{folder}:test", "--dev", f"{folder}:dev", *what) == 0
    assert "36 pairs" in capsys.readouterr().out
    assert run(place, "--pairs", f"{folder}:train", *what) == 2
    assert "has no pairs 'train'; there are" in capsys.readouterr().err


def test_a_hub_set_is_named_with_its_split(place, monkeypatch, capsys):
    requests = []

    def fetched(name, split, *, progress):
        requests.append((name, split))
        return read_pairs(place / "test.csv")

    monkeypatch.setattr("geometry.hub.pair_sets.fetch_pairs", fetched)
    what = ("--layers", "-1", "--poolings", "mean", "--transforms", "none", "--quiet")
    assert run(place, "--pairs", "sickr:test", "--fit", "stsb:train", *what) == 0
    assert requests == [("stsb", "train"), ("sickr", "test")]
