"""Sentence vectors from words, by hand and by a second route; counts of words."""

import numpy as np
import pytest

from geometry import VectorTable
from geometry.data.errors import CorpusError
from geometry.vectors import (
    VectorFileError,
    rank_counts,
    read_counts,
    sentence_vectors,
    sif_average,
    words_of,
)
from geometry.vectors.word_averages import row_probabilities
from tests.for_each import for_each

TABLE = VectorTable(
    np.array([[1.0, 0], [0, 1], [2, 2], [8, 8], [0, 4]], dtype=np.float32),
    ("Cat", "the", "dog", "CAT", "zyx"),
)
COUNTS = {"the": 80, "cat": 10, "Cat": 5, "zyx": 1, "elsewhere": 4}


def test_means_by_hand():
    found = sentence_vectors(["The cat's dog!", "THE  the, dog"], TABLE)
    # "cat's" is not in the table; "THE" in lower case is an exact entry.
    np.testing.assert_allclose(found.vectors, [[1, 1.5], [2 / 3, 4 / 3]], rtol=1e-6)
    assert found.vectors.dtype == np.float32
    assert found.n_words.tolist() == [3, 3]
    assert found.n_known.tolist() == [2, 3]
    assert found.coverage == pytest.approx(5 / 6)
    assert found.unknown == (("cat's", 1),)


def test_the_exact_entry_comes_before_the_first_of_another_case():
    found = sentence_vectors([["CAT"], ["cat"], ["the"], ["THE"]], TABLE)
    assert found.vectors.tolist() == [[8, 8], [1, 0], [0, 1], [0, 1]]
    twice = VectorTable(np.array([[1.0], [2.0]]), ("a", "a"))
    assert twice.row_of("a") == 0
    assert twice.row_of("b") is None
    assert sif_average([["a"]], twice, {"a": 1}, a=1).tolist() == [[0.5]]


def test_sif_by_hand():
    # The row of "Cat" has the counts of "cat" and "Cat": p = 0.15; the: 0.8; dog: 0.
    found = sentence_vectors(["the cat", "dog"], TABLE, weighting="sif", counts=COUNTS, a=0.1)
    the, cat = 0.1 / 0.9, 0.1 / 0.25
    np.testing.assert_allclose(found.vectors, [[cat / 2, the / 2], [2, 2]], rtol=1e-6)
    np.testing.assert_allclose(row_probabilities(TABLE, COUNTS), [0.15, 0.8, 0, 0, 0.01])


def test_zipf_is_the_mean_of_words_whitened_under_their_frequencies():
    rng = np.random.default_rng(1)
    table = VectorTable(rng.standard_normal((80, 5)) + 3, tuple(f"w{i}" for i in range(80)))
    counts = rank_counts(table)
    assert counts["w3"] == 1 / 4
    p = np.array(list(counts.values()))
    X = table.vectors - p @ table.vectors / p.sum()
    values, axes = np.linalg.eigh((X * p[:, None]).T @ X / p.sum())
    white = X @ axes @ np.diag(values**-0.5) @ axes.T
    found = sentence_vectors(["w1 w7", "w7 w7 w9"], table, weighting="zipf", counts=counts)
    expected = [(white[1] + white[7]) / 2, (2 * white[7] + white[9]) / 3]
    np.testing.assert_allclose(found.vectors, expected, atol=1e-10)


def test_a_sentence_without_a_known_word():
    texts = ["cat", "下雨了", "", "dog"]
    with pytest.raises(ValueError, match=r"2 of 4 sentences .* `2`, `3`. "):
        sentence_vectors(texts, TABLE)
    found = sentence_vectors(texts, TABLE, empty="zero")
    assert found.missing.tolist() == [1, 2]
    assert found.has_words.tolist() == [True, False, False, True]
    assert found.vectors[1:3].tolist() == [[0, 0], [0, 0]]
    assert sentence_vectors([], TABLE).coverage == 0


