"""Garbage collection without the objects of imported modules."""

from __future__ import annotations

import ctypes
import gc
import sys

_n_modules = 0  # at the last freeze


def freeze_imports() -> None:
    """Exempt everything that lives now from garbage collection, if modules were imported.

    A full collection took 0.3 s, because it went through all objects of torch, transformers and
    plotly. What is exempted is still freed when its last reference goes; only a cycle of references
    stays, until ``collect_all``. There is a freeze for each growth of the imports, a few in a
    server's life.
    """
    global _n_modules
    if len(sys.modules) > _n_modules:
        _n_modules = len(sys.modules)
        gc.collect()
        _freeze()


def collect_all() -> None:
    """Collect the exempted garbage too, and give free memory back to the system.

    Sessions have cycles of references, and some live at a freeze. This takes about 0.3 s, in which
    nothing else runs.
    """
    gc.unfreeze()
    gc.collect()
    _freeze()
    # glibc keeps what was freed in between; another C library has no such function
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)


def _freeze() -> None:
    """Exempt all that lives.

    Python collects all generations when a quarter more objects live than after the last full
    collection. The second one counts those that are not exempted.
    """
    gc.freeze()
    gc.collect()
