"""Number formats: which this machine computes in, and what a short one can't tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import GeometryError
from ..linalg.rows import unit_rows

DTYPES = ("float32", "bfloat16")
# bfloat16 has 8 significant bits: each value is off by up to 1/256 of itself, a vector by about
# 1/500 of its length, a cosine by a few 1e-6 of rounding alone and 1e-4 after the layers. Of
# cosines that all exceed this, what is left to compare (1e-3) is no longer well above that.
NARROWEST = 0.999
_ROWS_AT_ONCE = 256


class PrecisionError(GeometryError):
    """bfloat16 where the machine has none ("no_bfloat16"), or where it is too coarse."""

    subject = "precision"


def check_dtype(dtype: str) -> str:
    """The name itself, or ValueError listing those that exist."""
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}; got {dtype!r}")
    return dtype


def choose_device(device: str | None) -> str:
    """The device asked for, else a CUDA GPU where torch sees one, else "cpu".

    Any other ("mps", "xpu") is taken where it is asked for.
    """
    if device is not None:
        return device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def check_device(device: str) -> str:
    """The name itself, or ValueError where torch can't keep a number there and read it back."""
    import torch

    try:
        torch.zeros(1, device=device).cpu()
    except Exception as error:  # each kind of device raises its own
        there = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        there += ["mps"] * torch.backends.mps.is_available()
        raise ValueError(
            f"device {device!r} is none that torch can use on this machine. Choose one of "
            f"{', '.join(there)}, or leave it out: a CUDA GPU is then taken where there is one"
        ) from error
    return device


def need_bfloat16(device: str) -> None:
    """Raise PrecisionError where the device only imitates bfloat16, slower than float32."""
    import torch

    if device.startswith("cuda"):
        has = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        has = processor_has_bfloat16()
    if not has:
        raise PrecisionError("no_bfloat16")


def processor_has_bfloat16() -> bool:
    """Whether it multiplies in bfloat16. torch would imitate it on any other."""
    import torch

    return any(
        present and name.endswith("bf16") for name, present in torch.cpu.get_capabilities().items()
    )


def refuse_too_narrow(X: np.ndarray, texts: Sequence[str] | None = None) -> None:
    """Raise PrecisionError where bfloat16 vectors X (n, d) lie so close that it can't resolve them.

    texts : n, what the rows are of, where equal ones shall count once: they say nothing about a
    cone.
    """
    if texts is not None:
        X = X[list({text: row for row, text in enumerate(texts)}.values())]
    if is_too_narrow(X):
        raise PrecisionError("too_narrow", limit=NARROWEST)


def is_too_narrow(X: np.ndarray) -> bool:
    """Whether every pairwise cosine of X (n, d) exceeds NARROWEST.

    Fewer than two rows have none, and a row of zeros has none either. The rows farthest from the
    mean come first, so that a wider cloud is told in one block.
    """
    X = X[X.any(axis=1)]
    if len(X) < 2:
        return False
    U = unit_rows(X)
    U = U[np.argsort(U @ U.mean(axis=0))]
    starts = range(0, len(U), _ROWS_AT_ONCE)
    return all((U[at : at + _ROWS_AT_ONCE] @ U.T).min() > NARROWEST for at in starts)
