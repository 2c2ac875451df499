"""The lesson in a browser: by keys through every step, after a reload, on a telephone."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.common.lesson import shipped_lesson
from tests.browser.screen import assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer

BAR = ".st-key-lesson-bar"
IS_DEFAULT = ("len2", "sts-pooling")  # no address has them
IN_VIEW = """part => {
  const box = document.querySelector(`.st-key-${part}`)?.getBoundingClientRect();
  return box && box.top >= 0 && box.top < innerHeight;
}"""


@pytest.mark.long
@pytest.mark.model
def test_keys_lead_through_the_whole_lesson(page: Page, server: AppServer):
    steps = shipped_lesson("en")
    open_app(page, server.page_url(query="lesson=1"))
    for at, step in enumerate(steps):
        page.wait_for_url(re.compile(rf"/{step.page}\?.*lesson-step={at + 1}\b"))
        wait_for_app(page)
        bar = page.locator(BAR)
        expect(bar).to_contain_text(f"Step {at + 1} of {len(steps)}")
        expect(bar).to_contain_text(step.title)
        expect(bar).not_to_contain_text("…")  # every number is there
        for name, value in step.query.items():
            assert f"{name}={value}" in page.url or name in IS_DEFAULT
        assert_no_exception(page)
        if step.part:
            page.wait_for_function(IN_VIEW, arg=step.part)
            assert bar.bounding_box()["y"] >= 0  # the sentences stay
        if step.guess:
            page.locator(f".st-key-lesson-guess-1-{at} button").first.click()
            expect(bar.locator("[data-testid=stAlert]")).to_be_visible()
            wait_for_app(page)
        if at < len(steps) - 1:
            page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(f"lesson-step={len(steps) - 1}"))
    wait_for_app(page)
    page.reload()
    wait_for_app(page)
    expect(page.locator(BAR)).to_contain_text(f"Step {len(steps) - 1} of {len(steps)}")
    page.set_viewport_size({"width": 420, "height": 900})
    page.locator(".st-key-lesson-back button").click()
    page.wait_for_url(re.compile(f"lesson-step={len(steps) - 2}"))
    wait_for_app(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 420
    # in front of an audience too
    page.set_viewport_size({"width": 1400, "height": 900})
    open_app(page, server.page_url(query="lesson=1&present=1"))
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("lesson-step=2.*present=1|present=1.*lesson-step=2"))
