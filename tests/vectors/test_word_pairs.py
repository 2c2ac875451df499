"""Word-similarity sets: every form of file, and which pairs a table covers."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from geometry import Pairs, VectorTable, read_vectors
from geometry.data.errors import CorpusError
from geometry.data.recognise import Reading
from geometry.evaluate import evaluate_word_pairs
from geometry.vectors import read_word_pairs, word_pair_vectors
from tests.for_each import for_each

FORMS = {
    "tabs": "old\tnew\t1.58\nsmart\tclever\t9.2\n",
    "windows": "old\tnew\t1.58\r\nsmart\tclever\t9.2\r\n",
    "semicolons": "old;new;1.58\nsmart;clever;9.2",
    "spaces": "old new  1.58\nsmart  clever 9.2\n",
    "comments": "# old and new\nold new 1.58\nsmart clever 9.2\n",
    "class between": "old\tnew\tA\t1.58\nsmart\tclever\tA\t9.2\n",
    "SimLex-999": (
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\tSD(SimLex)\n"
        "old\tnew\tA\t1.58\t2.72\t0.41\nsmart\tclever\tA\t9.2\t1.75\t0.67\n"
    ),
    "unknown header": "a\tb\tc\nold\tnew\t1.58\nsmart\tclever\t9.2\n",
    "score not first": "word1,word2,n,score\nold,new,7,1.58\nsmart,clever,7,9.2\n",
    "numbered, spaces": "1 old  new 1.58\n2 smart clever 9.2\n",
    "numbered from 0, header": ",a,b,c\n0,old,new,1.58\n1,smart,clever,9.2\n",
    "codes": "Q17;old;new;1.58\nQ4;smart;clever;9.2\nQ99;old;new;1.58\n",
    "MultiSimLex": (
        "ID,Word 1,Word 2,Annotator 1,Annotator 2,Average\n"
        "7,old,new,1,2,1.58\n3,smart,clever,9,9,9.2\n"
    ),
    "SCWS": (
        "1\told\ta\tnew\ta\tan <b>old</b> man\ta <b>new</b> one\t1.58\t1.0\t2.0\n"
        "2\tsmart\ta\tclever\ta\ta <b>smart</b> one\tso <b>clever</b>\t9.2\t9.0\t9.4\n"
    ),
    "SimVerb": "old\tnew\tV\t1.58\tNONE\nsmart\tclever\tV\t9.2\tSYNONYMS\n",
    "language before": "en,old,new,1.58\nen,smart,clever,9.2\n",
    "score before": "1.58 old new\n9.2 smart clever\n",
    "pipes": "old|new|1.58\nsmart|clever|9.2\n",
    "quoted": '"old","new",1.58\n"smart","clever",9.2\n',
    "decimal comma, spaces": "1 old new 1,58\n2 smart clever 9,2\n",
    "byte order mark": "\ufeffold\tnew\t1.58\nsmart\tclever\t9.2\n",
}


@for_each("form", FORMS)
def test_forms(form):
    pairs = read_word_pairs(FORMS[form].encode(), name="own.txt")
    assert (pairs.left[:2], pairs.right[:2]) == (("old", "smart"), ("new", "clever"))
    assert pairs.gold_scores[:2].tolist() == [1.58, 9.2]
    assert pairs.score_range == (1.58, 9.2)
    assert pairs.name == "own"


@for_each(
    ("text", "code"),
    [
        ("", "empty"),
        ("old\tnew\t1\n", "too_few_texts"),
        ("old\tnew\nsmart\tclever\nhot\twarm\n", "no_pair_columns"),
        ("old new 1\nsmart 2\nx y 3\n", "uneven_row"),
        ("old\tnew\t1\nsmart\tclever\thigh\n", "bad_score"),
        ("old\tnew\t1\nsmart\t\t3\n", "blank_sentence"),
        ("\x93NUMPY\0", "binary"),
        ("old\tnew\t1\nsmart\tclever\tnan\n", "bad_score"),
    ],
)
def test_refusals(text, code):
    with pytest.raises(CorpusError, check=lambda error: error.code == code):
        read_word_pairs(text.encode())


def test_words_that_are_numbers():
    """Beside words, or named, they are words; else a column could be anything."""
    pairs = read_word_pairs(b"ten 10 9\nold new 1\nfive six 4\n")
    assert (pairs.left[0], pairs.right[0]) == ("ten", "10")
    pairs = read_word_pairs(b"word1,word2,score\n1990,1991,9\n7,70,2\n")
    assert (pairs.left, pairs.right) == (("1990", "7"), ("1991", "70"))
    for text in (b"1990 1991 9\n7 70 2\n8 5 1\n", b"10\tten\t9\n5\tfive\t8\n7\tseven\t6\n"):
        with pytest.raises(CorpusError, check=lambda error: error.because == "unclear_words"):
            read_word_pairs(text)


def test_a_word_that_stays_the_same_is_a_word_and_the_caller_s_reading_counts():
    pairs = read_word_pairs(b"king queen 9\nking man 6\nking car 1\n")
    assert pairs.left == ("king",) * 3
    assert pairs.right == ("queen", "man", "car")
    reading = Reading(delimiter=",", header=True)
    pairs = read_word_pairs(b"x y,z 1,2\nold man,new,3\na b,c,4\n", reading=reading)
    assert (pairs.left, pairs.right) == (("old man", "a b"), ("new", "c"))


def test_word_pairs_with_numbers_of_rows(case):
    pairs, table = (
        read(case(f"47-word-pairs-with-id-column/{name}"))
        for read, name in ((read_word_pairs, "pku.txt"), (read_vectors, "vec.txt"))
    )
    assert (pairs.left[0], pairs.right[0]) == ("足球", "運動")
    found = evaluate_word_pairs(table, pairs, draws=5)
    assert found.score.spearman == pytest.approx(1)
    assert found.coverage == 1


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


@for_each("similarity", ["cosine", "mahalanobis"])
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
