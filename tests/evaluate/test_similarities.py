"""Five similarities of pairs: by hand, by a second route, and their errors."""

import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis
from scipy.stats import spearmanr

from geometry import Whitening
from geometry.evaluate import pair_similarities
from geometry.evaluate.similarities import SIMILARITIES
from geometry.linalg.moments import Moments
from geometry.linalg.rows import UndefinedMeasure
from geometry.transform import WhiteningMap
from tests.for_each import for_each

RNG = np.random.default_rng(0)
LEFT, RIGHT = RNG.standard_normal((2, 40, 6))


@for_each(
    ("similarity", "expected"),
    [("cosine", [0.8, -1]), ("dot", [8, -4]), ("euclidean", [-np.sqrt(13), -4])],
)
def test_by_hand(similarity, expected):
    left, right = np.array([[3, 4], [2, 0]]), np.array([[0, 2], [-2, 0]])
    assert pair_similarities(left, right, similarity) == pytest.approx(expected)


def test_rank_is_spearman_of_coordinates():
    left, right = np.round(LEFT, 0), np.round(RIGHT, 0)  # with ties
    expected = [spearmanr(a, b).statistic for a, b in zip(left, right, strict=True)]
    assert pair_similarities(left, right, "rank") == pytest.approx(expected, abs=1e-12)
    assert pair_similarities([[1, 2, 4]], [[1, 9, 3]], "rank") == pytest.approx([0.5])


def test_mahalanobis_is_scipys_and_the_distance_after_whitening():
    fit = RNG.standard_normal((100, 6)) @ RNG.standard_normal((6, 6)) + 3
    inverse = np.linalg.inv(np.cov(fit.T, bias=True))
    expected = [-mahalanobis(a, b, inverse) for a, b in zip(LEFT, RIGHT, strict=True)]
    whitening = Whitening().fit(fit)
    for precision in (whitening, whitening.map_, Moments.of(fit), WhiteningMap.of(fit)):
        found = pair_similarities(LEFT, RIGHT, "mahalanobis", precision=precision)
        assert found == pytest.approx(expected, rel=1e-8)
    white = (whitening.transform(LEFT), whitening.transform(RIGHT))
    assert pair_similarities(*white, "euclidean") == pytest.approx(expected, rel=1e-8)


@for_each("similarity", SIMILARITIES)
def test_shapes_and_numbers_are_checked(similarity):
    precision = WhiteningMap.of(LEFT) if similarity == "mahalanobis" else None
    with pytest.raises(ValueError, match=r"one pair a row.*\(40, 6\), \(39, 6\)"):
        pair_similarities(LEFT, RIGHT[1:], similarity, precision=precision)
    bad = RIGHT.copy()
    bad[7, 2] = np.nan
    with pytest.raises(ValueError, match="right: row 8 has NaN"):
        pair_similarities(LEFT, bad, similarity, precision=precision)


def test_rows_that_have_no_similarity_are_named():
    zero, flat = LEFT.copy(), RIGHT.copy()
    zero[5], flat[3] = 0, 2.5
    with pytest.raises(UndefinedMeasure, match=r"left: row 6 .from 1. is zero") as error:
        pair_similarities(zero, RIGHT)
    assert error.value.code == "zero_row"
    with pytest.raises(UndefinedMeasure, match=r"right: row 4 .from 1. has equal entries") as error:
        pair_similarities(LEFT, flat, "rank")
    assert error.value.code == "constant_row"
    assert pair_similarities(zero, RIGHT, "dot")[5] == 0


def test_a_precision_belongs_to_mahalanobis():
    with pytest.raises(ValueError, match="mahalanobis needs precision"):
        pair_similarities(LEFT, RIGHT, "mahalanobis")
    with pytest.raises(ValueError, match="cosine takes none"):
        pair_similarities(LEFT, RIGHT, precision=WhiteningMap.of(LEFT))
    with pytest.raises(ValueError, match="fitted on 5 columns and the pairs have 6"):
        pair_similarities(LEFT, RIGHT, "mahalanobis", precision=WhiteningMap.of(LEFT[:, :5]))
    with pytest.raises(ValueError, match="similarity must be one of cosine, dot"):
        pair_similarities(LEFT, RIGHT, "cosinus")
