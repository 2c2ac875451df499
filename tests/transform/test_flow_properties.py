"""Flows of any shape: inverse, autograd's determinant, symmetries of the linear start."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geometry.transform.flow_map import Coupling, FlowMap, identity_couplings
from tests.clouds import rotation, seeds


@st.composite
def maps(draw: st.DrawFn) -> FlowMap:
    """Maps with weights of any size that training reaches, and larger ones."""
    d, seed = draw(st.integers(1, 8)), draw(seeds)
    rng = np.random.default_rng(seed)
    begun = identity_couplings(
        d,
        draw(st.integers(1, 4)),
        hidden_units=draw(st.integers(1, 9)),
        rng=rng,
    )
    size = draw(st.sampled_from([0.0, 0.1, 1.0]))
    couplings = tuple(
        Coupling(each.order, *(p + size * rng.standard_normal(p.shape) for p in each.parts[1:]))
        for each in begun
    )
    start = rng.standard_normal(d), np.exp(rng.standard_normal(d)), rotation(d, seed)
    return FlowMap(*start, couplings)


@given(maps(), seeds)
def test_there_and_back(flow, seed):
    X = 3 * np.random.default_rng(seed).standard_normal((5, len(flow.mean)))
    Z = flow.apply(X)
    # Each coupling may enlarge a rounding error by a factor that depends on its weights.
    np.testing.assert_allclose(flow.undo(Z), X, atol=1e-12 * max(1.0, np.abs(Z).max() ** 2))
