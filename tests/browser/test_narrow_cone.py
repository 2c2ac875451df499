"""The landing page in a browser: clouds, controls, questions, narrow screens."""

import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from tests.browser.clouds import (
    of_stage,
    pixels,
    wait_for_clouds,
    wait_for_stage,
)
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    assert_no_exception,
    choose,
    open_app,
    rerun,
    state,
)

PAGE = "narrow_cone"
MS = 1000 * LONG


def open_cone(page: Page, server: Any) -> None:
    open_app(page, server.page_url(PAGE))
    wait_for_pictures(page)


def wait_for_pictures(page: Page) -> None:
    """Wait until both clouds are drawn and on screen, and the verdicts below them."""
    wait_for_clouds(page)
    page.wait_for_selector(".st-key-verdict-whitening", timeout=MS)
    page.evaluate(NEXT_FRAMES)


def knobs(page: Page) -> list[str]:
    return page.locator(".twin-knobs output").all_text_contents()


def title(page: Page) -> str:
    """The title of the second picture."""
    return str(of_stage(page, "stage.shown(stage.message.views[1]).title"))


def chosen(page: Page, key: str) -> str:
    return page.locator(f".st-key-{key} input").input_value()


@pytest.mark.long
def test_a_cold_deep_link_encodes_nothing(fresh_server, page, tmp_path):
    server = fresh_server(cache_dir=tmp_path)
    query = "layer=5&pooling=cls&view=cone&colour=length&strength=0.5&lang=zh-Hant"
    open_app(page, server.page_url(query=query))  # the bare address
    page.wait_for_url(f"**/{PAGE}*")
    wait_for_pictures(page)
    assert not list(tmp_path.iterdir())  # an encoding would be stored: the vectors are shipped
    assert (chosen(page, "layer"), chosen(page, "pooling")) == ("5", "[CLS]")
    pressed = page.locator('.st-key-view :is([aria-checked="true"], [aria-pressed="true"])')
    expect(pressed).to_have_text("真實角度")
    assert knobs(page) == ["1.00", "0.50"]
    assert title(page) == "兩者之間：中心化 1，強度 0.5"
    expect(page.locator(".twin-legend")).to_contain_text("詞數")
    assert state(page).items() >= dict(parse_qsl(query)).items()
    assert_no_exception(page)


def test_the_first_screen(server, page):
    """First in English in light, then in Chinese in dark."""
    page.set_viewport_size({"width": 1400, "height": 900})
    open_cone(page, server)
    assert_first_screen(page)
    numbers = page.locator(".st-key-headlines").bounding_box()
    assert numbers["y"] + numbers["height"] <= 900
    assert paper(page) == "#ffffff"
    touch = "getComputedStyle(document.querySelector('.twin-stage')).touchAction"
    assert page.evaluate(touch) == "pan-y"  # a finger on a picture scrolls the page

    # a pixel of the inner cone between its tip and the points, and one beside the cone
    assert of_stage(page, "[stage.message.origin, stage.message.axes[0]]") == [
        "origin",
        "mean direction",
    ]
    raw = pixels(page, 0)
    down, across = raw.shape[:2]
    red, green, blue = raw[int(0.7 * down), across // 2 + 6].astype(int)
    assert 255 > red > green > blue
    assert raw[int(0.5 * down), int(0.1 * across)].tolist() == [255, 255, 255]

    # a word is explained by keyboard
    word = page.locator(".st-key-headline-raw dfn", has_text="IsoScore")
    word.focus()
    explained = "it => getComputedStyle(it, '::after').content"
    assert "variance is spread" in word.evaluate(explained)
    page.keyboard.press("Shift+Tab")
    assert word.evaluate(explained) == "none"

    page.emulate_media(color_scheme="dark")
    with rerun(page):
        choose(page, "lang", "繁體中文")
    for width, height in ((1024, 768), (420, 900)):
        page.set_viewport_size({"width": width, "height": height})
        wait_for_stage(page, f"(stage.boxes[1].left === 0) === {str(width == 420).lower()}")
        wait_for_clouds(page)
        assert_first_screen(page)
    assert paper(page) != "#ffffff"


def paper(page: Page) -> str:
    """The pictures' background, which is the page's."""
    colour = of_stage(page, "stage.message.theme.paper")
    behind = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert [*bytes.fromhex(colour[1:])] == [*map(int, re.findall(r"\d+", behind)[:3])]
    return colour


def assert_first_screen(page: Page) -> None:
    """The controls are above the pictures, and the film's bar is one row."""
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, 0)")
    top = page.locator(".twin-stage").bounding_box()["y"]
    for key in ("presets", "layer", "pooling", "unit", "view", "dims", "colour"):
        control = page.locator(f".st-key-{key}").bounding_box()
        assert 0 <= control["y"] <= top - control["height"], key
    bar = page.locator(".twin-bar > :is(button, .twin-film, details)")
    places = [part.bounding_box() for part in bar.all()]
    middles = [place["y"] + place["height"] / 2 for place in places]
    assert max(middles) - min(middles) < 8
