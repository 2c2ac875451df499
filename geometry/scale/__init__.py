"""The same geometry for more rows than fit on one machine: shards of Parquet, worked on by Dask."""

import lazy_loader

from ..errors import need

need("scale", "fsspec")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
