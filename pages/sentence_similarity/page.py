"""Sentence similarity: does isotropy help? Scores with intervals, on real pairs."""

from pages.common.shell import close_page, open_page, require_model
from pages.sentence_similarity import PAGE

body = open_page(PAGE, charts="first")
with body:
    require_model()

from pages.sentence_similarity.explore import explore  # noqa: E402

close_page(PAGE)  # before the body: the page is complete while pairs are encoded
with body:
    explore()
