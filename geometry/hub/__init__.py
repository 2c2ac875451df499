"""Models and data sets of the Hugging Face Hub, from their names to files on disk."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
