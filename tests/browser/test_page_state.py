"""A page returns as it was left, also by Back and Forward; model, layer and pooling go along."""

import time

import pytest
from playwright.sync_api import Page, expect

from pages.common.page_list import PAGES
from tests.browser.screen import assert_no_exception, choose, open_app, press, rerun, state

# On each page: a control of its own, and the option that is chosen.
SET = {
    "narrow_cone": ("dims", "2D"),
    "layers": ("view", "PCA"),
    "word_frequency": ("words", "contextual tokens"),
    "degeneration": ("train", "Language model"),
    "whitening": ("second", "Centred"),
    "neighbours": ("after", "centred"),
    "sentence_similarity": ("sts-fit", "Topics, English"),
    "contrast": ("contrast-temperature", "0.5"),
    "cosine_basis": ("shear", ""),
    "your_corpus": ("pasted", "one text"),
}


def name_of(page: Page) -> str:
    return page.evaluate("location.pathname.split('/').pop()")


def wait_for_state(page: Page, wanted: dict[str, str]) -> None:
    deadline = time.monotonic() + 10
    while state(page) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert state(page) == wanted


def go(page: Page, name: str) -> None:
    links = page.locator('[data-testid="stSidebar"] [data-testid="stPageLink"] a')
    link = links.nth(PAGES.index(name))
    with rerun(page):
        link.click()
    page.wait_for_function(f"location.pathname.endsWith('{name}')")


def set_one(page: Page, name: str) -> None:
    key, option = SET[name]
    if name == "your_corpus":
        page.locator(".st-key-pasted textarea").fill(option)
        with rerun(page):
            page.keyboard.press("Control+Enter")
    elif name == "cosine_basis":
        with rerun(page):
            page.locator(f".st-key-preset-{key} button").click()
    elif key in ("dims", "view"):
        with rerun(page):
            press(page, key, option)
    else:
        with rerun(page):
            choose(page, key, option)


def check(page: Page, name: str, left: dict[str, dict[str, str]]) -> None:
    assert name_of(page) == name
    wait_for_state(page, left[name])
    assert_no_exception(page)
    if name == "your_corpus":
        expect(page.locator(".st-key-pasted textarea")).to_have_value("one text")


@pytest.mark.long
def test_each_page_returns_as_it_was_left(server, page):
    walk = [*PAGES, *PAGES[-2::-1]]  # each page once and back
    open_app(page, server.page_url("narrow_cone"))
    left = {}
    for name in PAGES:
        if name != PAGES[0]:
            go(page, name)
        set_one(page, name)
        left[name] = state(page)
        assert left[name] or name == "your_corpus"
    for name in walk:
        if name_of(page) != name:
            go(page, name)
        check(page, name, left)
    there = walk[-12:]
    for step, places in ((page.go_back, there[-2::-1]), (page.go_forward, there[1:])):
        for name in places:
            with rerun(page):
                step()
            check(page, name, left)


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
    wait_for_state(page, film | {"layer": "5", "pooling": "cls"})
    with rerun(page):
        press(page, "dims", "2D")
    assert page.evaluate("history.length") == n_entries + 1
    go(page, "whitening")
    wait_for_state(page, {"layer": "5", "pooling": "cls"})
    with rerun(page):
        choose(page, "layer", "6 (last)")
    go(page, "contrast")
    wait_for_state(page, {"contrast-layer": "6", "contrast-pooling": "cls"})
    go(page, "narrow_cone")
    wait_for_state(page, film | {"layer": "6", "pooling": "cls", "dims": "2D"})
    expect(page.get_by_text("You guessed")).to_be_visible()
    for wanted in (
        {"contrast-layer": "6", "contrast-pooling": "cls"},
        {"layer": "6", "pooling": "cls"},
        film | {"layer": "5", "pooling": "cls", "dims": "2D"},
        film,
    ):
        with rerun(page):
            page.go_back()
        wait_for_state(page, wanted)
    expect(page.get_by_text("You guessed")).to_be_visible()
    page.wait_for_function(
        "!document.querySelector('.st-key-dims [aria-checked=true]').innerText.includes('2D')"
    )
