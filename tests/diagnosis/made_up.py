"""Labelled vectors for which one cure is the right one by construction."""

import numpy as np

N, D, CLASSES = 600, 24, 6


def labelled(case: str, *, n: int = N, seed: int = 0) -> tuple[np.ndarray, list[str]]:
    """(vectors (n, D), labels) for which ``case`` is the right recommendation.

    leave   directions around the origin, evenly
    centre  the same with lengths that vary, moved far off the origin: only the mean hides them
    remove  one direction of large variance that has nothing to do with the labels
    whiten  twelve such directions: more than a removal removes
    """
    rng = np.random.default_rng(seed)
    label = np.arange(n) % CLASSES
    means = np.linalg.qr(rng.standard_normal((D, D)))[0]
    # of every class two opposite directions: their mean is 0, so no direction has the labels alone
    sign = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    X = sign[:, None] * means[label] + 0.16 * rng.standard_normal((n, D))
    if case == "centre":
        X = X * np.exp(rng.normal(0, 0.5, (n, 1))) + 4 * means[-1]
    if case == "remove":
        X += 6 * rng.standard_normal((n, 1)) * means[-1]
    if case == "whiten":
        X += 3 * rng.standard_normal((n, 12)) @ means[-12:]
    return X.astype(np.float32), [f"class {each}" for each in label]
