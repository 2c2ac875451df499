"""Garbage collection without the objects of imported modules."""

from __future__ import annotations

import ctypes
import gc
import sys

_n_modules = 0  # modules at the last freeze


def freeze_imports() -> None:
    """Exempt all present objects from garbage collection, if modules were imported since.

    A full collection took 0.3 s, because it went through all objects of torch, transformers and
    plotly. An exempted object is still freed after its last reference. Only cycles of references
    remain, until ``collect_all``. A server freezes a few times, after new imports.
    """
    global _n_modules
    if len(sys.modules) > _n_modules:
        _n_modules = len(sys.modules)
        gc.collect()
        _freeze()


def collect_all() -> None:
    """Collect the exempted garbage too, and return free memory to the system.

    Sessions have cycles of references, and a freeze exempts some of them. This takes about 0.3 s,
    in which nothing else runs.
    """
    gc.unfreeze()
    gc.collect()
    _freeze()
    # glibc retains freed memory; other C libraries lack this function
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)


def _freeze() -> None:
    """Exempt all present objects.

    Python starts a full collection if there are a quarter more objects than after the last one.
    So a second collection, after the freeze, counts only objects that are not exempted.
    """
    gc.freeze()
    gc.collect()
