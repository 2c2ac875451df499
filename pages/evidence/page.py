"""The page Evidence: does making vectors isotropic help, and why?"""

from pages.common.shell import close_page, open_page
from pages.evidence import PAGE
from pages.evidence.explore import explore

body = open_page(PAGE, charts="first")
with body:
    explore()
close_page(PAGE)
