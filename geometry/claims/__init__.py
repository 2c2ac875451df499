"""Claims of the literature on anisotropy, and their tests on a model and a corpus.

``cone``, ``dimensions``, ``frequency``, ``cures`` and ``training`` are the tests: each function has
the name of a claim's entry. ``subject`` is what they are tested on, ``ledger`` has every result.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
