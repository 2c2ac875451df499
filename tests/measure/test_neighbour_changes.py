"""Neighbours before and after: by hand, by a second route, and the intervals' coverage."""

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors

from geometry import UndefinedMeasure, Whitening, hubness, label_agreement
from geometry.measure import chance_agreement, moved_at_random, neighbour_changes
from geometry.measure.intervals import halves, subsampling_reach
from geometry.measure.neighbour_changes import jaccard_overlap
from geometry.measure.neighbours import agreement_draws


def cone(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Gaussian rows around a mean of about their own length."""
    return np.random.default_rng(seed).standard_normal((n, d)) + 1


def test_by_a_second_route():
    """scikit-learn's neighbours, Python's sets and scipy's skewness."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 30)) * np.geomspace(4, 0.2, 30) + 2
    Z = Whitening("zca").fit_transform(X)
    labels = ["a", "b", "b", "c"] * 50
    found = neighbour_changes(X, Z, k=5, labels=labels)
    jaccards = []
    lists = [
        NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute")
        .fit(each)
        .kneighbors()[1]
        for each in (X, Z)
    ]
    for first, other in zip(*map(np.ndarray.tolist, lists), strict=True):
        jaccards.append(len({*first} & {*other}) / len({*first} | {*other}))
    np.testing.assert_allclose(found.jaccards, jaccards)
    assert jaccard_overlap(np.array([[1, -1, -1]]), np.array([[2, -1, -1]])) == 0
    assert found.jaccard.value == pytest.approx(np.mean(jaccards))
    for side, near, cloud in zip((found.before, found.after), lists, (X, Z), strict=True):
        counts = np.bincount(near.ravel(), minlength=200)
        np.testing.assert_array_equal(side.occurrences, counts)
        assert side.hubness == pytest.approx(skew(counts))
        assert side.hubness == pytest.approx(hubness(cloud, k=5))
        assert side.agreement.value == pytest.approx(label_agreement(cloud, labels, k=5))
        assert side.occurrences[side.hubs(10)].tolist() == sorted(counts, reverse=True)[:10]
    for each in (found.jaccard, found.agreement):
        assert each.low < each.value < each.high


def test_the_mean_makes_hubs_and_centring_removes_them():
    """Rows around a mean: those near to it are neighbours of most others (Suzuki et al. 2013)."""
    X = cone(600, 50)
    found = neighbour_changes(X, X - X.mean(axis=0), k=10)
    assert found.after.hubness < 0.5 * found.before.hubness - found.hubness_reach

    def is_clear(seed: int) -> bool:
        """A change of isotropic rows, which are whitened by other ones."""
        X = cone(240, 30, seed) - 1
        Z = Whitening("zca", shrinkage="ledoit-wolf").fit(X[120:]).transform(X[:120])
        changes = neighbour_changes(X[:120], Z)
        return abs(changes.after.hubness - changes.before.hubness) > changes.hubness_reach

    assert sum(map(is_clear, range(20))) <= 1
    nothing = neighbour_changes(X, 3 * X, k=10)
    assert nothing.jaccard.value == 1.0
    assert nothing.after.hubness == nothing.before.hubness
    assert nothing.jaccard.low == nothing.jaccard.high == 1.0


def test_a_shift_of_the_same_length_in_a_random_direction_removes_no_hubs():
    X = cone(300, 40)
    moved = moved_at_random(X, seed=3)
    shift = X[0] - moved[0]
    np.testing.assert_allclose(X - moved, np.tile(shift, (300, 1)))
    mean = X.mean(axis=0)
    assert np.linalg.norm(shift) == pytest.approx(np.linalg.norm(mean))
    assert abs(shift @ mean) < 0.5 * mean @ mean  # a random direction is nearly perpendicular
    Z = X - mean
    found = neighbour_changes(X, Z, controls=2, seed=3)
    assert found.controls == pytest.approx((hubness(moved), hubness(moved_at_random(X, seed=4))))
    assert found.after.hubness < min(found.controls)
    plain = neighbour_changes(X, Z)
    assert plain.controls == ()
    assert plain.after.hubness == found.after.hubness


def test_nearly_equal_sentences_of_a_text_have_wider_intervals_by_text():
    X = cone(60, 20)[np.arange(300) // 5] + 1e-3 * cone(300, 20, seed=1)
    # noise changes the neighbours of some texts
    Z = np.random.default_rng(0).standard_normal((20, 20))
    labels = list(np.arange(60)[np.arange(300) // 5] % 2)
    by_row, by_text = (
        neighbour_changes(X, X @ Z, k=10, labels=labels, units=units)
        for units in (None, np.arange(300) // 5)
    )
    for name in ("jaccard", "agreement"):
        first, other = getattr(by_row, name), getattr(by_text, name)
        assert other.high - other.low > 1.5 * (first.high - first.low)


def test_the_interval_is_that_of_subsamples_of_whole_units():
    X = cone(240, 6)
    Z, units = X + 0.5 * cone(240, 6, seed=1), np.arange(240) // 4
    found = neighbour_changes(X, Z, k=5, units=units).jaccard
    drawn = (np.isin(units, each) for each in halves(60, 0))
    values = [neighbour_changes(X[in_], Z[in_], k=5, units=units[in_]).jaccard for in_ in drawn]
    reach = subsampling_reach([each.value for each in values], 30, 60)
    assert found.high - found.value == pytest.approx(reach)


def test_a_missing_label_is_no_label():
    """Rows without a label are left out."""
    X = cone(900, 20)
    Z, is_labelled = X - X.mean(axis=0), np.arange(900) % 30 > 27
    labels = np.where(is_labelled, np.where(np.arange(900) < 500, "a", "b"), "")
    found = neighbour_changes(X, Z, k=5, labels=labels)
    for side, cloud in ((found.before, X), (found.after, Z)):
        expected = label_agreement(cloud[is_labelled], labels[is_labelled], k=5)
        assert side.agreement.value == pytest.approx(expected)
        assert label_agreement(cloud, labels, k=5) == pytest.approx(expected)
    assert chance_agreement(labels) == chance_agreement(labels[is_labelled])
    draws = agreement_draws(X, labels).shares
    expected = agreement_draws(X[is_labelled], labels[is_labelled]).shares
    np.testing.assert_array_equal(draws, expected)
    for undefined in ([""] * 900, range(900)):
        assert neighbour_changes(X, Z, k=5, labels=undefined).agreement is None


def test_few_rows_have_no_interval_and_what_is_refused():
    X = np.random.default_rng(0).standard_normal((30, 5))
    found = neighbour_changes(X, X + 1, k=3)
    assert found.jaccard.low is found.hubness_reach is None
    Y = cone(50, 5)  # k is under and over a quarter of the rows
    some, many = (neighbour_changes(Y, Y - 1, k=k, labels=["a", "b"] * 25) for k in (12, 13))
    assert None not in (some.jaccard.low, some.agreement.low, some.hubness_reach)
    assert many.jaccard.low is many.agreement.low is many.hubness_reach is None
    with pytest.raises(UndefinedMeasure, match="at least 12 rows"):
        neighbour_changes(X[:11], X[:11])
    with pytest.raises(ValueError, match="30 rows before and 29 after"):
        neighbour_changes(X, X[1:])
    with pytest.raises(ValueError, match="2 labels for 30 rows"):
        neighbour_changes(X, X, k=3, labels=["a", "b"])
    with pytest.raises(UndefinedMeasure, match="no nearest 3"):
        neighbour_changes(X, np.eye(30), k=3)
