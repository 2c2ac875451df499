"""The same points at several layers: one scale, axes of stable sign, true angles."""

import numpy as np

from geometry.projection import project, project_layer
from tests.for_each import for_each


def layers(n=60, d=8):
    """Three layers: the second is the first rotated and scaled, the third has other points."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) * np.linspace(3, 1, d) + 2
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return X, 50 * X @ turn, rng.standard_normal((n, d)) + 1


def pictures(layers, method, k=2):
    """The picture of each layer, beside that of the layer before."""
    found = []
    for X in layers:
        found.append(project_layer(X, method, k, former=found[-1] if found else None))
    return found


@for_each("method", ["mean", "svd", "pca", "cone"])
@for_each("k", [2, 3])
def test_a_turn_of_the_space_moves_no_point(method, k):
    first, turned, _ = pictures(layers(), method, k)
    np.testing.assert_allclose(turned.around_origin, first.around_origin, atol=1e-9)
    plain = project(unit(layers()[1]), method, k)
    np.testing.assert_allclose(np.abs(turned.coordinates), np.abs(plain.coordinates), atol=1e-9)


def test_an_axis_that_would_flip_is_turned_back():
    X = layers()[0]
    mirrored = X.copy()
    mirrored[:, 0] *= -1  # the widest axis
    for method in ("mean", "cone"):
        a, b = pictures([X, mirrored], method)
        assert (a.coordinates * b.coordinates).sum(axis=0).min() >= 0


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)
