"""The page Contrast: contrastive learning of a head, live, on the plane of two measures."""

from pages.common.shell import show_page
from pages.contrast import PAGE

show_page(PAGE, charts="first")
