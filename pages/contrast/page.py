"""The page Contrast: contrastive learning of a head, live, on the plane of two measures."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.contrast import PAGE

body = open_page(PAGE, charts="first")
with body:
    require_model()

from pages.contrast.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while texts are encoded
with body:
    explore()
