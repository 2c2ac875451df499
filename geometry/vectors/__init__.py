"""Word vectors: their files (read, text, binary, arrays, gather), averages, counts and pairs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
