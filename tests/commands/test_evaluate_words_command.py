"""python -m geometry evaluate with word vectors, subsets and a choice on dev."""

import csv
import json
import re
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import evaluate_words, read_pairs, read_vectors
from geometry.commands import run_shell
from geometry.vectors import read_bundled_vectors, read_counts
from tests.commands.test_evaluate_command import WORDS, write_pairs
from tests.sentences import sentence
from tests.vector_files import as_text

TABLE = ("the", "sat", "on", *WORDS[:-1])  # not "mat"
LADDER = "none,centred,pca:3,svd:1"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    vectors = np.random.default_rng(0).standard_normal((len(TABLE), 6)) + 1
    (folder / "own.vec").write_bytes(as_text(TABLE, vectors.astype(np.float32), header=True))
    (folder / "counts.txt").write_text("the 100\nsat 10\ncat 5\nmat 5\n", encoding="utf-8")
    (folder / "train.txt").write_text(
        "the old dog\nred bird sang\nrain\nzebras\n", encoding="utf-8"
    )
    write_pairs(folder / "test.csv", [f"the {a} sat on the {b}" for a in WORDS for b in WORDS], 5)
    write_pairs(folder / "dev.csv", [f"{a} sat on {b}" for a in WORDS for b in WORDS], 7)
    return folder


def run(place, *args, pairs=("test.csv",), vectors="own.vec"):
    files = ["--vectors", place / vectors]
    for each in pairs:
        files += ["--pairs", place / each]
    return run_shell(["evaluate", *map(str, (*files, "--draws", 20, *args))])


def rows_of(file):
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def test_the_bundled_table_and_averages_without_stop_words(place, tmp_path, capsys):
    def scores(*args):
        files = ("--pairs", place / "test.csv", "--vectors", "bundled-glove")
        out = ("--json", tmp_path / "g.json", "--force", "--transforms", "none", "--draws", "5")
        assert run_shell(["evaluate", *map(str, (*files, *out, *args))]) == 0
        return json.loads((tmp_path / "g.json").read_text()), capsys.readouterr().out

    found, printed = scores()
    assert "GloVe 6B: 40,000 word vectors of 100 numbers" in printed
    assert (found["stop_words"], found["n_pairs_of_stop_words"]) == (None, 0)
    without, printed = scores("--stop-words", "sklearn")
    assert without["stop_words"] == "sklearn, 318 words"
    assert "words: unicode, without stop words (sklearn, 318)" in printed
    pairs = read_pairs(place / "test.csv")
    expected = evaluate_words(
        read_bundled_vectors("glove"), pairs, treatments=("none",), stop_words="sklearn", draws=5
    )
    assert without["cells"][0]["spearman"] == expected.grid.cells[0].score.spearman
    assert without["n_pairs_left_out"] == expected.n_left_out
    n = f"{expected.n_left_out} of {len(pairs)} pairs left out: a sentence has no known word"
    assert f"{n} ({expected.n_stopped}: none but stop words)" in printed


