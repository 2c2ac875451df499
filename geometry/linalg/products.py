"""Rows times a matrix, block by block."""

import numpy as np

from .rows import refuse_not_finite

BLOCK_ROWS = 4096  # rows in one product: few enough for the processor's cache


def centred_product(X: np.ndarray, shift: np.ndarray, W: np.ndarray) -> np.ndarray:
    """(X - shift) W by blocks of rows, in one precision; ValueError for NaN or infinity in X."""
    sizes = []
    Z = np.empty((len(X), W.shape[1]), dtype=X.dtype)
    centred = np.empty((min(len(X), BLOCK_ROWS), X.shape[1]), dtype=X.dtype)
    for start in range(0, len(X), BLOCK_ROWS):
        rows = X[start : start + BLOCK_ROWS]
        block = np.subtract(rows, shift, out=centred[: len(rows)])
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is no error
            sizes.append(np.vdot(block, block))
            np.matmul(block, W, out=Z[start : start + BLOCK_ROWS])
    if not np.isfinite(sizes).all():
        refuse_not_finite(X)
    return Z
