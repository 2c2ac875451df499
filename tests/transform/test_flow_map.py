"""Couplings: by hand, against autograd's Jacobian, there and back, and through files."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from geometry.transform.flow_map import Coupling, FlowMap, chain, identity_couplings
from tests.for_each import for_each


def moved(d: int = 5, n_couplings: int = 3, seed: int = 0) -> tuple[Coupling, ...]:
    """Couplings with weights of every part drawn at random, so that none is the identity."""
    rng = np.random.default_rng(seed)
    start = identity_couplings(d, n_couplings, 7, rng)
    return tuple(
        Coupling(each.order, *(part + 0.4 * rng.standard_normal(part.shape) for part in rest))
        for each in start
        for rest in [each.parts[1:]]
    )


def a_map(d: int = 5) -> FlowMap:
    rng = np.random.default_rng(1)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    scales = rng.uniform(0.3, 3, d)
    return FlowMap(rng.standard_normal(d), scales, rotation, moved(d))


def by_hand() -> Coupling:
    """d = 3, so u is one column and v two; one hidden unit in each layer."""
    return Coupling(
        order=np.array([2, 0, 1]),
        bias=np.array([1.0, 0, 0]),
        log_scale=np.log([2.0, 1, 4]),
        W1=np.array([[1.0]]),
        b1=np.array([1.0]),
        W2=np.array([[2.0]]),
        b2=np.array([-1.0]),
        W3=np.array([[1.0, -1, 0.1, 0.2]]),
        b3=np.array([0.5, 0, 0, 0]),
    )


# x = (2, 3, 0.25): act-norm (2, 3, 1); permuted (1, 2, 3), so u = 1 and v = (2, 3);
# first layer 2, second 2 * 2 - 1 = 3; t = (3.5, -3), s = tanh(0.3), tanh(0.6)
X = np.array([[2.0, 3, 0.25]])


def test_a_coupling_by_hand():
    y, log_det = by_hand().forward(X, np)
    s = np.tanh([0.3, 0.6])
    expected = [1, 2 * np.exp(s[0]) + 3.5, 3 * np.exp(s[1]) - 3]
    np.testing.assert_allclose(y, [expected], atol=1e-12)
    np.testing.assert_allclose(log_det, [math.log(8) + s.sum()])


@for_each("d", [1, 2, 3, 6])
def test_the_log_determinant_is_that_of_autograds_jacobian(d):
    flow = a_map(d)
    rows = np.random.default_rng(2).standard_normal((4, d))
    tensors = [
        Coupling(*(torch.as_tensor(part) for part in coupling.parts)) for coupling in flow.couplings
    ]

    def z(x: torch.Tensor) -> torch.Tensor:
        start = (x - torch.as_tensor(flow.mean)) @ torch.as_tensor(flow.rotation)
        y, _ = chain(tuple(tensors), (start * torch.as_tensor(flow.scales))[None], torch)
        return (y @ torch.as_tensor(flow.rotation).T)[0]

    _, ours = flow.with_log_det(rows)
    for row, log_det in zip(rows, ours, strict=True):
        jacobian = torch.autograd.functional.jacobian(z, torch.as_tensor(row)).numpy()
        assert log_det == pytest.approx(np.linalg.slogdet(jacobian)[1], abs=1e-10)


def test_no_coupling_scales_by_more_than_its_bound():
    coupling = replace(by_hand(), b3=np.array([0, 0, 1e6, -1e6]))
    _, log_det = coupling.forward(X, np)
    np.testing.assert_allclose(log_det, [math.log(8)])  # + 1 - 1
    back = coupling.backward(coupling.forward(X, np)[0])
    np.testing.assert_allclose(back, X, atol=1e-12)


@for_each(
    ("change", "message"),
    [({"mean": None}, "mean"), ({"1.W2": None}, "1.W2"), ({"extra": np.zeros(2)}, "extra")],
)
def test_arrays_that_are_no_flow_are_refused(change, message):
    arrays = {**a_map().to_arrays(), **change}
    arrays = {name: value for name, value in arrays.items() if value is not None}
    with pytest.raises(ValueError, match=message):
        FlowMap.from_arrays(arrays)


def test_a_flow_without_couplings_is_refused():
    with pytest.raises(ValueError, match="lack couplings"):
        FlowMap.from_arrays({"mean": np.zeros(2), "scales": np.ones(2), "rotation": np.eye(2)})


# The grid


def test_the_grid_by_hand():
    """y2 += relu(y1), with standard deviations 2 and 1 about the mean (5, 7)."""
    one = np.ones((1, 1))
    zero, two = np.zeros(1), np.zeros(2)
    bend = Coupling(np.array([0, 1]), two, two, one, zero, one, zero, np.array([[1.0, 0]]), two)
    flow = FlowMap(np.array([5.0, 7]), np.array([0.5, 1]), np.eye(2), (bend,))
    np.testing.assert_array_equal(flow.widest, np.eye(2))
    before, after = flow.grid(reach=1, step=1)
    # three lines each way, of 61 points and a gap
    assert before.shape == after.shape == (6 * 62, 2)
    assert np.flatnonzero(np.isnan(before[:, 0])).tolist() == [61, 123, 185, 247, 309, 371]
    ends = {tuple(row): tuple(to) for row, to in zip(before, after, strict=True)}
    # x - mean = (2, y) is one deviation along the first direction: z = (1, y + 1)
    assert ends[2.0, -1.0] == (1, 0)
    assert ends[2.0, 1.0] == (1, 2)
    # no bend on the other side
    assert ends[-2.0, 1.0] == (-1, 1)
    assert ends[0.0, 1.0] == (0, 1)
