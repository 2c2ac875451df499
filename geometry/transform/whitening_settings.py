"""What a whitening can be told: its methods, its settings, and those recommended for n and d."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

METHODS = ("pca", "zca", "cholesky", "pca-cor", "zca-cor")
NARROWING = ("pca", "pca-cor")  # their columns are directions, so that fewer can be kept
ON_CORRELATION = ("pca-cor", "zca-cor")
MIN_ROWS_PER_DIMENSION = 5  # below n = 5 d a full whitening is mostly noise; use Ledoit-Wolf
ROWS_PER_KEPT_DIRECTION = 10  # where n <= d: directions kept, so that each rests on ten rows


def check_settings(
    method: Any, n_components: Any, shrinkage: Any, centring: Any, strength: Any, *, d: int
) -> None:
    """Raise ValueError naming the first setting that d dimensions do not allow."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    for name, value in (("centring", centring), ("strength", strength)):
        if not _is_share(value):
            raise ValueError(f"{name} must lie in [0, 1]; got {value!r}")
    if not (shrinkage is None or shrinkage == "ledoit-wolf" or _is_share(shrinkage)):
        raise ValueError(f'shrinkage must be None, "ledoit-wolf" or in [0, 1]; got {shrinkage!r}')
    k = n_components
    if k is not None and not (isinstance(k, Integral) and 1 <= int(k) <= d):
        raise ValueError(f"n_components must be an integer in [1, {d}] or None; got {k!r}")


def recommended_whitening(n: int, d: int) -> dict[str, Any]:
    """Keywords of ``Whitening`` for a cloud of n rows in d dimensions: what pages default to.

    n >= 5 d: none, whitening in full.   d < n < 5 d: Ledoit-Wolf.   n <= d: Ledoit-Wolf and the
    n / 10 leading directions, because no shrinkage tells the trailing ones from noise (on 200
    sentences in 384 dimensions they drown the topic in the nearest neighbours).
    """
    if n >= MIN_ROWS_PER_DIMENSION * d:
        return {}
    if n > d:
        return {"shrinkage": "ledoit-wolf"}
    kept = min(d, max(2, n // ROWS_PER_KEPT_DIRECTION))
    return {"shrinkage": "ledoit-wolf", "n_components": kept}


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and 0 <= float(value) <= 1
