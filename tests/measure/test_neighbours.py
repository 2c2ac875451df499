"""Neighbours by hand and by brute force."""

import numpy as np
import pytest

from geometry.measure.neighbours import (
    chance_agreement,
    closest,
    closest_both_ways,
    label_agreement,
    nearest,
    nearest_of_all,
)

# directions at 0, 10, 30, 90 and 180 degrees, of different lengths
DEGREES = np.array([0, 10, 30, 90, 180])
FAN = np.array([[1], [9], [0.2], [4], [2]]) * np.column_stack(
    [np.cos(np.radians(DEGREES)), np.sin(np.radians(DEGREES))]
)


def test_worked_by_hand():
    rows, cosines = nearest(FAN, 1, k=3)  # from 10 degrees: 0 (10 away), 30 (20), 90 (80)
    assert rows.tolist() == [0, 2, 3]
    np.testing.assert_allclose(cosines, np.cos(np.radians([10, 20, 80])))
    assert nearest_of_all(FAN, k=2).tolist() == [[1, 2], [0, 2], [1, 0], [2, 1], [3, 2]]


def test_ties_keep_the_lower_index_first():
    X = np.array([[1.0, 0], [0, 1], [0, 2], [0, 3], [5, 0]])
    assert nearest(X, 0, k=4)[0].tolist() == [4, 1, 2, 3]


@pytest.mark.parametrize("block_rows", [1, 13, 1024])
def test_all_at_once_is_one_by_one(block_rows):
    X = np.random.default_rng(0).standard_normal((60, 8))
    together = nearest_of_all(X, k=5, block_rows=block_rows)
    for row in range(60):
        by_hand = sorted(
            (other for other in range(60) if other != row),
            key=lambda other, row=row: (
                -X[row] @ X[other] / np.linalg.norm(X[row]) / np.linalg.norm(X[other])
            ),
        )[:5]
        assert together[row].tolist() == by_hand
        assert nearest(X, row)[0].tolist() == by_hand


def test_a_copy_is_a_neighbour_and_oneself_is_not():
    X = np.array([[1.0, 1], [3, 3], [-1, 2]])
    rows, cosines = nearest(X, 0, k=1)
    assert rows.tolist() == [1]
    assert cosines[0] == pytest.approx(1)
    assert all(row not in found for row, found in enumerate(nearest_of_all(X, k=9)))


def test_k_is_cut():
    assert len(nearest(FAN, 0, k=50)[0]) == 4
    assert nearest_of_all(FAN, k=50).shape == (5, 4)


def test_label_agreement_by_hand():
    # nearest: 0 to 10, 10 to 0, 30 to 10 (another label), 90 to 30, 180 to 90
    assert label_agreement(FAN, ["x", "x", "y", "y", "y"], k=1) == pytest.approx(4 / 5)
    assert label_agreement(FAN, [1, 1, 1, 1, 1], k=3) == 1.0
    assert label_agreement(FAN, list("abcde"), k=3) == 0.0


def test_chance():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 50)
    agreement = label_agreement(rng.standard_normal((600, 30)), labels)
    assert agreement == pytest.approx(49 / 599, abs=0.02)


def test_what_is_refused():
    for row in (-1, 5):
        with pytest.raises(IndexError, match=f"row {row} is not one of the 5"):
            nearest(FAN, row)
    with pytest.raises(ValueError, match="4 labels for 5 rows"):
        label_agreement(FAN, list("abcd"))
    with pytest.raises(ValueError, match="row 2 is zero"):
        nearest_of_all([[1, 0], [0, 1], [0, 0]])


def test_agreement_by_chance():
    # of a, a, a, b each a meets an a among the other three in 2 of 3, the b never
    assert chance_agreement(["a", "a", "a", "b"]) == pytest.approx(3 * (2 / 3) / 4)
    labels = [f"topic {i % 12}" for i in range(1224)]
    assert chance_agreement(labels) == pytest.approx(101 / 1223)
    X = np.random.default_rng(0).standard_normal((1224, 40))
    assert label_agreement(X, labels) == pytest.approx(chance_agreement(labels), abs=0.02)


@pytest.mark.parametrize("block_rows", [7, 512])
def test_closest_by_distance(block_rows):
    X = np.random.default_rng(0).standard_normal((90, 6)) * np.geomspace(1, 0.01, 6) + 30
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.argsort(distances, axis=1)[:, :7]
    np.testing.assert_array_equal(closest(X, 7, block_rows=block_rows), expected)


def test_neighbours_that_float32_cannot_tell_apart():
    """Clusters 1e-5 wide and 1 apart: the rows are asked again in float64."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((3, 20)), 50, axis=0) + 1e-5 * rng.standard_normal((150, 20))
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    found = np.take_along_axis(distances, closest(X, 5), axis=1)
    np.testing.assert_allclose(found, np.sort(distances, axis=1)[:, :5], rtol=1e-3)


def test_equal_rows_are_each_others_neighbours():
    X = np.repeat(np.eye(4), 25, axis=0)
    found = closest(X, 10)
    assert (found // 25 == np.arange(100)[:, None] // 25).all()
    assert all(row not in line and len(set(line)) == 10 for row, line in enumerate(found.tolist()))


def test_both_ways_at_once():
    X = np.random.default_rng(0).standard_normal((700, 40))
    by_cosine, by_distance = closest_both_ways(X, 10)
    np.testing.assert_array_equal(by_cosine, nearest_of_all(X, k=10))
    np.testing.assert_array_equal(by_distance, closest(X, 3))
