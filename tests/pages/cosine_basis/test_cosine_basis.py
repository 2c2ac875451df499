"""The page ``cosine_basis`` without a browser: numbers, texts and files."""

import json
import re

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from geometry.projection.plane import POINTS, Plane, background_cloud, pair_cosines
from pages.cosine_basis.explore import (
    CLOUD_N,
    CLOUD_SEED,
    PRESETS,
    STANDARD,
    BasisScene,
    accept_move,
    basis_verdict,
    fixed_values,
    number,
    points_csv,
    snaps,
    state_of,
)
from tests.for_each import for_each
from tests.pages.visits import healthy, new_visit, rows_of


def open_page(**query: str) -> AppTest:
    return healthy(new_visit("cosine_basis", **query).run())


def message(app: AppTest) -> dict:
    """The message to the picture: {"plane": …, "choices": …, "words": …, …}."""
    [part] = [
        part
        for part in app.get("bidi_component")
        if part.proto.component_name == "narrow_cone_plane"
    ]
    return json.loads(part.proto.bytes)


@for_each("guess", ["smaller", "larger"])
def test_a_first_visit_guesses_before_the_second_picture(guess):
    app = open_page()
    assert not app.success  # the answer is not shown yet
    healthy(app.button(key=f"guess-{guess}").click().run())
    [answer] = [element.value for element in app.info if "You guessed" in element.value]
    assert all(words in answer for words in (f"“{guess}”", "“larger”", "−0.600", "0.000"))
    assert app.success  # the sign condition is lit
    healthy(app.button(key="preset-standard").click().run())
    assert not any("You guessed" in element.value for element in app.info)


@for_each("query", [{"len2": "2"}, {"whiten": "no"}])
def test_an_address_with_settings_shows_them_at_once(query):
    keys = [element.key for element in open_page(**query).button]
    assert "guess-skip" not in keys


def test_the_guess_can_be_skipped_or_left_for_a_control():
    skipped = healthy(open_page().button(key="guess-skip").click().run())
    moved = healthy(open_page().slider(key="angle").set_value(60.0).run())
    for app in (skipped, moved):
        assert app.success or app.info
        assert not any("You guessed" in element.value for element in app.info)
        assert "guess-skip" not in [element.key for element in app.button]


@for_each(
    ("plane", "state", "says"),
    [
        (Plane(), "holds", "are equal"),
        (Plane(1.0, 2.0), "holds", "**0.600**"),
        (Plane(2.0, 2.0, 60.0), "partly", "equal all the same"),  # both cosines are 0 at any angle
        (Plane(shift=(-2.0, -2.0)), "unknown", "no direction"),
        (Plane(shift=(3.0, 3.0)), "holds", "**1.385**"),  # cos(b, c) from −1 to 0.385
    ],
)
def test_the_verdict_is_worked_out_from_the_basis(plane, state, says):
    found = basis_verdict(BasisScene(plane, "coordinates", "no", True))
    assert found.state == state
    assert says in found.measured


def test_a_preset_sets_the_sliders_and_the_numbers_and_the_picture_snaps_to_it():
    app, found = open_page(angle="30"), snaps()
    for name, wanted in PRESETS.items():
        healthy(app.button(key=f"preset-{name}").click().run())
        assert message(app)["plane"] == wanted
        widgets = {element.key: element.value for element in [*app.slider, *app.number_input]}
        assert {key: widgets[key] for key in wanted} == wanted
        assert {"length": wanted["len1"], "degrees": wanted["turn"]} in found["axes"]["e1"]
        assert {"length": wanted["len2"], "degrees": wanted["angle"]} in found["axes"]["e2"]
        assert wanted["angle"] in found["angles"]
        assert (wanted["shift_x"], wanted["shift_y"]) in found["shifts"]
        assert all(found["homes"][n] == [wanted[f"{n}_x"], wanted[f"{n}_y"]] for n in "abc")


def formulas(app: AppTest) -> list[str]:
    """Cosine by coordinates and with the Gram matrix, with the numbers of a and b."""
    return [element.value for element in app.latex if "cos(x, y)" in element.value]


def test_both_formulas_have_the_numbers_of_a_and_b():
    app = open_page(len2="2")
    of_coordinates, with_gram = formulas(app)
    # by hand: 2·2 − 2·2 = 0; and with G = diag(1, 4): 4 − 16 = −12, 4 + 16 = 20
    assert r"\frac{0}{\sqrt{8}\,\sqrt{8}} = 0.000" in of_coordinates
    assert r"\frac{-12}{\sqrt{20}\,\sqrt{20}} = -0.600" in with_gram


@for_each("shift", [(0.0, 0.0), (1.0, -2.0)])
def test_fixed_points_have_one_cosine_in_both_bases(shift):
    plane = Plane(1.5, 2.0, 60.0, shift)
    values = fixed_values(BasisScene(plane, "coordinates", "no", True))
    places = POINTS[:2] @ plane.basis.T  # coordinates in the standard basis, where G is I
    assert [json.loads(values[name].translate(str.maketrans("()−", "[]-"))) for name in "ab"] == [
        pytest.approx(place, abs=6e-4) for place in places
    ]
    # also in another basis Q of the same points: coordinates inv(Q) x, Gram matrix Q' G Q
    for Q in (np.eye(2), np.array([[2.0, 1.0], [0.5, -1.0]])):
        x, y = np.linalg.solve(Q, POINTS[:2].T).T
        G = Q.T @ plane.gram @ Q
        assert values["cosine"] == number(x @ G @ y / np.sqrt(x @ G @ x * (y @ G @ y)))