def test_word_vectors_go_through_the_same_grid(place, tmp_path, capsys):
    files = ("--csv", tmp_path / "g.csv", "--json", tmp_path / "g.json")
    what = ("--weighting", "mean,sif,zipf", "--counts", place / "counts.txt")
    fit = ("--fit", place / "train.txt", "--fit-name", "news")
    assert run(place, *what, *fit, "--transforms", LADDER, *files) == 0
    printed = capsys.readouterr()
    table, pairs = read_vectors(place / "own.vec"), read_pairs(place / "test.csv")
    expected = evaluate_words(
        table,
        pairs,
        weightings=("mean", "sif", "zipf"),
        counts=read_counts(place / "counts.txt"),
        treatments=LADDER.split(","),
        fit_texts=["the old dog", "red bird sang", "rain", "zebras"],
        fit_on="news",
        draws=20,
    )
    assert (expected.n_left_out, expected.n_fit_left_out) == (0, 1)
    assert "own: 8 word vectors of 6 numbers; counts of words: counts" in printed.out
    share = f"{100 * expected.coverage:.1f}%"
    assert f"coverage: {share} of the words are known, not mat (24)" in printed.out
    assert "0 of 36 pairs left out" in printed.out
    assert "1 of 4 texts of news likewise" in printed.out
    assert "evaluating on test: 100%" in printed.err
    rows, written = rows_of(tmp_path / "g.csv"), json.loads((tmp_path / "g.json").read_text())
    assert written["coverage"] == expected.coverage < 1
    assert len(rows) == len(expected.grid.cells) == 12
    for row, cell in zip(rows, expected.grid.cells, strict=True):
        assert (row["vectors"], row["counts"]) == ("own", "counts")
        assert float(row["coverage"]) == expected.coverage
        assert row["n_pairs_left_out"] == "0"
        assert (row["pooling"], row["treatment"]) == (cell.pooling, cell.treatment)
        assert float(row["spearman"]) == cell.score.spearman
        assert row["fit_on"] == ("news" if cell.fit_on else "")
    assert {row["n_fit"] for row in rows} == {"", "3"}


def test_how_texts_become_words_is_an_option_and_said(place, tmp_path, capsys, case):
    folder = "48-segmented-chinese-sentences"
    vectors, pairs = case(f"{folder}/vec.txt"), case(f"{folder}/pairs.csv")
    json_file = tmp_path / "g.json"
    what = ("--transforms", "none", "--quiet", "--json", json_file)
    assert run(place, *what, vectors=vectors, pairs=(pairs,)) == 0
    printed = capsys.readouterr().out
    assert "90.00" in printed
    assert "words: unicode" in printed
    assert json.loads(json_file.read_text())["words"] == "unicode"
    assert run(place, *what, "--force", "--words", "ascii", vectors=vectors, pairs=(pairs,)) == 2
    assert "Texts were split into words by `ascii`" in capsys.readouterr().err
    assert run(place, *what, "--force", "--words", "characters") == 0
    assert "words: characters" in capsys.readouterr().out


def test_pairs_of_words_are_scored_beside_the_grid(place, tmp_path, capsys):
    vectors, words = read_vectors(place / "own.vec"), tmp_path / "alike.txt"
    odd = tmp_path / "odd.vec"
    odd.write_bytes((place / "own.vec").read_bytes() + b"cat 1 2 3 4 5 6\nbad nan 2 3 4 5 6\n")
    lines = [f"{a} {b} {i % 5}" for i, (a, b) in enumerate(pairwise(vectors.words))]
    words.write_text("\n".join([*lines, "cat unicorn 3"]), encoding="utf-8")
    json_file, pairs = tmp_path / "g.json", tmp_path / "pairs.csv"
    scored = (place / "test.csv").read_text(encoding="utf-8")
    pairs.write_text(f"{scored}zebras,the cat,3\nthe dog,yaks,1\n", encoding="utf-8")
    what = ("--word-pairs", words, "--transforms", "none", "--json", json_file, "--quiet")
    assert run(place, *what, "--weighting", "sif", vectors=odd, pairs=(pairs,)) == 0
    printed = capsys.readouterr().out
    assert "counts of words: 1/rank in the file" in printed
    assert "2 of 38 pairs left out: a sentence has no known word" in printed
    X = vectors.vectors.astype(float)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    rho = spearmanr((X[:-1] * X[1:]).sum(axis=1), [i % 5 for i in range(7)])[0]
    assert f"alike: 8 pairs of words, cosine: {100 * rho:.2f} (Spear" in printed
    assert "on the 7 (87.5%) that have both words, not unicorn; " in printed
    assert (
        "rows left out for NaN or infinity: 1; rows left out since their word came before: 1"
        in printed
    )
    assert json.loads(json_file.read_text())["word_pairs"].endswith(" (7 of 8)")


