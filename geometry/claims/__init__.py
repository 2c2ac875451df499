"""Claims of the literature on anisotropy, and their tests on a model and a corpus.

claim       what a claim is, and a result
subject     what claims are tested on, encoded once for all tests
cone, dimensions, frequency, cures, training
            the tests: each function has the name of a claim's entry
scores      narrower cones against scores; how much of a gap pooling explains
ledger      every claim with its result
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
