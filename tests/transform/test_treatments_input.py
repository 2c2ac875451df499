"""Treatments of invalid and of barely valid rows and weights."""

import numpy as np
import pytest

from geometry import fit_treatment
from geometry.transform import Knobs
from tests.for_each import for_each
from tests.transform.test_treatments import OFFERED, D, N, X

every = for_each("name", OFFERED)
strict = pytest.mark.filterwarnings("error", "ignore:FastICA did not settle")


BAD = {
    "NaN": (np.where(np.arange(N)[:, None] == 7, np.nan, X), "row 8 has NaN or infinity"),
    "1-D": (X[0], r"shape \(n, d\); got shape \(6,\)"),
    "one row": (X[:1], "at least 2 rows; got 1"),
    "no row": (X[:0], "at least 2 rows; got 0"),
    "no column": (X[:, :0], r"got shape \(120, 0\)"),
    "complex": (X + 1j, "expected real numbers"),
}
RIGHT = {
    "booleans": X > 0,
    "float16": X.astype(np.float16),
    "a list": X.tolist(),
    "non-contiguous": np.asfortranarray(np.hstack([X, X]))[:, ::2],
    "read-only": np.frombuffer(X.tobytes()).reshape(X.shape),
    "one column": X[:, :1],
    "a constant column": np.hstack([X, np.full((N, 1), 0.1)]),
    "all equal": np.full((N, D), 0.1),
    "two rows": X[:2],
    "every row twice": np.repeat(X[:10], 2, axis=0),
    "tiny": X * 1e-30,
}


@strict
@every
@for_each("kind", BAD)
def test_what_cannot_be_fitted_is_refused_with_a_reason(name, kind):
    rows, message = BAD[kind]
    with pytest.raises(ValueError, match=message):
        fit_treatment(name, rows, sample_weight=np.ones(np.shape(rows)[:1]))


@strict
@every
@for_each("kind", RIGHT)
def test_what_can_be_fitted_gives_numbers(name, kind):
    rows = RIGHT[kind]
    as_float = np.asarray(rows, dtype=np.float64)
    fitted, expected = (
        fit_treatment(name, some, sample_weight=np.ones(len(rows))) for some in (rows, as_float)
    )
    for knobs in (Knobs(), Knobs(centring=0.5, strength=0.5, shrinkage="ledoit-wolf")):
        treated = fitted.turn(knobs).apply(rows)
        assert np.isfinite(treated.vectors).all()
        assert np.isfinite(treated.retained).all()
        same = expected.turn(knobs).apply(as_float)
        np.testing.assert_array_equal(treated.vectors, same.vectors)
        assert treated.vectors.shape == as_float.shape


@for_each("name", ["whitten", "", "learned", "flow", None])
def test_a_name_that_is_not_offered(name):
    with pytest.raises(ValueError, match=r"name must be one of raw, centred, .*; got"):
        fit_treatment(name, X)


def test_zipf_without_weights():
    with pytest.raises(ValueError, match="zipf needs sample_weight, how often each row occurs"):
        fit_treatment("zipf", X)
