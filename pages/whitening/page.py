"""The page Whitening: every way to make a cloud isotropic, and every measure of it."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.whitening import PAGE

body = open_page(PAGE)
with body:
    require_model()

from pages.common.uploads import chosen_data  # noqa: E402
from pages.whitening.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_data())
