"""Cosine depends on the basis: three points, a basis the reader sets, and whitening."""

import streamlit as st

from pages.common.downloads import offer_csv
from pages.common.lesson import note_facts
from pages.common.measures import show_verdict
from pages.common.shell import close_page, open_page, picture_place, show_question
from pages.common.words import _
from pages.cosine_basis import PAGE
from pages.cosine_basis.explore import (
    CLOUD_N,
    ask_for_guess,
    basis_verdict,
    facts_of,
    hide_before_guess,
    points_csv,
    read_scene,
    show_condition,
    show_formula,
    show_pictures,
    show_reading,
    skip_for_link,
    warn_of_points,
)

body = open_page(PAGE, charts="none")
skip_for_link()

with body:
    presets, guess = st.container(), st.container()
    picture_box, control_box = st.columns([4, 1], gap="medium")
    notes = st.container()
    more = st.expander(_("More controls and downloads"), key="more-controls")
    with control_box:
        scene = hide_before_guess(read_scene(presets, more))
    with guess:
        ask_for_guess(scene)
    with picture_box, picture_place():
        show_pictures(scene)
    note_facts(lambda: facts_of(scene))
    with notes:
        warn_of_points(scene)
        if not scene.is_hidden:
            show_condition(scene)
            show_verdict(basis_verdict(scene), key="basis")
        show_question(PAGE, "sign")
        show_question(PAGE, "shift")
        show_question(PAGE, "minus-half", {"cloud_n": CLOUD_N})
        with st.expander(
            _("The formula with your numbers"), key="formula", icon=":material/function:"
        ):
            show_reading(scene)
            show_formula(scene)
    with more:
        label = _("Download points (CSV)")
        offer_csv(label, "cosine-basis-points", lambda: points_csv(scene))

close_page(PAGE)
