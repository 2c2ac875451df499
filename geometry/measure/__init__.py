"""Measures of isotropy: arrays in, one float out.

Three different things make a cloud anisotropic and no measure detects all of them: a shift of
the mean (``cone``, ``cosines``), unequal axes (``spectrum``), and correlated dimensions
(``dimensions``). ``table`` has all measures of one cloud; ``table_measures``, ``sums`` and
``intervals`` are what it is made of.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
