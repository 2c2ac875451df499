"""Maps in a worker process: the coordinates of the library, and progress."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from geometry import project
from geometry.projection.neighbour_maps import TSNE_ROUNDS
from geometry.projection.projection import map_picture
from pages.common.cloud_choices import Look
from pages.narrow_cone import scene
from pages.narrow_cone.scene import MAP_WORKER, fit_elsewhere


@pytest.fixture(scope="module", autouse=True)
def _own_worker() -> Iterator[None]:
    """End the worker of these tests."""
    yield
    MAP_WORKER.stop()


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((4, 24))
    rows = centres[rng.integers(4, size=300)] + rng.standard_normal((300, 24)) * 0.3
    return rows.astype(np.float32)


FLAT = Look("umap", 2, "topic")


def test_tsne_is_fitted_by_the_worker_and_is_the_library_s(cloud):
    reports = []
    look = replace(FLAT, view="tsne", most_fitted=200)
    found = fit_elsewhere(cloud, look, lambda *report: reports.append(report))
    expected = project(cloud, "tsne", random_state=0, most_fitted=200)
    assert found.shape == expected.coordinates.shape
    picture = map_picture(cloud, found, "tsne")
    assert picture.trustworthiness == pytest.approx(expected.trustworthiness, abs=0.02)
    assert max(total for _, total in reports) == sum(TSNE_ROUNDS)


def test_maps_that_differ_in_a_choice_are_stored_apart(cloud):
    class Named:
        content_key, vectors = "cloud", cloud

    looks = [
        FLAT,
        replace(FLAT, view="tsne"),
        replace(FLAT, n_components=3),
        replace(FLAT, seed=None),
        replace(FLAT, most_fitted=None),
    ]
    assert len({scene._store_key(Named(), look) for look in looks}) == len(looks)
    assert scene._store_key(Named(), replace(FLAT, colour="length")) == scene._store_key(
        Named(), FLAT
    )
