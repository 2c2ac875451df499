"""Neighbours, hubness and intrinsic dimension by hand, by brute force and by published steps."""

import numpy as np
import pytest

from geometry import UndefinedMeasure, Whitening, hubness, intrinsic_dimension, measure_table
from geometry.measure.neighbours import (
    WIDE,
    agreement_draws,
    chance_agreement,
    closest,
    label_agreement,
    label_agreement_interval,
    largest,
    nearest,
    nearest_of_all,
)
from tests.clouds import cloud
from tests.for_each import for_each

# directions at 0, 10, 30, 90 and 180 degrees, of different lengths
DEGREES = np.array([0, 10, 30, 90, 180])


FAN = np.array([[1], [9], [0.2], [4], [2]]) * np.column_stack(
    [np.cos(np.radians(DEGREES)), np.sin(np.radians(DEGREES))]
)


def test_neighbours_worked_by_hand_and_all_at_once_are_one_by_one():
    rows, cosines = nearest(FAN, 1, k=3)  # from 10 degrees: 0 (10 away), 30 (20), 90 (80)
    assert rows.tolist() == [0, 2, 3]
    np.testing.assert_allclose(cosines, np.cos(np.radians([10, 20, 80])))
    assert nearest_of_all(FAN, k=2).tolist() == [[1, 2], [0, 2], [1, 0], [2, 1], [3, 2]]
    X = np.random.default_rng(0).standard_normal((60, 8))
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = U @ U.T - 9 * np.eye(60)
    expected = np.argsort(-cosines, axis=1)[:, :5]
    np.testing.assert_array_equal(nearest_of_all(X, k=5), expected)
    np.testing.assert_array_equal([nearest(X, row)[0] for row in range(60)], expected)


def test_label_agreement_by_hand():
    # nearest: 0 to 10, 10 to 0, 30 to 10 (another label), 90 to 30, 180 to 90
    assert label_agreement(FAN, ["x", "x", "y", "y", "y"], k=1) == pytest.approx(4 / 5)
    assert label_agreement(FAN, [1, 1, 1, 1, 1], k=3) == 1.0
    assert label_agreement(FAN, list("abcde"), k=3) == 0.0


def test_rows_of_one_unit_are_no_neighbours_of_each_other():
    labels, units = ["x", "x", "y", "y", "y"], np.array([7, 7, 7, 9, 9])
    # nearest of the other unit: 0, 10 and 30 to 90; 90 to 30; 180 to 30
    assert label_agreement(FAN, labels, k=1, units=units) == pytest.approx(3 / 5)
    # At random, among rows of the other unit: x 0 of 2, x 0 of 2, y 2 of 2, y 1 of 3, y 1 of 3.
    assert chance_agreement(labels, units=units) == pytest.approx((0 + 0 + 2 + 1 + 1) / 12)
    rng = np.random.default_rng(0)
    X, names = rng.standard_normal((90, 4)), rng.integers(3, size=90)
    unit = np.sort(rng.integers(45, size=90))
    cosines = X @ X.T / np.outer(*[np.linalg.norm(X, axis=1)] * 2)
    cosines[unit[:, None] == unit] = -9
    near = np.argsort(-cosines, axis=1)[:, :5]
    share = (names[near] == names[:, None]).mean()
    assert label_agreement(X, names, units=unit) == pytest.approx(share)
    draws = agreement_draws(X, names, units=unit)
    assert draws.share == pytest.approx(share)
    # If the labels are the units' numbers, no neighbour has the same label.
    alone = agreement_draws(X, unit, units=unit)
    assert alone.share == alone.shares.max() == 0
    assert agreement_draws(X, unit).shares.max() > 0
    low, high = label_agreement_interval(X, names, units=unit)
    assert (low + high) / 2 == pytest.approx(share)


def test_what_is_refused():
    for row in (-1, 5):
        with pytest.raises(IndexError, match=f"row {row} is not one of the 5"):
            nearest(FAN, row)
    with pytest.raises(ValueError, match="4 labels for 5 rows"):
        label_agreement(FAN, list("abcd"))
    with pytest.raises(ValueError, match=r"row 3 .from 1. is zero"):
        nearest_of_all([[1, 0], [0, 1], [0, 0]], k=1)


def test_agreement_by_chance():
    # In a, a, a, b: of the other three rows, 2 of 3 agree with each a and none with b.
    assert chance_agreement(["a", "a", "a", "b"]) == pytest.approx(3 * (2 / 3) / 4)
    labels = [f"topic {i % 12}" for i in range(1224)]
    assert chance_agreement(labels) == pytest.approx(101 / 1223)
    X = np.random.default_rng(0).standard_normal((1224, 40))
    assert label_agreement(X, labels) == pytest.approx(chance_agreement(labels), abs=0.02)


@for_each("block_rows", [7, 512])
def test_closest_by_distance(block_rows):
    X = np.random.default_rng(0).standard_normal((90, 6)) * np.geomspace(1, 0.01, 6) + 30
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.argsort(distances, axis=1)[:, :7]
    np.testing.assert_array_equal(closest(X, 7, block_rows=block_rows), expected)


pytestmark = pytest.mark.filterwarnings("error")