@pytest.mark.parametrize(
    ("state", "lit", "says"),
    [
        ({"len1": "1", "len2": "1.5"}, True, "holds"),
        ({"len1": "1.5", "len2": "1.5"}, False, "whatever the angle"),
        ({"len1": "2", "len2": "1"}, False, "reversed"),
        ({"len1": "1", "len2": "2", "shift_x": "1"}, True, "Before the shift"),
    ],
)
def test_the_sign_condition_is_lit_only_when_it_is_true(state, lit, says):
    app = open_page(**state)
    assert bool(app.success) is lit
    [box] = app.success or app.info
    assert says in box.value


@for_each(
    ("fitted_on", "fit"),
    [("cloud", f"cloud (n = {CLOUD_N})"), ("points", "a, b, c alone (n = 3)")],
)
def test_whitening_states_what_it_was_fitted_on(fitted_on, fit):
    app = open_page(len1="2.2", angle="70", shift_x="-3", shift_y="1", whiten=fitted_on)
    [said] = [element.value for element in app.caption if "seed" in element.value]
    assert fit in said
    assert f"seed {CLOUD_SEED}" in said


def test_a_moved_point_is_in_every_number():
    app = open_page(a_x="1", a_y="0.5", b_x="-3", len2="2", angle="70", turn="20")
    points = np.array([[1.0, 0.5], [-3.0, -2.0], [-2.0, 2.0]])
    plane = Plane(1.0, 2.0, 70.0, turn=20.0)
    assert any("(1, 0.5), (−3, −2), (−2, 2)" in element.value for element in app.markdown)
    assert any("which you have moved" in element.value for element in [*app.success, *app.info])
    of_coordinates, with_gram = formulas(app)
    assert f"{pair_cosines(points)[0]:.3f}" in of_coordinates
    assert f"{plane.true_cosines(points)[0]:.3f}" in with_gram
    assert not any(
        "g_{11} - g_{22}" in element.value for element in app.latex
    )  # this formula is only for the default points
    healthy(app.button(key="preset-diagonal").click().run())
    assert message(app)["plane"] == PRESETS["diagonal"]


def test_a_move_sets_the_controls_and_the_answer_carries_its_number(monkeypatch):
    state: dict = {}
    monkeypatch.setattr(st, "session_state", state)
    accept_move({"serial": 4, "len2": 9, "angle": 20.5, "a_x": float("nan"), "whiten": "cloud"})
    assert state == {"len2": 3.0, "angle": 20.5, "whiten": "cloud", "plane-serial": 4}
    accept_move({"serial": "?", "whiten": "all", "turn": "x", "shift_x": -1})
    assert state == {"len2": 3.0, "angle": 20.5, "whiten": "cloud", "plane-serial": 0,
                     "shift_x": -1.0}  # fmt: skip


def test_points_on_one_line_are_too_few_and_one_on_the_origin_has_no_cosine():
    line = {"a_x": "1", "a_y": "1", "b_x": "-1", "b_y": "-1", "c_x": "3", "c_y": "3"}
    assert any(
        "one line" in element.value for element in open_page(whiten="points", **line).warning
    )
    assert not open_page(whiten="cloud", **line).warning
    app = open_page(len2="1", shift_x="-2", shift_y="-2")
    assert app.warning
    everything = " ".join(element.value for element in [*app.markdown, *app.caption])
    assert "nan" not in re.findall(r"\w+", everything)


@pytest.mark.parametrize(
    "query",
    [
        {"len1": "0", "len2": "-3", "angle": "0"},
        {"len1": "nan", "angle": "180", "shift_x": "inf"},
        {"len1": "x", "whiten": "all", "reading": "", "circle": "perhaps"},
        {"turn": "²", "a_x": "9" * 5_000, "shift_y": "1e999"},
    ],
)
def test_a_bad_address_falls_back_to_the_defaults(query):
    assert message(open_page(**query))["plane"] == message(open_page())["plane"]


def test_the_message_has_all_that_the_picture_needs():
    sent = message(open_page(reading="position", whiten="cloud", circle="false"))
    assert sent["choices"] == {"whiten": "cloud", "reading": "position", "circle": False}
    assert list(sent["plane"]) == list(STANDARD) == list(state_of(
        BasisScene(Plane(), "position", "no", True)
    ))  # fmt: skip
    assert sent["limits"].keys() == STANDARD.keys()
    assert np.array(sent["cloud"]) == pytest.approx(background_cloud(CLOUD_N, seed=CLOUD_SEED))


def test_the_file_contains_what_the_page_shows():
    scene = BasisScene(Plane(1.0, 2.0, 90.0, (-2.0, -4.0)), "coordinates", "cloud", True)
    rows = rows_of(points_csv(scene))
    assert [row["point"] for row in rows[:4]] == ["a", "b", "c", "cloud"]
    assert len(rows) == 3 + CLOUD_N
    assert (float(rows[1]["x"]), float(rows[1]["y"])) == (0, -8)
    assert {"whitened_x", "whitened_y"} <= set(rows[0])
    assert f"seed {CLOUD_SEED}" in rows[0]["measured_on"]
