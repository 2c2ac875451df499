"""The film: exact at its stops, at one scale, and the place of given knobs on it."""

import numpy as np
import pytest

from geometry import project
from geometry.projection import whiten_beside
from geometry.projection.twin import (
    FAR,
    common_scale,
    film,
    film_knobs,
    fit_whitening,
    nearest_in_film,
)
from tests.for_each import for_each


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(200, 6)) * np.arange(1, 7) + 3


@for_each("method", ["svd", "pca", "mean", "cone"])
@for_each("k", [2, 3])
def test_each_stop_is_the_page_s_own_picture(cloud, method, k):
    raw, fitted = project(cloud, method, k), fit_whitening(cloud)
    for stop, (s, t) in zip(film(cloud, fitted, raw), film_knobs(), strict=True):
        white = whiten_beside(cloud, fitted, centring=s, strength=t)
        picture = raw.apply(white.vectors)
        factor, _reach = common_scale(raw, picture)
        assert stop.factor == pytest.approx(factor)
        assert stop.coordinates == pytest.approx(picture.around_origin * factor, abs=1e-9)
        radius = np.sqrt(np.square(stop.coordinates).sum(axis=1).mean())
        assert radius == pytest.approx(np.sqrt(np.square(raw.around_origin).sum(axis=1).mean()))


@for_each(
    ("knobs", "place"),
    [((0, 0), 0), ((0.5, 0), 0.5), ((1, 0), 1), ((1, 0.25), 3), ((1, 0.3125), 3.5), ((1, 1), 9)]
    + [(knobs, None) for knobs in ((0.5, 0.5), (0, 1), (0.9375, 0.0625))],
)
def test_knobs_on_the_path_have_a_place_and_others_none(knobs, place):
    at, distance = nearest_in_film(film_knobs(), *knobs)
    assert (at if distance < FAR else None) == pytest.approx(place)


@for_each(
    ("knobs", "place", "distance"),
    [((1, 0.25), 3, 0), ((0.25, 0.125), 0.25, 0.125), ((0.75, 0.5), 5, 0.25), ((1, 1), 9, 0)],
)
def test_knobs_off_the_path_are_near_a_place_on_it(knobs, place, distance):
    assert nearest_in_film(film_knobs(), *knobs) == pytest.approx((place, distance))
