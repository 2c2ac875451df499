"""The settings of pages, without a browser."""

from streamlit.testing.v1 import AppTest

from pages.common import page_state
from tests.pages.visits import healthy


def two_pages() -> None:
    from pages.common.page_state import enter_page

    enter_page("cosine_basis")
    enter_page("layers")


def test_a_page_without_a_layer_can_be_the_first():
    healthy(AppTest.from_function(two_pages).run())


def back_to_a_page() -> None:
    import streamlit as st

    from pages.common.page_state import enter_page

    enter_page("whitening")
    st.session_state["strength"] = 0.5
    enter_page("layers")
    enter_page("whitening")


def test_an_address_of_back_without_a_setting_means_its_default(monkeypatch):
    app = healthy(AppTest.from_function(back_to_a_page).run())
    assert app.query_params["strength"] == "0.5"
    monkeypatch.setattr(page_state, "is_from_history", lambda: True)
    assert "strength" not in healthy(AppTest.from_function(back_to_a_page).run()).query_params
