"""The page Word frequency: where frequent words are, and where rare ones."""

from __future__ import annotations

from pages.common.shell import close_page, open_page, require_model
from pages.word_frequency import PAGE

body = open_page(PAGE, charts="first")
with body:
    require_model()

from pages.common.uploads import chosen_corpus  # noqa: E402
from pages.word_frequency.explore import explore  # noqa: E402

close_page(PAGE)  # drawn first, so that the page is whole while words are read
with body:
    explore(chosen_corpus())
