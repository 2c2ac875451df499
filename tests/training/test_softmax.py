"""The cosine penalty and a token's gradient: by hand, by brute force, by automatic derivatives."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from geometry.training import cosine_penalty, token_gradient
from tests.for_each import for_each


def test_the_penalty_is_the_sum_over_pairs():
    rows = np.random.default_rng(0).standard_normal((40, 5)) + 0.5
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = unit @ unit.T
    wanted = (cosines.sum() - np.trace(cosines)) / 40**2
    assert float(cosine_penalty(torch.from_numpy(rows))) == pytest.approx(wanted)


@for_each("token", [0, 3, 11])
def test_pull_and_push_are_the_negative_gradient(token):
    rng = np.random.default_rng(1)
    hidden, embeddings = rng.standard_normal((50, 6)), rng.standard_normal((12, 6))
    targets = rng.integers(11, size=50)  # token 11 never occurs
    W = torch.from_numpy(embeddings).requires_grad_()
    cross_entropy(torch.from_numpy(hidden) @ W.T, torch.from_numpy(targets)).backward()
    found = token_gradient(hidden, targets, embeddings, token)
    np.testing.assert_allclose(found.pull + found.push, -W.grad[token].numpy(), atol=1e-12)
    assert found.n_pull == (targets == token).sum()
