"""A softmax in two dimensions: twelve hidden states, four tokens, and what moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .softmax import token_gradient

SIDES = ("one-sided", "around")
NAMES = ("a", "b", "c", "d")  # d never occurs
TARGETS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2])  # c occurs once
RATE = 1.0
MOST_STEPS = 100


@dataclass(frozen=True)
class SoftmaxToy:
    """The state after some steps of gradient descent on the tokens; hidden states stay."""

    hidden: np.ndarray  # (12, 2)
    tokens: np.ndarray  # (4, 2)
    pull: np.ndarray  # (4, 2), and the push: the two parts of the negative gradient, by token
    push: np.ndarray  # (4, 2)
    path: np.ndarray  # (steps + 1, 4, 2), the tokens so far

    @classmethod
    def after(cls, steps: int, side: str = "one-sided") -> SoftmaxToy:
        """The state after so many steps; with "around" the hull of hidden states has the origin."""
        hidden = _hidden(side)
        tokens = 0.8 * np.array([[1.0, 0.2], [-0.2, 1.0], [-1.0, -0.2], [0.2, -1.0]])
        path = [tokens]
        for _ in range(steps):
            pull, push = _forces(hidden, path[-1])
            path.append(path[-1] + RATE * (pull + push))
        pull, push = _forces(hidden, path[-1])
        return cls(hidden, path[-1], pull, push, np.stack(path))


def _hidden(side: str) -> np.ndarray:
    degrees = {
        "one-sided": [5, 12, 20, 28, 35, 42, 58, 66, 74, 82, 90, 50],
        "around": [-30, -10, 10, 30, 50, 70, 130, 150, 170, 190, 210, 270],
    }[side]
    lengths = np.array([1.2, 0.9, 1.4, 1.1, 0.8, 1.3, 1.2, 0.9, 1.4, 1.0, 1.2, 1.1])
    angles = np.radians(degrees)
    hidden: np.ndarray = lengths[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return hidden


def _forces(hidden: np.ndarray, tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = [token_gradient(hidden, TARGETS, tokens, token) for token in range(len(tokens))]
    return np.stack([each.pull for each in found]), np.stack([each.push for each in found])
