"""The page Claims: what the literature says, and what is measured here."""

from __future__ import annotations

from pages.claims import PAGE
from pages.common.shell import close_page, open_page, require_model

body = open_page(PAGE, charts="none")
with body:
    require_model()

from pages.claims.explore import explore  # noqa: E402
from pages.common.uploads import chosen_corpus  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while claims are tested
with body:
    explore(chosen_corpus())
