"""From page to page: each as it was left, also by Back and Forward; presented; along the lesson."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.common.lesson import shipped_lesson
from pages.common.page_list import PAGES
from tests.browser.clouds import wait_for_clouds, wait_for_stage
from tests.browser.screen import (
    assert_no_exception,
    choose,
    open_app,
    press,
    rerun,
    state,
    wait_for_app,
)
from tests.browser.server import AppServer
from tests.waiting import until


def go(page: Page, name: str) -> None:
    links = page.locator('[data-testid="stSidebar"] [data-testid="stPageLink"] a')
    link = links.nth(PAGES.index(name))
    with rerun(page):
        link.click()
    page.wait_for_function(f"location.pathname.endsWith('{name}')")


def until_state(page: Page, wanted: dict[str, str]) -> None:
    until(lambda: state(page) == wanted)


@pytest.mark.long
def test_the_readers_choice_goes_along_and_an_example_is_one_entry(server, page):
    open_app(page, server.page_url("narrow_cone", query="centring=0&strength=0"))
    film = {"centring": "0", "strength": "0"}  # Whitening has these two settings of its own
    with rerun(page):
        press(page, "guess", "more often")
    n_entries = page.evaluate("history.length")
    with rerun(page):
        page.locator(".st-key-presets").get_by_text("[CLS], layer 5").click()
    assert page.evaluate("history.length") == n_entries + 1
    until_state(page, film | {"layer": "5", "pooling": "cls"})
    with rerun(page):
        press(page, "dims", "2D")
    assert page.evaluate("history.length") == n_entries + 1
    go(page, "whitening")
    until_state(page, {"layer": "5", "pooling": "cls"})
    with rerun(page):
        choose(page, "layer", "6 (last)")
    go(page, "contrast")
    until_state(page, {"contrast-layer": "6", "contrast-pooling": "cls"})
    go(page, "narrow_cone")
    until_state(page, film | {"layer": "6", "pooling": "cls", "dims": "2D"})
    expect(page.get_by_text("You guessed")).to_be_visible()
    for wanted in (
        {"contrast-layer": "6", "contrast-pooling": "cls"},
        {"layer": "6", "pooling": "cls"},
        film | {"layer": "5", "pooling": "cls", "dims": "2D"},
        film,
    ):
        with rerun(page):
            page.go_back()
        until_state(page, wanted)
    with rerun(page):
        page.go_forward()
    until_state(page, film | {"layer": "5", "pooling": "cls", "dims": "2D"})
    with rerun(page):
        page.go_back()
    expect(page.get_by_text("You guessed")).to_be_visible()
    page.wait_for_function(
        "!document.querySelector('.st-key-dims [aria-checked=true]').innerText.includes('2D')"
    )


COPIED = """() => { window.copied = [];
  navigator.clipboard.writeText = async text => { window.copied.push(text); }; }"""


def button(page: Page, name: str):
    return page.locator(".page-tools").get_by_role("button", name=name)


@pytest.mark.long
def test_a_page_is_presented_by_a_button_and_left_by_a_key(server, new_page):
    page = new_page()
    open_app(page, server.page_url("narrow_cone"))
    wait_for_clouds(page)
    with rerun(page):
        button(page, "Present").click()
    page.wait_for_url(re.compile("present=1"))
    wait_for_clouds(page)
    expect(page.locator('[data-testid="stSidebar"]')).to_be_hidden()
    with rerun(page):
        page.keyboard.press("Space")
        wait_for_stage(page, "twin.player.isPlaying")
        wait_for_stage(page, "twin.at === stage.lastStop && !twin.player.isPlaying")

    # the arrows go through the pages, which stay presented
    for key, name in (("ArrowRight", PAGES[1]), ("ArrowRight", PAGES[2]), ("ArrowLeft", PAGES[1])):
        page.keyboard.press(key)
        page.wait_for_url(re.compile(f"{name}.*present=1"))
        wait_for_app(page)
    with rerun(page):
        page.keyboard.press("Escape")
    expect(page.locator('[data-testid="stSidebar"]')).to_be_visible()
    page.wait_for_url(re.compile(f"{PAGES[1]}(?!.*present)"))

    page.evaluate(COPIED)
    button(page, "Copy link").click()
    expect(button(page, "Link copied")).to_be_visible()
    assert page.evaluate("window.copied") == [page.evaluate("location.href")]
    assert_no_exception(page)


LESSON = ".st-key-lesson-bar"
IN_VIEW = """part => {
  const box = document.querySelector(`.st-key-${part}`)?.getBoundingClientRect();
  return box && box.top >= 0 && box.top < innerHeight;
}"""


@pytest.mark.long
@pytest.mark.model
def test_keys_lead_to_the_next_step_and_to_its_part(page: Page, server: AppServer):
    """To the parts that are folded, and past a guess; to a part that is computed for a while.

    Every step: tests/pages/common/test_lesson.py.
    """
    steps = shipped_lesson("en")
    bar = page.locator(LESSON)
    for first, last in ((0, 4), (10, 11)):
        query = f"lesson=1&lesson-step={first + 1}"
        open_app(page, server.page_url(steps[first].page, query=query))
        for at in range(first, last + 1):
            step = steps[at]
            page.wait_for_url(re.compile(rf"/{step.page}\?.*lesson-step={at + 1}\b"))
            wait_for_app(page)
            expect(bar).to_contain_text(f"Step {at + 1} of {len(steps)}")
            if step.part:
                assert state(page).items() >= step.query.items()
                page.wait_for_function(IN_VIEW, arg=step.part)
                assert bar.bounding_box()["y"] >= 0  # the sentences stay
            if step.guess:
                page.locator(f".st-key-lesson-guess-1-{at} button").first.click()
                expect(bar.locator("[data-testid=stAlert]")).to_be_visible()
                wait_for_app(page)
            if at < last:
                page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("lesson-step=11"))
    wait_for_app(page)
    page.reload()
    wait_for_app(page)
    expect(bar).to_contain_text("Step 11 of")
    page.set_viewport_size({"width": 420, "height": 900})
    page.locator(".st-key-lesson-back button").click()
    page.wait_for_url(re.compile("lesson-step=10"))
    wait_for_app(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    # in front of an audience too
    page.set_viewport_size({"width": 1400, "height": 900})
    open_app(page, server.page_url(query="lesson=1&present=1"))
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("lesson-step=2.*present=1|present=1.*lesson-step=2"))
