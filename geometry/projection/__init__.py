"""Vectors to two or three dimensions, raw beside whitened; the plane of one page."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
