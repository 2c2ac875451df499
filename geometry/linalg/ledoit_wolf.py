"""The shrinkage of Ledoit and Wolf, from moments that merge."""

from __future__ import annotations

import numpy as np

from .moments import Moments


def ledoit_wolf(moments: Moments) -> float:
    """Shrinkage in [0, 1] of the covariance towards the mean variance times I.

    The same number as scikit-learn's ``ledoit_wolf_shrinkage``. With weights, n is Kish's effective
    size (sum w)^2 / sum w^2. Ledoit, Wolf 2004, section 3.
    """
    d = len(moments.mean)
    S = moments.covariance
    if d == 1:
        return 0.0
    effective_n = moments.weight**2 / moments.weight2
    norm2 = float(np.sum(S * S))
    distance = norm2 - float(np.trace(S)) ** 2 / d  # d * delta^2
    noise = (moments.quartic / moments.weight - norm2) / effective_n  # d * beta^2
    return 0.0 if distance <= 0 else float(min(max(noise, 0.0), distance) / distance)
