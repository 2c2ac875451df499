"""The page Word frequency: where frequent words are, and where rare ones."""

from pages.common.shell import show_page
from pages.word_frequency import PAGE

show_page(PAGE, given="corpus", charts="first")
