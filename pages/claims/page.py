"""The page Claims: what the literature says, and what is measured here."""

from pages.claims import PAGE
from pages.common.shell import show_page

show_page(PAGE, given="corpus", charts="none")