def test_columns_are_picked_of_pairs_and_of_the_fit_set(place, tmp_path, capsys):
    odd = tmp_path / "odd.csv"
    lines = (place / "test.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [f"{i},x,{line},{i % 3}" for i, line in enumerate(lines)]
    odd.write_text("\n".join(["id,note,a,b,how,other", *rows]), encoding="utf-8")
    files = [tmp_path / f"{name}.json" for name in ("odd", "own")]
    what = ("--transforms", "none,centred", "--quiet")
    for columns, file in (("a,b,how", files[0]), ("2,3,4", files[1])):
        fit = ("--fit", odd, "--columns", columns)
        assert run(place, *what, *fit, "--json", file, pairs=(odd,)) == 0
    assert run(place, *what, "--columns", "left,right,score", "--fit", place / "train.txt") == 0
    assert "fitted on" in capsys.readouterr().out
    by_name, by_place = (json.loads(file.read_text())["cells"] for file in files)
    assert by_name == by_place
    assert by_name[1]["n_fit"] == 36
    plain = evaluate_words(
        read_vectors(place / "own.vec"), read_pairs(place / "test.csv"), treatments="none", draws=1
    )
    assert by_name[0]["spearman"] == plain.grid.cells[0].score.spearman


@pytest.mark.parametrize("how", ["all", "wmean"])
def test_several_sets_are_subsets_of_one_score(place, tmp_path, capsys, how):
    file, json_file = tmp_path / "g.csv", tmp_path / "g.json"
    what = ("--aggregate", how, "--transforms", "none,centred", "--quiet")
    both = ("test.csv", "dev.csv")
    assert run(place, *what, "--csv", file, "--json", json_file, pairs=both) == 0
    printed = capsys.readouterr().out
    assert f"subsets test (36), dev (36); aggregated by {how} (" in printed
    cells = json.loads(json_file.read_text())["cells"]
    for row, cell in zip(rows_of(file), cells, strict=True):
        assert (row["aggregation"], row["subsets"]) == (how, "test 36; dev 36")
        parts = [cell["by_subset"][name]["spearman"] for name in ("test", "dev")]
        if how != "all":
            assert cell["spearman"] == pytest.approx(sum(parts) / 2, abs=1e-12)
        for part in parts:
            assert f"{100 * part:.2f}" in printed
    alone = evaluate_words(
        read_vectors(place / "own.vec"), read_pairs(place / "dev.csv"), treatments="none", draws=1
    )
    assert cells[0]["by_subset"]["dev"]["spearman"] == alone.grid.cells[0].score.spearman


def test_the_best_cell_is_chosen_on_dev(place, tmp_path, capsys):
    json_file = tmp_path / "g.json"
    what = ("--transforms", LADDER, "--weighting", "all", "--json", json_file, "--quiet")
    assert run(place, *what, "--choose-on", place / "dev.csv") == 0
    printed = capsys.readouterr().out
    chosen = json.loads(json_file.read_text())["chosen_on_dev"]
    assert chosen["among"] == 12
    assert chosen["dev"]["pooling"] == chosen["test"]["pooling"]
    assert "Chosen on dev among 12 cells: layer 0, " in printed
    assert f"on test: {100 * chosen['test']['spearman']:.2f} [" in printed
    assert "dev: coverage: " in printed


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--layers", "1"), "--layers and --vectors exclude each other"),
        (("--columns", "a,b"), "--columns a,b: name three, as left,right,score"),
        (("--columns", "a,b,c"), "There is no column `a`; the file has `left`, `right`, `score`"),
        (("--counts", "/no", "--weighting", "sif"), sentence("corpus", "unreadable", path="/no")),
        (("--pairs", "bundled"), "2 sets of pairs: say how they become one score, by --aggregate"),
        (("--pairs", "dev.csv") * 2 + ("--aggregate", "all"), "a set of pairs is named twice"),
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
