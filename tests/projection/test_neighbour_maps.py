"""UMAP and t-SNE as maps of neighbours: what both share, and t-SNE by second routes."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from openTSNE import affinity
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from geometry import project
from geometry.errors import MissingExtraError
from geometry.projection.cloud_text import lines_below
from geometry.projection.neighbour_maps import MAPS, fit_map
from geometry.projection.panel import Panel
from geometry.projection.projection import map_picture

RNG = np.random.default_rng(0)
CENTRES = 3 * RNG.standard_normal((3, 20)) + 2
GROUPS = np.repeat([0, 1, 2], 60)
CLOUD = CENTRES[GROUPS] + RNG.standard_normal((180, 20))


def replaced(monkeypatch, method: str, layout) -> None:
    monkeypatch.setitem(MAPS, method, replace(MAPS[method], layout=layout))


def first_axes(U, _found, n_components, _random_state, _progress):
    return U[:, :n_components].astype(np.float64)


@pytest.fixture(scope="module")
def tsne():
    return project(CLOUD, "tsne", random_state=3)


def test_tsne_is_seeded_and_reports_its_progress(tsne):
    calls = []
    again = project(CLOUD, "tsne", random_state=3, progress=lambda *call: calls.append(call))
    np.testing.assert_array_equal(again.coordinates, tsne.coordinates)
    other = project(CLOUD, "tsne", random_state=4)
    assert np.abs(other.coordinates - tsne.coordinates).max() > 1e-3
    assert [*dict.fromkeys(stage for stage, _, _ in calls)] == ["neighbours", "layout"]
    done = [done for stage, done, _ in calls if stage == "layout"]
    assert done == sorted(set(done))
    assert done[-1] == calls[-1][2]


def test_the_trustworthiness_of_tsne_is_scikit_learn_s(tsne):
    U = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    expected = sklearn_trustworthiness(U, tsne.coordinates, n_neighbors=5, metric="cosine")
    assert tsne.trustworthiness == pytest.approx(expected, abs=1e-12)
    assert tsne.trustworthiness > project(CLOUD, "svd").trustworthiness + 0.02


def test_the_affinities_of_tsne_are_opentsne_s_own_of_all_distances(monkeypatch):
    used = []

    def noted(*args, **settings):
        used.append(own(*args, **settings))
        return used[-1]

    own = affinity.PerplexityBasedNN
    monkeypatch.setattr(affinity, "PerplexityBasedNN", noted)
    project(CLOUD, "tsne")
    U = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    expected = own(U, perplexity=30, method="exact").P.toarray()
    np.testing.assert_allclose(used[0].P.toarray(), expected, atol=1e-8)


@pytest.mark.parametrize("k", [2, 3])
def test_tsne_of_few_rows_has_a_smaller_perplexity(k):
    """A third of the other rows: 1 of 4 rows."""
    for n in (k + 1, k + 2, 8):
        found = project(CLOUD[:n], "tsne", k)
        assert found.coordinates.shape == (n, k)
        assert np.isfinite(found.coordinates).all()


def test_copies_have_one_place_in_tsne():
    X = np.vstack([CLOUD[:60], 7 * CLOUD[:60]]).astype(np.float32)
    P = project(X, "tsne").coordinates
    np.testing.assert_array_equal(P[:60], P[60:])
    assert len(np.unique(P, axis=0)) == 60


@pytest.mark.parametrize("method", MAPS)
def test_without_a_seed_a_map_says_so(method, monkeypatch):
    seeds = []

    def layout(U, _found, k, random_state, _progress):
        seeds.append(random_state)
        return U[:, :k].astype(np.float64)

    replaced(monkeypatch, method, layout)
    picture = project(CLOUD, method, random_state=None)
    assert seeds == [None]
    panel = Panel(picture.coordinates, (), 9.0, (), None, (), None)
    assert lines_below(picture, panel)[1:] == [
        "a map of neighbours: it has no origin, no cone, no angles, no distances between groups",
        "no seed: another fit gives another map",
    ]
    seeded = lines_below(map_picture(CLOUD, picture.coordinates, method, random_state=5), panel)
    assert seeded[-1] == "seed 5: another fit gives the same map"


@pytest.mark.slow  # the compilation of UMAP takes longer than its fit
@pytest.mark.parametrize("method", MAPS)
def test_of_more_rows_a_sample_is_fitted_and_the_others_are_placed(method, monkeypatch):
    sizes, calls = [], []

    def layout(U, found, k, *rest):
        sizes.append((len(U), found.k))
        return first_axes(U, found, k, *rest)

    replaced(monkeypatch, method, layout)
    P = fit_map(CLOUD, method, most_fitted=100, progress=lambda *call: calls.append(call))
    assert sizes == [(100, min(99, MAPS[method].n_neighbors))]
    assert [*dict.fromkeys(stage for stage, _, _ in calls)] == ["neighbours", "placing"]
    assert P.shape == (180, 2)
    U = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
    fitted = np.isclose(P, U[:, :2]).all(axis=1)
    assert fitted.sum() == 100
    assert np.corrcoef(P[~fitted, 0], U[~fitted, 0])[0, 1] > 0.8
    fit_map(CLOUD, method, most_fitted=None, n_neighbors=7)
    assert sizes[-1] == (180, 7)


@pytest.mark.parametrize("method", MAPS)
def test_a_map_without_its_package_is_refused_by_the_name_of_its_extra(method, monkeypatch):
    def is_there(name):
        return None if name == MAPS[method].module else find_spec(name)

    monkeypatch.setattr("geometry.errors.find_spec", is_there)
    with pytest.raises(MissingExtraError, match=f"extra `{MAPS[method].extra}`"):
        project(CLOUD, method)


def test_a_row_of_zeros_is_refused():
    X = CLOUD.copy()
    X[4] = 0
    with pytest.raises(ValueError, match="zero"):
        project(X, "tsne")
