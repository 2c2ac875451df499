"""Does it help? Similarities of pairs against human scores, with intervals.

A grid has layers x poolings x treatments (``grid``), from an encoder (``from_encoder``) or a table
of word vectors (``from_words``). ``choose_on_dev`` chooses on pairs that are not scored after.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
