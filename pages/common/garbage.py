"""Garbage collection without the objects of imported modules."""

from __future__ import annotations

import gc
import sys
import time

FROZEN_SECONDS = 600.0  # that an ended session may stay, if it lived at a freeze
_n_modules = 0  # at the last freeze
_frozen_at = 0.0


def freeze_imports() -> None:
    """Exempt everything that lives now from garbage collection, if modules were imported.

    Streamlit collects garbage after every run of a page. That took 0.3 s, because it went through
    all objects of torch, transformers and plotly. A session that lives now is exempted too. Its
    objects refer to each other in cycles, so its uploads would stay for ever after its end. So
    there is also a freeze every ten minutes, which frees them.
    """
    global _n_modules, _frozen_at
    now = time.monotonic()
    if len(sys.modules) > _n_modules or now > _frozen_at + FROZEN_SECONDS:
        _n_modules, _frozen_at = len(sys.modules), now
        gc.unfreeze()
        gc.collect()
        gc.freeze()
