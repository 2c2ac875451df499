"""Exact search by blocks: against brute force, in narrow cones, with ties, and refusals."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from geometry import UndefinedMeasure
from geometry.measure import Search
from geometry.measure.neighbours import nearest_of_all
from tests.for_each import for_each

RNG = np.random.default_rng(0)
CLOUD = RNG.standard_normal((300, 12)) * np.geomspace(3, 0.1, 12) + 1


@for_each(("block_rows", "threads"), [(7, 2), (64, 1), (2048, 2)])
def test_all_rows_as_scikit_learn_finds_them(block_rows, threads):
    found = Search(CLOUD).nearest_of_all(10, block_rows=block_rows, threads=threads)
    index = NearestNeighbors(n_neighbors=10, metric="cosine", algorithm="brute").fit(CLOUD)
    distances, rows = index.kneighbors()
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.cosines, 1 - distances, atol=1e-6)
    assert found.first(3).rows.tolist() == rows[:, :3].tolist()


def test_queries_and_one_row():
    search = Search(CLOUD[:200])
    found = search.nearest(CLOUD[200:], 5)
    index = NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(CLOUD[:200])
    np.testing.assert_array_equal(found.rows, index.kneighbors(CLOUD[200:])[1])
    assert search.nearest(CLOUD[[150]], 1).rows[0, 0] == 150
    U = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    cosines = search.cosines(CLOUD[200:])
    np.testing.assert_allclose(cosines, U[200:] @ U[:200].T, atol=1e-6)


def test_a_needle_is_searched_again_in_float64():
    """Clusters 1e-5 wide: their cosines are equal in float32."""
    X = np.repeat(RNG.standard_normal((3, 20)), 40, axis=0) + 1e-5 * RNG.standard_normal((120, 20))
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    gaps = np.linalg.norm(U[:, None] - U[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    found = Search(X).nearest_of_all(1, block_rows=50)
    # float32 rows have 1e-7 of their length; the gaps are 1e-5
    chosen = gaps[np.arange(120), found.rows[:, 0]]
    assert (chosen <= gaps.min(axis=1) * 1.05).all()


def test_of_equal_cosines_the_lower_row_comes_first():
    X = np.tile([[1.0, 0, 1], [0, 1, 1]], (10, 1))
    assert (
        Search(X).nearest_of_all(3, block_rows=4).rows.tolist() == nearest_of_all(X, k=3).tolist()
    )
    assert Search(X).nearest_to_row(4, 3).rows.tolist() == [[0, 2, 6]]
    assert Search(X).nearest(X[[1]], 3).rows.tolist() == [[1, 3, 5]]


def test_k_is_cut_progress_reaches_its_end_and_what_is_refused():
    reports = []
    found = Search(CLOUD[:9]).nearest_of_all(
        50, block_rows=4, progress=lambda *at: reports.append(at)
    )
    assert found.k == 8
    assert reports == [(i, 6) for i in range(1, 7)]
    assert Search(CLOUD[:3]).nearest(CLOUD[:1], 9).k == 3
    with pytest.raises(UndefinedMeasure, match=r"row 3 .from 1. is zero"):
        Search(np.array([[1.0, 0], [0, 1], [0, 0]]))
    with pytest.raises(IndexError, match="row 9 is not one of the 3"):
        Search(np.eye(3)).nearest_to_row(9, 1)
    with pytest.raises(ValueError, match="k must be"):
        Search(np.eye(3)).nearest_of_all(0)