SIMPLICES = {
    "turned": lambda rng: np.eye(50) @ np.linalg.qr(rng.standard_normal((50, 50)))[0],
    "pca": lambda rng: Whitening("pca").fit_transform(cloud(50, 80)),
    "zca": lambda rng: Whitening("zca").fit_transform(cloud(50, 49)),
    "pca of float32": lambda rng: Whitening("pca").fit_transform(cloud(50, 80).astype(np.float32)),
    "zca of float32": lambda rng: Whitening("zca").fit_transform(cloud(50, 80).astype(np.float32)),
}


@for_each("n", [WIDE - 1, WIDE, 3 * WIDE + 5])
def test_the_largest_of_each_row_by_a_stable_sort(n):
    scores = np.random.default_rng(n).integers(0, 400, (70, n)).astype(np.float32)  # many are equal
    np.fill_diagonal(scores, -np.inf)
    order = np.argsort(-scores, axis=1, kind="stable")
    for k in (1, 10, n // 64, n // 64 + 1, n // 32, n // 2, n):
        found, last = largest(scores, k)
        assert (found == order[:, :k]).all(), k
        assert (last == np.take_along_axis(scores, order, axis=1)[:, k - 1]).all(), k


def test_hubness_worked_by_hand():
    # directions at 0, 40, 60 and 150 degrees, k = 1: 0 -> 40, 40 -> 60, 60 -> 40, 150 -> 60;
    # occurrences 0, 2, 2, 0: symmetric
    at = np.radians([0, 40, 60, 150])
    assert hubness(np.column_stack([np.cos(at), np.sin(at)]), k=1) == pytest.approx(0)
    # A star: the centre is nearest to the three others; one of them is nearest to the centre.
    # Occurrences 3, 1, 0, 0 have deviations 2, 0, -1, -1: m2 = m3 = 3/2.
    star = np.array([[1.0, 0, 0], [1, 0.3, 0], [1, -0.2, 0.3], [1, -0.2, -0.3]])
    assert hubness(star, k=1) == pytest.approx(1.5**-0.5)


@for_each(("d", "embedded"), [(1, 1), (2, 2), (2, 50), (5, 20)])
def test_intrinsic_dimension_of_a_flat_manifold(d, embedded):
    rng = np.random.default_rng(d)
    axes = np.linalg.qr(rng.standard_normal((embedded, d)))[0]
    X = rng.uniform(size=(3000, d)) @ axes.T + 7
    assert intrinsic_dimension(X) == pytest.approx(d, rel=0.08)
    assert intrinsic_dimension(np.vstack([X, X[:500]])) == intrinsic_dimension(X)


def test_intrinsic_dimension_by_the_published_steps():
    X = cloud(200, 4)
    r = np.sort(np.linalg.norm(X[:, None] - X[None], axis=2), axis=1)[:, 1:3]
    x = np.sort(np.log(r[:, 1] / r[:, 0]))[:180]
    y = -np.log(1 - np.arange(1, 181) / 200)
    slope = np.linalg.lstsq(x[:, None], y, rcond=None)[0][0]
    assert intrinsic_dimension(X) == pytest.approx(slope, rel=1e-9)


@for_each("dtype", [np.float32, np.float64])
@for_each("method", ["pca", "zca", "cholesky", "pca-cor", "zca-cor"])
def test_duplicates_that_a_whitening_moved_by_rounding_are_dropped(method, dtype):
    X = cloud(600, 24) * np.geomspace(100, 0.1, 24)
    X = np.vstack([X, X[:150], X[:20], X[:5], X[:5]]).astype(dtype)
    fitted = Whitening(method).fit(X[:600])
    expected = intrinsic_dimension(fitted.transform(X))
    assert expected == pytest.approx(intrinsic_dimension(fitted.transform(X[:600])), rel=1e-4)
    again = np.random.default_rng(0).permutation(len(X))
    assert intrinsic_dimension(fitted.transform(X)[again]) == pytest.approx(expected, rel=1e-4)


@for_each("dtype", [np.float32, np.float64])
@for_each("simplex", SIMPLICES)
def test_a_simplex_has_no_neighbours_but_rounding(simplex, dtype):
    X = SIMPLICES[simplex](np.random.default_rng(0))
    X *= 1 + np.finfo(X.dtype).eps * np.random.default_rng(1).standard_normal(X.shape)
    X = X.astype(dtype)
    for measure, message in (
        (intrinsic_dimension, "equally far"),
        (hubness, "others equally near"),
    ):
        with pytest.raises(UndefinedMeasure, match=message) as refused:
            measure(X)
        assert refused.value.code == "equal_distances"
    table = {row.name: row.undefined for row in measure_table(X)}
    assert table["hubness"] == table["intrinsic_dimension"] == "equal_distances"


@for_each("dtype", [np.float32, np.float64])
def test_an_uneven_simplex_and_copies_have_no_nearest_ten(dtype):
    X = cloud(60, 100).astype(dtype)
    uneven = Whitening("pca").fit_transform(np.vstack([X, X[:8]]))
    for rows in (uneven, np.repeat(X[:5], 30, axis=0)):
        with pytest.raises(UndefinedMeasure, match="more than 10 others equally near"):
            hubness(rows)
        table = {row.name: row.undefined for row in measure_table(rows)}
        assert table["hubness"] == "equal_distances"
    few_copies = np.vstack([X, np.repeat(X[:1], 10, axis=0)])
    assert np.isfinite(hubness(few_copies))
