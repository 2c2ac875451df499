"""Fitted transforms in the forms that other programs load; no file is a pickle."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
