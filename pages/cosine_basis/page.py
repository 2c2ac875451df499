"""Cosine depends on the basis: three points, a basis the reader sets, and whitening."""

import streamlit as st

from pages.common.shell import close_page, open_page, show_question
from pages.cosine_basis.controls import read_scene
from pages.cosine_basis.numbers import (
    show_condition,
    show_downloads,
    show_formula,
    show_numbers,
)
from pages.cosine_basis.panels import show_pictures
from pages.cosine_basis.scene import CLOUD_N

PAGE = "cosine_basis"
_ = open_page(PAGE, charts=False)

# The controls are right below the pictures, above the numbers, so that a reader who moves a slider
# sees the arrows move. The table of cosines is beside the pictures.
st.subheader(_("Look"))
pictures = st.container()
st.subheader(_("Try"))
scene = read_scene(_)
st.subheader(_("Measure"))
measured = st.columns(2)
show_question(PAGE, "sign")
show_question(PAGE, "shift")
show_question(PAGE, "minus-half", {"cloud_n": CLOUD_N})

with pictures:
    show_pictures(scene, _)
    show_downloads(scene, _)
with measured[0]:
    show_numbers(scene, _)
with measured[1]:
    show_condition(scene, _)
    show_formula(scene)

close_page(PAGE, _)