def test_another_tokenizer():
    table = VectorTable(np.eye(2), ("雨", "山"))
    found = sentence_vectors(["山山雨"], table, tokenizer=list)
    np.testing.assert_allclose(found.vectors, [[1 / 3, 2 / 3]])
    assert words_of("Don't STOP—at 7pm") == ["don't", "stop", "at", "7pm"]


@for_each(
    ("options", "message"),
    [
        ({"weighting": "tfidf"}, "weighting must be one of mean, sif, zipf"),
        ({"weighting": "sif"}, "needs counts of the words"),
        ({"weighting": "sif", "counts": {"elsewhere": 1}}, "None of the counted words"),
        ({"weighting": "sif", "counts": {"cat": -1}}, "counts must be"),
        ({"a": 0}, "a must be"),
        ({"empty": "skip"}, "empty must be"),
    ],
)
def test_choices_that_are_none(options, message):
    with pytest.raises(ValueError, match=message):
        sentence_vectors(["cat"], TABLE, **options)


def test_a_vector_that_is_no_number():
    table = VectorTable(np.array([[1.0, 0], [np.nan, 1]]), ("the", "cat"))
    with pytest.raises(VectorFileError, match="the first of them `cat`"):
        sentence_vectors(["the"], table)


def test_counts_of_a_file():
    assert read_counts(b"the 10\nof 5\n\nthe 1\n") == {"the": 11, "of": 5}
    assert read_counts("word\tcount\n猫\t3\n".encode()) == {"猫": 3}
    for numbered in (b"1\tder\t9\n2\tdie\t5\n3\t2019\t1\n", b"1 der 9\n2 die 5\n3 2019 1\n"):
        assert list(read_counts(numbered).values()) == [9, 5, 1]
        assert list(read_counts(numbered))[:2] == ["der", "die"]
    assert read_counts(b"1,der,9\n2,die,5\n3,und,1\n", name="a.csv") == {
        "der": 9,
        "die": 5,
        "und": 1,
    }
    assert read_counts(b"top 10\t3\n7 up\t2\n10\t9\n") == {"top 10": 3, "7 up": 2, "10": 9}
    for line in (
        b"the\t10\t7\n",
        b"the\t10\t7\t8\n",
        b"the\n",
        b"the ten\n",
        b"the -1\n",
        b"the nan\n",
        b"the 1e308\n",
    ):
        with pytest.raises(CorpusError) as caught:
            read_counts(b"of 5\n" + line)
        assert (caught.value.code, caught.value.details) == ("bad_count", {"line": 2})


# SIF alone

SMALL = VectorTable(
    vectors=np.array([[1.0, 0], [0, 1], [2, 2]], dtype=np.float32), words=("the", "cat", "zyx")
)
FEW = {"the": 90, "cat": 9, "elsewhere": 1}


def test_weights_of_sif_by_hand():
    # a = 0.1: the: 0.1 / (0.1 + 0.9) = 0.1; cat: 0.1 / 0.19; zyx has no count, so weight 1
    found = sif_average([["the", "cat"], ["zyx"], ["the", "the", "no", "zyx"]], SMALL, FEW, a=0.1)
    cat = 0.1 / 0.19
    np.testing.assert_allclose(found, [[0.05, cat / 2], [2, 2], [2.2 / 3, 2 / 3]], rtol=1e-6)


@for_each(
    ("sentences", "counts", "a", "message"),
    [
        *((texts, FEW, 1, "split the texts") for texts in ("the cat", [["the"], "cat"])),
        *(([["cat"]], FEW, a, "a must be") for a in (0, -1, np.nan, np.inf)),
        *(([["cat"]], counts, 1, "counts must be") for counts in ({}, {"cat": 0}, {"cat": np.nan})),
    ],
)
def test_what_sif_does_not_take(sentences, counts, a, message):
    with pytest.raises(ValueError, match=message):
        sif_average(sentences, SMALL, counts, a=a)
