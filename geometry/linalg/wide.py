"""Large float32 products by oneDNN, where numpy's BLAS does not use a processor's whole width.

OpenBLAS multiplies by AVX2 on processors that it does not know yet, though they have AVX-512, and
takes nearly twice as long. torch brings oneDNN along, which looks at what a processor can do. It is
used where torch is there already: loading it would cost more than most products.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .linear import can_pack, packed_weight
from .threads import blas_kernels, blas_threads

LEAST_WORK = 1e10  # multiplications and additions; less is done in a tenth of a second anyway
NARROW = frozenset({"Haswell", "Zen"})  # OpenBLAS's names of its AVX2 kernels
FULL_PRECISION = ("none", "ieee")  # torch may be told to round float32 to bfloat16 first

Product = Callable[[np.ndarray, np.ndarray], object]


def wide_product(W: np.ndarray, n: int) -> Product | None:
    """multiply(rows, out), out = rows W for C-ordered float32 rows (m, d), n of them in all.

    None where numpy multiplies as fast or torch has not been loaded, where the rows are few, and
    where BLAS has been limited to fewer threads than torch would take.
    """
    if sys.modules.get("torch") is None or W.dtype != np.float32 or 2.0 * n * W.size < LEAST_WORK:
        return None
    import torch  # waits for a thread that is still loading it

    if not _is_narrowed(torch) or blas_threads() < torch.get_num_threads():
        return None
    weight = packed_weight(torch.from_numpy(np.ascontiguousarray(W.T)))

    def multiply(rows: np.ndarray, out: np.ndarray) -> None:
        product = torch.ops.mkldnn._linear_pointwise(
            torch.from_numpy(rows), weight, None, "none", [], ""
        )
        torch.from_numpy(out).copy_(product)

    return multiply


def _is_narrowed(torch: Any) -> bool:
    """Whether oneDNN is there, exact, and wider than what numpy multiplies with."""
    kernels = blas_kernels()
    return bool(
        kernels
        and kernels <= NARROW
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and torch.backends.mkldnn.is_available()
        and torch.backends.mkldnn.matmul.fp32_precision in FULL_PRECISION
        and can_pack()
    )
