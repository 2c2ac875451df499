"""The page Neighbours: which points are nearest before and after a treatment."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.neighbours import PAGE

body = open_page(PAGE, charts="first")
with body:
    require_model()

from pages.common.uploads import chosen_data  # noqa: E402
from pages.neighbours.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while a corpus is encoded
with body:
    explore(chosen_data())
