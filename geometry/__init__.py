"""See, measure and undo the anisotropy of embeddings.

Names are loaded when first used, so that importing this package costs nothing: torch,
transformers, umap and scikit-learn are imported by the call that needs them.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
