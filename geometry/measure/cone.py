"""A shift of the mean: the distance of the cloud from the origin, and the angle of its cone."""

import numpy as np

from ..linalg.rows import UndefinedMeasure, directions, finite_rows, in_range
from .intervals import State

# |mean| / rms length at or below which a cloud counts as centred. The mean is then rounding
# (about 1e-4 for a needle whitened in float32), which has no direction
ZERO_MEAN = 1e-3
ANGLE_QUANTILES = (0.5, 0.9)  # shares of the rows inside the two cones that are drawn and measured
NARROW = 0.25  # mean cosine of a narrow cone: cos² 60°


def cone_state(low: float | None, high: float | None) -> State:
    """That of the interval of a mean cosine: a narrow cone, a wider one, none; or not clear."""
    if low is None or high is None or low < NARROW <= high:
        return "unknown"
    if low >= NARROW:
        return "holds"
    return "partly" if low > 0 else "fails"


def mean_norm_share(X: np.ndarray) -> float:
    """|mean|^2 / E|x|^2: the share of the second moment that is a shift of the mean, in [0, 1].

    X (n, d) is not all zero. n isotropic rows around the origin give 1/n on average.
    """
    return share_of_second_moment(*_moments(finite_rows(X, at_least=1)))


def share_of_second_moment(mean: np.ndarray, second: float) -> float:
    """``mean_norm_share`` from the mean (d,) and E|x|^2."""
    if second == 0:
        raise UndefinedMeasure("all_zero")
    return float(mean @ mean) / second


def angles_to_mean(X: np.ndarray) -> np.ndarray:
    """Angle in degrees between each row and the mean vector, (n,) float64 in [0, 180]."""
    X = finite_rows(X, at_least=1)
    mean, second = _moments(X)
    # Before the mean, so that the error names a zero row and not a mean of zero
    U = directions(X, out=X)
    return angles_to(U, direction_of(mean, second))


def angles_to(U: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Angles in degrees between unit rows U (n, d) and a unit axis (d,), (n,), or axes (d, k)."""
    return np.asarray(np.degrees(np.arccos((U @ axes).clip(-1.0, 1.0))))


def _moments(X: np.ndarray) -> tuple[np.ndarray, float]:
    """The mean (d,) and E|x|^2 of X, or of X / max |x| where squares leave float64's range."""
    X = in_range(X)
    return X.mean(axis=0), float(np.einsum("nd,nd->", X, X)) / len(X)


def direction_of(mean: np.ndarray, second: float) -> np.ndarray:
    """The unit vector towards the mean (d,), from E|x|^2; UndefinedMeasure for a centred cloud."""
    length = float(np.linalg.norm(mean))
    if length <= ZERO_MEAN * np.sqrt(second):
        raise UndefinedMeasure("centred")
    return np.asarray(mean / length)


def opening_angle(X: np.ndarray, *, quantile: float = 0.5) -> float:
    """Quantile of the angle to the mean direction, in degrees in [0, 180]: how wide the cone is.

    Each row has weight 1/n in the mean, so n isotropic rows have a median of about acos(1/sqrt n),
    a little under 90 degrees. X (n, d) has no zero row, and its mean is not zero.
    """
    if not 0 <= quantile <= 1:
        raise ValueError(f"quantile must lie in [0, 1]; got {quantile}")
    return float(np.quantile(angles_to_mean(X), quantile))
