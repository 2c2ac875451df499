"""Files in, checked texts, scored pairs and tables out; the limits that apply to them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
