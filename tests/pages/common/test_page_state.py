"""The settings of pages, without a browser."""

from streamlit.testing.v1 import AppTest

from tests.pages.visits import healthy


def two_pages() -> None:
    from pages.common.page_state import enter_page

    enter_page("cosine_basis")
    enter_page("layers")


def test_a_page_without_a_layer_can_be_the_first():
    healthy(AppTest.from_function(two_pages).run())
