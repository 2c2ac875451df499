"""Controls: names of layers, a default that moves, a setting after Back."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from geometry.data.translations import languages
from geometry.encode.layers import LAYER_SETS, resolve_layers
from pages.common import controls, page_state
from pages.common.origin import layer_words
from pages.common.words import in_language
from tests.for_each import for_each
from tests.pages.visits import healthy


@for_each("code", languages())
@for_each("name", LAYER_SETS)
def test_every_average_of_layers_names_exactly_its_layers(name, code):
    for last in range(max(map(abs, LAYER_SETS[name])), 8):
        said = in_language(layer_words, code)(name, last)
        assert name not in said
        first, *others, of = map(int, re.findall(r"\d+", said))
        is_a_run = "to" in said or "至" in said
        layers = range(first, others[0] + 1) if is_a_run else (first, *others)
        assert tuple(layers) == tuple(dict.fromkeys(resolve_layers(name, n_layers=last, name="")))
        assert of == last


def test_a_default_is_followed_though_the_browser_still_sends_the_old_one(
    monkeypatch: pytest.MonkeyPatch,
):
    state: dict[str, object] = {}
    now = [0.0]
    monkeypatch.setattr(controls.st, "session_state", state)
    monkeypatch.setattr(controls.time, "monotonic", lambda: now[0])
    controls.follow_default("dims", "3D")
    state["dims"] = "3D"
    controls.follow_default("dims", "2D")
    assert state["dims"] == "2D"
    state["dims"] = "3D"  # sent before the browser received the new default
    now[0] += 0.5
    controls.follow_default("dims", "2D")
    assert state["dims"] == "2D"
    state["dims"] = "3D"  # the reader's own choice
    now[0] += 10
    controls.follow_default("dims", "2D")
    assert state["dims"] == "3D"


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
