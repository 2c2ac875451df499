"""Cosine depends on the basis: three points, a basis the reader sets, and whitening."""

import streamlit as st

from pages.common.shell import close_page, open_page, show_question
from pages.cosine_basis.controls import read_settings
from pages.cosine_basis.numbers import (
    provenance,
    show_condition,
    show_downloads,
    show_formula,
    show_numbers,
)
from pages.cosine_basis.panels import CLOUD_N, show_pictures

PAGE = "cosine_basis"
_ = open_page(PAGE, charts=False)

# The pictures stand above the controls that they depend on, and those right below them, before
# the numbers: whoever moves a slider must see the arrows move. The table of cosines is beside them.
st.subheader(_("Look"))
pictures = st.container()
st.subheader(_("Try"))
settings = read_settings(_)
st.subheader(_("Measure"))
measured = st.columns(2)
show_question(PAGE, "sign")
show_question(PAGE, "shift")
show_question(PAGE, "minus-half", {"cloud_n": CLOUD_N})

with pictures:
    show_pictures(settings, provenance(settings, _), _)
    show_downloads(settings, _)
with measured[0]:
    show_numbers(settings, _)
with measured[1]:
    show_condition(settings, _)
    show_formula(settings)

close_page(PAGE, _)
