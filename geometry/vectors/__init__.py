"""Files of vectors: sets of a reader's own, and word vectors with averages, counts and pairs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
