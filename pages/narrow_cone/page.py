"""The landing page: the raw cloud beside the whitened one."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.narrow_cone import PAGE

body = open_page(PAGE)
with body:
    require_model()

from pages.common.uploads import chosen_data  # noqa: E402
from pages.narrow_cone.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_data())
