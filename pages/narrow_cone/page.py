"""The landing page: the raw cloud beside the whitened one."""

from pages.common.shell import show_page
from pages.narrow_cone import PAGE

show_page(PAGE, given="data")
