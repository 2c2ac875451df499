"""The page Layers: the same points at every layer, and every measure layer by layer."""

from pages.common.shell import show_page
from pages.layers import PAGE

show_page(PAGE, given="corpus")
