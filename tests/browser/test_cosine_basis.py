"""The page ``cosine_basis`` in a browser: by deep link, control and preset, in both languages."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from geometry.toy import POINTS, Plane, pair_cosines, whiten_points
from tests.browser.screen import open_app, rerun

PAGE = "cosine_basis"
ANSWERS = {  # question and a piece of its answer
    "en": {
        "Why −.5?": "equilateral triangle",
        "Why does the angle between the axes never set the sign?": "cancels",
        "Why does only a shift make a cone here?": "all positive, a cone",
    },
    "zh-Hant": {
        "為什麼是 −.5？": "正三角形",
        "為什麼兩軸的夾角從來不決定正負號？": "抵消",
        "為什麼這裡只有平移才能形成錐？": "這就是錐",
    },
}


@pytest.fixture(autouse=True)
def _probes_forgiven(fresh_server, new_page, page_errors: list[str]) -> Iterator[None]:
    """On a deep link Streamlit's own client first looks for its server below the page's address.

    fresh_server is named first so that a server outlives the pages that are connected to it.
    """
    yield
    page_errors[:] = [error for error in page_errors if f"/{PAGE}/_stcore/" not in error]


def column(page: Page, place: int) -> list[str]:
    """A column of the table of cosines: 1 by coordinates, 2 true, 3 whitened."""
    return [
        text.strip() for text in page.locator(f"table td:nth-child({place + 1})").all_inner_texts()
    ]


def shown(values: np.ndarray) -> list[str]:
    return [f"{round(float(value), 3) + 0.0:.3f}".replace("-", "−") for value in values]


def state(page: Page) -> dict[str, str]:
    query = parse_qs(urlsplit(str(page.evaluate("location.href"))).query)
    return {key: values[-1] for key, values in query.items()}


def press(page: Page, name: str | re.Pattern[str]) -> None:
    with rerun(page):
        page.get_by_role("button", name=name, exact=isinstance(name, str)).click()


def charts(page: Page) -> Locator:
    return page.locator(".chart.js-plotly-plot")


def test_a_cold_deep_link_restores_its_state(fresh_server, page):
    plane = Plane(0.8, 1.7, 60.0, (1.0, -0.5))
    query = "len1=0.8&len2=1.7&angle=60&shift_x=1&shift_y=-0.5&whiten=points&reading=position"
    open_app(page, fresh_server().page_url(PAGE, query=query))
    assert column(page, 1) == ["0.000", "0.000", "−1.000"]
    assert column(page, 2) == shown(plane.true_cosines())
    assert column(page, 3) == shown(pair_cosines(whiten_points(plane, POINTS)))
    expect(page.get_by_text("By position, the numbers of an embedding")).to_be_visible()
    assert state(page)["whiten"] == "points"


def test_both_pictures_are_drawn_at_one_scale(server, page):
    open_app(page, server.page_url(PAGE))
    expect(charts(page)).to_have_count(2)
    sizes = []
    for place in range(2):
        chart = charts(page).nth(place)
        expect(chart.locator(".scatterlayer .trace")).to_have_count(11)
        expect(chart.locator(".scatterlayer .point").first).to_be_visible()
        for text in ("a (2, 2)", "b (2, −2)", "c (−2, 2)", "e₁", "e₂"):
            expect(chart.locator(".annotation-text", has_text=text)).to_have_count(1)
        sizes.append(chart.locator(".xy .plot, .nsewdrag").last.bounding_box())
    assert sizes[0]["width"] == pytest.approx(sizes[1]["width"], abs=1)
    assert sizes[0]["width"] == pytest.approx(sizes[0]["height"], abs=1)


def test_the_numbers_follow_a_slider_and_the_address_follows_too(server, page):
    open_app(page, server.page_url(PAGE))
    assert column(page, 2) == shown(Plane(length_2=2.0).true_cosines())
    angle = page.get_by_role("slider", name="Angle from e₁ to e₂")
    angle.focus()
    for key, degrees in (("Home", 15.0), ("ArrowRight", 16.0), ("End", 165.0)):
        with rerun(page):
            angle.press(key)
        assert column(page, 2) == shown(Plane(1.0, 2.0, degrees).true_cosines())
        page.wait_for_function(
            "wanted => new URL(location.href).searchParams.get('angle') === wanted",
            arg=f"{degrees:g}",
        )


def test_presets_set_the_sliders_and_the_address(server, page):
    open_app(page, server.page_url(PAGE))
    for name, expected in (
        ("e₁ = (1, 0), e₂ = (1, 1)", ["−0.447", "0.447", "−1.000"]),
        ("e₁ = (1, 0), e₂ = (½, 1)", ["−0.124", "0.124", "−1.000"]),
        ("Longer e₁: (2, 0), (0, 1)", ["0.600", "−0.600", "−1.000"]),
        ("Shift by (3, 3): a cone", ["0.832", "0.832", "0.385"]),
        ("e₁ = (1, 0), e₂ = (0, 2)", ["−0.600", "0.600", "−1.000"]),
        ("Standard basis", ["0.000", "0.000", "−1.000"]),
        ("e₁ = (1, 0), e₂ = (½, 1)", ["−0.124", "0.124", "−1.000"]),
    ):
        press(page, name)
        assert column(page, 2) == expected
    page.wait_for_function("new URL(location.href).searchParams.get('angle')?.startsWith('63.43')")
    address = page.evaluate("location.href")
    page.goto("about:blank")
    open_app(page, address)
    assert column(page, 2) == ["−0.124", "0.124", "−1.000"]


def test_whitening_brings_the_zeros_back(server, page):
    open_app(page, server.page_url(PAGE, query="len1=2&len2=0.6&angle=50&shift_x=2"))
    plane = Plane(2.0, 0.6, 50.0, (2.0, 0.0))
    assert column(page, 2) == shown(plane.true_cosines())
    press(page, re.compile("Whiten$"))
    assert column(page, 3) == ["0.000", "0.000", "−1.000"]
    expect(page.get_by_text("Your basis, whitened")).to_be_visible()
    page.wait_for_function("new URL(location.href).searchParams.get('whiten') === 'cloud'")
    press(page, re.compile("Undo whitening$"))
    assert column(page, 3) == []


@pytest.mark.parametrize("language", ANSWERS)
def test_the_questions_are_answered_on_screen(server, page, language):
    open_app(page, server.page_url(PAGE, query=f"whiten=points&lang={language}"))
    assert column(page, 3) == ["−0.500"] * 3
    for question, answer in ANSWERS[language].items():
        expect(page.get_by_text(answer).first).to_be_hidden()
        page.get_by_text(question, exact=True).click()
        expect(page.get_by_text(answer).first).to_be_visible()


@pytest.mark.parametrize(
    ("locale", "heading", "unlike"),
    [
        ("en-GB", "Your basis: where the points are", "你的基底"),
        ("zh-TW", "你的基底：點真正的位置", "Your basis"),
    ],
)
def test_a_browser_is_met_in_its_language(server, new_page, locale, heading, unlike):
    page = new_page(locale=locale)
    open_app(page, server.page_url(PAGE))
    expect(page.get_by_text(heading)).to_be_visible()
    expect(page.get_by_text(unlike)).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_narrow_screen_stacks_the_pictures(server, new_page, scheme):
    page = new_page(viewport={"width": 420, "height": 900}, color_scheme=scheme)
    open_app(page, server.page_url(PAGE))
    expect(charts(page)).to_have_count(2)
    first, second = (charts(page).nth(place).bounding_box() for place in range(2))
    assert second["y"] > first["y"] + first["height"]
    for box in (first, second):
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 420


def test_a_point_on_the_origin_is_said_to_have_no_cosine(server, page):
    open_app(page, server.page_url(PAGE, query="len2=1&shift_x=-2&shift_y=-2"))
    assert column(page, 2) == ["undefined", "undefined", "0.000"]
    expect(page.get_by_text("It has no direction")).to_be_visible()


def test_the_numbers_can_be_taken_away(server, page):
    open_app(page, server.page_url(PAGE, query="len2=2"))
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile(r"Cosines \(CSV\)")).click()
    text = waiting.value.path().read_text(encoding="utf8")
    assert waiting.value.suggested_filename == "cosine-basis-cosines.csv"
    pair, by_coordinates, true = text.splitlines()[1].split(",")[:3]
    assert (pair, float(by_coordinates)) == ("a-b", 0)
    assert float(true) == pytest.approx(-0.6)
