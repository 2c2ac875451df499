"""Labelled vectors for which one treatment is right by construction."""

import numpy as np

N, D, CLASSES = 600, 24, 6


def labelled(case: str, *, n: int = N, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """(vectors (n, D), labels) for which ``case`` is the right recommendation.

    leave   directions around the origin, evenly
    centre  the same with varying lengths, far from the origin: only the mean hides the labels
    remove  one direction has a large variance that is independent of the labels
    level   twelve such directions: more than a removal removes
    """
    rng = np.random.default_rng(seed)
    label = np.arange(n) % CLASSES
    means = np.linalg.qr(rng.standard_normal((D, D)))[0]
    # Each class has two opposite directions and mean 0, so no single direction gives the labels.
    sign = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    # "centre" has three of those in each class: 18 in all, more than a projection to 16 retains
    direction = label if case != "centre" else 3 * label + rng.integers(3, size=n)
    X = sign[:, None] * means[direction] + 0.16 * rng.standard_normal((n, D))
    if case == "centre":
        X = X * np.exp(rng.normal(0, 0.5, (n, 1))) + 4 * means[-1]
    if case == "remove":
        X += 6 * rng.standard_normal((n, 1)) * means[-1]
    if case == "level":
        X += 3 * rng.standard_normal((n, 12)) @ means[-12:]
    return X.astype(np.float32), [f"class {each}" for each in label]


def ten_centres(*, n: int = 1500, d: int = 64, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """Isotropic noise with ten centres: a plain projection on their directions is best."""
    rng = np.random.default_rng(seed)
    centres = np.linalg.qr(rng.standard_normal((d, d)))[0][:10]
    label = np.arange(n) % 10
    X = 3.2 * centres[label] + rng.standard_normal((n, d))
    return X.astype(np.float32), [f"centre {each}" for each in label]
