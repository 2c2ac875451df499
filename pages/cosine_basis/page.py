"""Cosine depends on the basis: three points, a basis the reader sets, and whitening."""

from pages.common.shell import close_page, open_page
from pages.cosine_basis import PAGE
from pages.cosine_basis.explore import show_body

with open_page(PAGE, charts="none"):
    show_body()
close_page(PAGE)
