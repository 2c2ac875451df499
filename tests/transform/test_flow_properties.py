"""Flows of any shape: inverse, autograd's determinant, symmetries of the linear start."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geometry import NormalizingFlow
from geometry.linalg.rows import unit_rows
from geometry.transform.flow_map import KINDS, Coupling, FlowMap, identity_couplings
from tests.clouds import clouds, rotation, seeds


@st.composite
def maps(draw: st.DrawFn) -> FlowMap:
    """Maps with weights of any size that training reaches, and larger ones."""
    d, seed = draw(st.integers(1, 8)), draw(seeds)
    rng = np.random.default_rng(seed)
    begun = identity_couplings(
        d,
        draw(st.integers(1, 4)),
        hidden_units=draw(st.integers(1, 9)),
        kind=draw(st.sampled_from(KINDS)),
        rng=rng,
    )
    size = draw(st.sampled_from([0.0, 0.1, 1.0]))
    couplings = tuple(
        Coupling(each.order, *(p + size * rng.standard_normal(p.shape) for p in each.parts[1:]))
        for each in begun
    )
    turned = rotation(d, seed) if draw(st.booleans()) else None
    return FlowMap(rng.standard_normal(d), np.exp(rng.standard_normal(d)), turned, couplings)


@given(maps(), seeds)
def test_there_and_back(flow, seed):
    X = 3 * np.random.default_rng(seed).standard_normal((5, len(flow.mean)))
    Z = flow.apply(X)
    # Each coupling may enlarge a rounding error by a factor that depends on its weights.
    np.testing.assert_allclose(flow.undo(Z), X, atol=1e-12 * max(1.0, np.abs(Z).max() ** 2))


@settings(max_examples=20)
@given(clouds(more_rows_than_dimensions=True), seeds)
def test_the_start_turns_with_the_cloud(X, seed):
    """ZCA and its Ledoit-Wolf shrinkage commute with rotations, so cosines and densities stay."""
    turn = rotation(X.shape[1], seed)
    first, second = (
        NormalizingFlow(n_couplings=1, hidden_units=1, max_epochs=1, learning_rate=1e-12).fit(Y)
        for Y in (X, X @ turn)
    )
    z, turned = first.transform(X), second.transform(X @ turn)
    np.testing.assert_allclose(turned, z @ turn, atol=1e-4)
    np.testing.assert_allclose(
        unit_rows(turned) @ unit_rows(turned).T, unit_rows(z) @ unit_rows(z).T, atol=1e-3
    )
    np.testing.assert_allclose(first.score_samples(X), second.score_samples(X @ turn), atol=1e-4)
