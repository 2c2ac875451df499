"""Rows as other libraries hold them are the rows of numpy."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

from geometry import Whitening, mean_cosine
from geometry.linalg.rows import float_rows
from tests.for_each import for_each

X = np.random.default_rng(0).standard_normal((40, 4)).astype(np.float32) + 1


class Column(Sequence):
    """A column of a data set of Hugging Face: its entries one by one, in the data set's format."""

    def __init__(self, entry: Callable[[np.ndarray], object]) -> None:
        self.entry = entry

    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, row: int) -> object:
        return self.entry(X[row])


HELD = {
    "tensor with gradients": torch.tensor(X, requires_grad=True),
    "pandas": pd.Series(list(X)),
    "data frame": pd.DataFrame(X, columns=list("abcd")),
    "polars": pl.Series(X, dtype=pl.List(pl.Float32)),
    "polars of one length": pl.Series(X, dtype=pl.Array(pl.Float32, 4)),
    "arrow": pa.array(list(X)),
    "arrow in chunks": pa.chunked_array([pa.array(list(X[:9])), pa.array(list(X[9:]))]),
    "arrow of one length": pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 4),
    "lists": X.tolist(),
    "data set": Column(np.ndarray.tolist),
    "data set as numpy": Column(np.copy),
    "data set as torch": Column(torch.tensor),
}


@for_each("name", HELD)
def test_rows_of_other_libraries(name):
    held = HELD[name]
    read = float_rows(held, at_least=1)
    np.testing.assert_array_equal(read, X)
    assert mean_cosine(held) == pytest.approx(mean_cosine(X))
    fitted = Whitening().fit(held)
    treated = fitted.transform(held)
    np.testing.assert_allclose(treated, Whitening().fit_transform(X), atol=1e-4)
    assert treated.dtype == (np.float64 if name in ("lists", "data set") else np.float32)


def test_a_tensor_is_copied_and_a_data_frame_keeps_its_names():
    held = torch.tensor(X).bfloat16()
    np.testing.assert_array_equal(float_rows(held, at_least=1), held.float().numpy())
    held = torch.tensor(X)
    float_rows(held, at_least=1)[:] = 0
    np.testing.assert_array_equal(held.numpy(), X)
    assert list(Whitening().fit(HELD["data frame"]).feature_names_in_) == list("abcd")


@for_each(
    "held", [pd.Series([np.ones(3), np.ones(2)]), pd.Series(["a", "b"]), pd.Series([1.0, 2.0])]
)
def test_what_is_no_column_of_vectors(held):
    with pytest.raises(ValueError, match="expected vectors"):
        mean_cosine(held)


@for_each(
    ("held", "match"),
    [
        (["a text", "another"], "these are texts"),
        ([[1.0, 2.0], [3.0]], "one length in every row"),
        (pd.DataFrame({"text": ["a", "b"], "vector": [np.ones(3)] * 2}), "give that column"),
        (pd.DataFrame({"vector": [np.ones(3), np.ones(3)]}), "give that column"),
    ],
)
def test_what_is_given_in_place_of_vectors_is_named(held, match):
    with pytest.raises(ValueError, match=match):
        mean_cosine(held)
