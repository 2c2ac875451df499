"""Arrays in, a Plotly figure out. Only this folder imports Plotly; text is an argument.

The names of this package have English labels by default, for notebooks. They need the extra
``notebook`` (or ``app``). Each returns a Figure, which a notebook shows.
"""

import lazy_loader

from ..errors import need

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        need("notebook", "plotly")
    return _load(name)
