"""Arrays that lie in a file, so that reading one of any size keeps no more than a block."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np


def let_go(X: np.ndarray) -> None:
    """Unload the pages of the read-only memory map that X is a part of; else do nothing.

    The values stay in the file and in the system's own cache, and come back when they are read.
    A map that can be written to is left alone: a private copy of a page would be lost.
    """
    mapped = _map_of(X)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _map_of(X: np.ndarray) -> mmap.mmap | None:
    holder: Any = X
    only_read = False
    while isinstance(holder, np.ndarray):
        only_read |= isinstance(holder, np.memmap) and holder.mode == "r"
        holder = holder.base
    return holder if only_read and isinstance(holder, mmap.mmap) else None
