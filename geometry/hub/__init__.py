"""The hub: a repository asked what it holds (repository); models listed, judged and fetched
(fetch), files of data sets (data_files), by transfers that go on where they broke (download,
transfer) into huggingface_hub's own cache (cache); errors says what went wrong.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
