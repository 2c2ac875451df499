"""Number formats and devices: what this machine supports, and what bfloat16 can't resolve."""

from collections.abc import Sequence

import numpy as np

from ..linalg.rows import unit_rows
from .errors import PrecisionError

DTYPES = ("float32", "bfloat16")
# bfloat16 has 8 significant bits: the error of a cosine is 1e-4 after the layers. If all cosines
# exceed this limit, their differences (1e-3) are no longer well above that error.
NARROWEST = 0.999
_ROWS_AT_ONCE = 256


def check_dtype(dtype: str) -> str:
    if dtype not in DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(DTYPES)}; got {dtype!r}")
    return dtype


def choose_device(device: str | None) -> str:
    """The given device; without one, "cuda" if torch finds a GPU, else "cpu"."""
    if device is not None:
        return device
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def check_device(device: str) -> None:
    """ValueError if torch can't store and read a number on that device."""
    import torch

    try:
        torch.zeros(1, device=device).cpu()
    except Exception as error:  # the class depends on the device
        there = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        there += ["mps"] * torch.backends.mps.is_available()
        raise ValueError(
            f"device {device!r} is none that torch can use on this machine. Choose one of "
            f"{', '.join(there)}, or leave it out: a CUDA GPU is then taken where there is one"
        ) from error


def need_bfloat16(device: str) -> None:
    """Raise PrecisionError if the device only emulates bfloat16, which is slower than float32."""
    import torch

    if device.startswith("cuda"):
        has = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        has = processor_has_bfloat16()
    if not has:
        raise PrecisionError("no_bfloat16")


def processor_has_bfloat16() -> bool:
    """Whether the processor multiplies in bfloat16. torch emulates it on others."""
    import torch

    return any(
        present and name.endswith("bf16") for name, present in torch.cpu.get_capabilities().items()
    )


def refuse_too_narrow(X: np.ndarray, texts: Sequence[str] | None = None) -> None:
    """PrecisionError if bfloat16 can't resolve X (n, d); rows of equal ``texts`` count once."""
    if texts is not None:
        X = X[list({text: row for row, text in enumerate(texts)}.values())]
    if is_too_narrow(X):
        raise PrecisionError("too_narrow", limit=NARROWEST)


def is_too_narrow(X: np.ndarray) -> bool:
    """Whether every pairwise cosine of X (n, d) exceeds NARROWEST; rows of zeros are left out.

    The rows farthest from the mean are compared first: they show a wider cloud at once.
    """
    X = X[X.any(axis=1)]
    if len(X) < 2:
        return False
    U = unit_rows(X)
    U = U[np.argsort(U @ U.mean(axis=0))]
    starts = range(0, len(U), _ROWS_AT_ONCE)
    return all((U[at : at + _ROWS_AT_ONCE] @ U.T).min() > NARROWEST for at in starts)
