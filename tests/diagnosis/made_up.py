"""Labelled vectors for which one treatment is right by construction."""

import numpy as np

N, D, CLASSES = 600, 24, 6


def labelled(case: str, *, n: int = N, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """(vectors (n, D), labels) for which ``case`` is the right recommendation.

    leave   directions around the origin, evenly
    centre  the same with varying lengths, far from the origin: only the mean hides the labels
    remove  one direction has a large variance that is independent of the labels
    whiten  twelve such directions: more than a removal removes
    """
    rng = np.random.default_rng(seed)
    label = np.arange(n) % CLASSES
    means = np.linalg.qr(rng.standard_normal((D, D)))[0]
    # Each class has two opposite directions and mean 0, so no single direction gives the labels.
    sign = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = sign[:, None] * means[label] + 0.16 * rng.standard_normal((n, D))
    if case == "centre":
        X = X * np.exp(rng.normal(0, 0.5, (n, 1))) + 4 * means[-1]
    if case == "remove":
        X += 6 * rng.standard_normal((n, 1)) * means[-1]
    if case == "whiten":
        X += 3 * rng.standard_normal((n, 12)) @ means[-12:]
    return X.astype(np.float32), [f"class {each}" for each in label]
