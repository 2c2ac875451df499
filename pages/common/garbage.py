"""Garbage collection without the objects of imported modules."""

from __future__ import annotations

import gc
import sys

_n_modules = 0  # at the last freeze


def freeze_imports() -> None:
    """Exempt everything that lives now from garbage collection, if modules were imported.

    Streamlit collects garbage after every run of a page. That took 0.3 s, because it went through
    all objects of torch, transformers and plotly. What is exempted is still freed when its last
    reference goes; only a cycle of references stays. There is a freeze for each growth of the
    imports, a few in a server's life.
    """
    global _n_modules
    if len(sys.modules) > _n_modules:
        _n_modules = len(sys.modules)
        gc.collect()
        gc.freeze()
