"""SIF averages: by hand, and sentences without an average."""

import numpy as np
import pytest

from geometry.data.embeddings import VectorTable
from geometry.transform.remove import CommonComponentRemoval
from geometry.vectors import sif_average
from tests.for_each import for_each

TABLE = VectorTable(
    vectors=np.array([[1.0, 0], [0, 1], [2, 2]], dtype=np.float32), words=("the", "cat", "zyx")
)
COUNTS = {"the": 90, "cat": 9, "elsewhere": 1}


def test_weights_by_hand():
    # a = 0.1: the: 0.1 / (0.1 + 0.9) = 0.1; cat: 0.1 / 0.19; zyx has no count, so weight 1
    found = sif_average([["the", "cat"], ["zyx"], ["the", "the", "zyx"]], TABLE, COUNTS, a=0.1)
    cat = 0.1 / 0.19
    np.testing.assert_allclose(found, [[0.05, cat / 2], [2, 2], [2.2 / 3, 2 / 3]], rtol=1e-6)


def test_unknown_words_count_for_nothing():
    np.testing.assert_array_equal(
        sif_average([["cat", "dog", "elsewhere"]], TABLE, COUNTS),
        sif_average([["cat"]], TABLE, COUNTS),
    )


def test_the_second_half_removes_the_first_singular_direction():
    rng = np.random.default_rng(0)
    table = VectorTable(rng.standard_normal((50, 6)) + 2, tuple(map(str, range(50))))
    words = [[str(i) for i in rng.integers(50, size=8)] for _ in range(40)]
    averages = sif_average(words, table, {str(i): i + 1 for i in range(50)})
    u = np.linalg.svd(averages)[2][0]
    expected = averages - np.outer(averages @ u, u)
    found = CommonComponentRemoval(1, centred=False).fit_transform(averages)
    np.testing.assert_allclose(found, expected, atol=1e-10)


@for_each("sentences", ["the cat", ["the cat"], [["the"], "cat"]])
def test_texts_are_no_words(sentences):
    with pytest.raises(ValueError, match="split the texts"):
        sif_average(sentences, TABLE, COUNTS)


@for_each("a", [0, -1, np.nan, np.inf])
def test_a_out_of_range(a):
    with pytest.raises(ValueError, match="a must be"):
        sif_average([["cat"]], TABLE, COUNTS, a=a)


@for_each("counts", [{}, {"cat": 0}, {"cat": -1, "the": 3}, {"cat": np.nan}])
def test_counts_that_are_none(counts):
    with pytest.raises(ValueError, match="counts must be"):
        sif_average([["cat"]], TABLE, counts)
