"""Word-similarity sets: every form of file, and which pairs a table covers."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import Pairs, VectorTable, read_vectors
from geometry.data.limits import CorpusError
from geometry.evaluate import evaluate_word_pairs
from geometry.vectors import read_word_pairs, word_pair_vectors

FORMS = {
    "tabs": "old\tnew\t1.58\nsmart\tclever\t9.2\n",
    "windows": "old\tnew\t1.58\r\nsmart\tclever\t9.2\r\n",
    "commas": "old,new,1.58\nsmart,clever,9.2\n",
    "semicolons": "old;new;1.58\nsmart;clever;9.2",
    "spaces": "old new  1.58\nsmart  clever 9.2\n",
    "comments": "# old and new\nold new 1.58\nsmart clever 9.2\n",
    "class between": "old\tnew\tA\t1.58\nsmart\tclever\tA\t9.2\n",
    "SimLex-999": (
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\tSD(SimLex)\n"
        "old\tnew\tA\t1.58\t2.72\t0.41\nsmart\tclever\tA\t9.2\t1.75\t0.67\n"
    ),
    "WordSim-353": "Word 1,Word 2,Human (mean)\nold,new,1.58\nsmart,clever,9.2\n",
    "unknown header": "a\tb\tc\nold\tnew\t1.58\nsmart\tclever\t9.2\n",
    "score not first": "word1,word2,n,score\nold,new,7,1.58\nsmart,clever,7,9.2\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    pairs = read_word_pairs(FORMS[form].encode(), name="own.txt")
    assert (pairs.left, pairs.right) == (("old", "smart"), ("new", "clever"))
    assert pairs.gold_scores.tolist() == [1.58, 9.2]
    assert pairs.score_range == (1.58, 9.2)
    assert pairs.name == "own"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("old\tnew\t1\n", "too_few_texts"),
        ("old\tnew\nsmart\tclever\nhot\twarm\n", "no_pair_columns"),
        ("old new 1\nsmart 2\nx y 3\n", "uneven_row"),
        ("old\tnew\t1\nsmart\tclever\thigh\n", "bad_score"),
        ("old\tnew\t1\nsmart\t\t3\n", "blank_sentence"),
        ("old\tnew\t1\nsmart\tclever\tnan\n", "bad_score"),
    ],
)
def test_refusals(text, code):
    with pytest.raises(CorpusError) as caught:
        read_word_pairs(text.encode())
    assert caught.value.code == code


def test_vectors_and_coverage():
    table = VectorTable(np.arange(6.0).reshape(3, 2), ("Old", "new", "smart"))
    pairs = read_word_pairs(b"smart clever 9\nold new 2\nnew absent 1\nold clever 0\n")
    found = word_pair_vectors(pairs, table)
    assert found.has_both.tolist() == [False, True, False, False]
    assert (found.coverage, found.missing) == (0.25, ("clever", "absent"))
    assert (found.left.tolist(), found.right.tolist()) == ([[0, 1]], [[2, 3]])
    assert found.gold_scores.tolist() == [2]
    with pytest.raises(CorpusError, match="0 of 4 pairs have both words"):
        word_pair_vectors(pairs, VectorTable(np.eye(1), ("x",)))


@pytest.mark.parametrize("similarity", ["cosine", "mahalanobis"])
def test_a_score_over_the_pairs_that_are_known(similarity):
    rng = np.random.default_rng(3)
    table = VectorTable(rng.standard_normal((12, 4)), tuple("abcdefghijkl"))
    left, right, gold = (*"abcdefgz",), (*"hijklabc",), np.arange(8.0)
    found = evaluate_word_pairs(table, Pairs("own", left, right, gold), similarity=similarity)
    X, Y = (table.vectors[["abcdefghijkl".index(w) for w in side[:7]]] for side in (left, right))
    if similarity == "cosine":
        lengths = np.linalg.norm(X, axis=1) * np.linalg.norm(Y, axis=1)
        alike = (X * Y).sum(axis=1) / lengths
    else:
        precision = np.linalg.inv(np.cov(table.vectors.T))
        alike = -np.einsum("nd,de,ne->n", X - Y, precision, X - Y)
    assert found.score.spearman == pytest.approx(spearmanr(alike, gold[:7])[0])
    assert (found.n_pairs, found.score.n, found.coverage) == (8, 7, 7 / 8)
    assert found.missing == ("z",)
    with pytest.raises(ValueError, match="1 of 2 pairs have both words in the table"):
        evaluate_word_pairs(table, Pairs("few", ("a", "z"), ("b", "c"), np.arange(2.0)))


def test_word2vec_on_simlex_and_wordsim(shared_data):
    """On pairs of frequent words. Published for the whole word2vec table: 44.2 and about 69."""
    table = read_vectors(shared_data("vectors/word2vec_gnews_8000x300.npz"))
    for name, n, low in (("EN-SIMLEX-999", 999, 0.35), ("EN-WS-353-ALL", 353, 0.55)):
        pairs = read_word_pairs(shared_data(f"wordsim/{name}.txt"))
        assert len(pairs) == n
        found = word_pair_vectors(pairs, table)
        assert 0.4 < found.coverage < 1
        unit = [each / np.linalg.norm(each, axis=1)[:, None] for each in (found.left, found.right)]
        assert spearmanr((unit[0] * unit[1]).sum(axis=1), found.gold_scores)[0] > low
