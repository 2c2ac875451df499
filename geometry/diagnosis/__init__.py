"""What is wrong with the geometry of vectors, and would a cure help: findings and a trial."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
