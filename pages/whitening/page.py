"""The page Whitening: every way to make a cloud isotropic, and every measure of it."""

from pages.common.shell import show_page
from pages.whitening import PAGE

show_page(PAGE, given="data")
