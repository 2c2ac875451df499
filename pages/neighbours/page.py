"""The page Neighbours: which points are nearest before and after a treatment."""

from pages.common.shell import show_page
from pages.neighbours import PAGE

show_page(PAGE, given="data", charts="first")
