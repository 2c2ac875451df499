"""Cosine depends on the basis: three points, a basis the reader sets, and whitening."""

import streamlit as st

from pages.common.plane_controls import read_settings
from pages.common.plane_numbers import show_condition, show_downloads, show_formula, show_numbers
from pages.common.plane_panels import CLOUD_N, show_pictures
from pages.common.shell import close_page, open_page, show_question
from pages.common.words import prose

PAGE = "cosine_basis"
_ = open_page(PAGE)

# The pictures stand above the controls that they depend on, and those right below them, before
# the numbers: whoever drags a slider must see the arrows move.
st.subheader(_("Look"))
pictures = st.columns(2)
st.subheader(_("Try"))
settings = read_settings(_)
st.subheader(_("Measure"))
measured = st.columns(2)
show_question(PAGE, "sign")
show_question(PAGE, "shift")
show_question(PAGE, "minus-half", {"cloud_n": CLOUD_N})

show_pictures(*pictures, settings, _)
with pictures[0]:
    show_downloads(settings, _)
with measured[0]:
    show_numbers(settings, _)
with measured[1]:
    show_condition(settings, _)
    show_formula(settings.plane)
    st.caption(prose(PAGE, "formula"))

close_page(PAGE, _)
