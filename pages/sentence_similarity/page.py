"""Sentence similarity: does isotropy help? Scores with intervals, on real pairs."""

from pages.common.shell import show_page
from pages.sentence_similarity import PAGE

show_page(PAGE, charts="first")
