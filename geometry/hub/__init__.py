"""Models and data sets of the Hugging Face Hub, from their names to files on disk.

repository lists; model_files judges; fetch, download and cache bring the files; operator_limits
reads what the operator allows; catalogue and pair_sets name what is worth fetching; bundled is the
encoder that needs no hub.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
