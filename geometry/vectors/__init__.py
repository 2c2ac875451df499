"""Files of word vectors: recognised (read), parsed (text, binary, arrays), gathered into one table
(gather), refused in a reader's words (errors).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
