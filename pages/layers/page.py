"""The page Layers: the same points at every layer, and every measure layer by layer."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.layers import PAGE

body = open_page(PAGE)
with body:
    require_model()

from pages.common.uploads import chosen_corpus  # noqa: E402
from pages.layers.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_corpus())
