"""Points placed into a picture of a sample: by hand, in groups, and by blocks."""

import numpy as np
import pytest

from geometry import UndefinedMeasure
from geometry.projection import neighbour_maps, place
from geometry.projection.projection import trustworthiness


def groups(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows around 12 directions, and the number of each row's direction."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((12, 24))
    own = rng.integers(12, size=n)
    return centres[own] + 0.4 * rng.standard_normal((n, 24)), own


def picture(own: np.ndarray) -> np.ndarray:
    """A place for each group on a circle, and some noise."""
    angles = 2 * np.pi * own / 12
    noise = 0.05 * np.random.default_rng(1).standard_normal((len(own), 2))
    return 10 * np.column_stack([np.cos(angles), np.sin(angles)]) + noise


def test_worked_by_hand():
    """Four of six neighbours lie together, far from the mean of all six."""
    sample = np.array([[1, 0.01 * i] for i in range(7)] + [[-1, 0]])
    places = np.array([[0, 0], [0, 0.1], [0, 0.2], [0, 0.1], [9, 9], [-9, 9], [-9, 9.1], [50, 50]])
    found = place(np.array([[2, 0.0]]), sample, places, n_neighbors=6)
    assert found[0] == pytest.approx([0, 0.1], abs=0.1)
    assert place(sample[[7]] * 3, sample, places, n_neighbors=1).tolist() == [[50, 50]]


@pytest.mark.parametrize("shortlist", [5000, 150])
def test_rows_come_to_their_group(shortlist, monkeypatch):
    monkeypatch.setattr(neighbour_maps, "SHORTLIST", shortlist)
    sample, own = groups(600, seed=0)
    rows, truth = groups(2000, seed=1)
    found = place(rows, sample, picture(own))
    there = 10 * np.column_stack([np.cos(np.pi * truth / 6), np.sin(np.pi * truth / 6)])
    assert np.mean(np.linalg.norm(found - there, axis=1) < 1) > 0.98
    assert trustworthiness(rows, found)[0] > 0.9
    reports = []
    monkeypatch.setattr(neighbour_maps, "BLOCK_ROWS", 20)
    again = place(rows, sample, picture(own), progress=lambda *each: reports.append(each))
    np.testing.assert_allclose(again, found, atol=1e-4)
    assert reports[-1] == (2000, 2000)
    assert len(reports) > 2


def test_copies_of_the_sample_are_at_its_places():
    sample, own = groups(300, seed=0)
    places = picture(own) + np.random.default_rng(1).standard_normal((300, 2)) * 0.2
    for copies in (sample, 3 * sample[::-1][:50], sample.astype(np.float32)):
        found = place(copies, sample, places)
        expected = places[::-1][:50] if len(copies) == 50 else places
        np.testing.assert_array_equal(found, expected.astype(np.float32))


def test_what_is_refused():
    with pytest.raises(ValueError, match="3 sample rows and 2 places"):
        place(np.eye(3), np.eye(3), np.eye(2))
    with pytest.raises(UndefinedMeasure, match="zero"):
        place(np.zeros((1, 3)), np.eye(3), np.eye(3)[:, :2])
