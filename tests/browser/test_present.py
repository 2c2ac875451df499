"""Present mode, and the buttons beside the title."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import grave_findings
from tests.browser.clouds import wait_for_clouds, wait_for_stage
from tests.browser.screen import assert_no_exception, open_app, rerun, wait_for_app

# Texts of large numbers that lie on each other, or are cut by the edge of the screen.
COLLISIONS = """() => {
  const parts = [...document.querySelectorAll(".big-numbers :is(dt, b, small)")]
    .filter(part => part.checkVisibility() && part.textContent.trim())
    .map(part => { const range = document.createRange(); range.selectNodeContents(part);
      return [part.textContent, range.getBoundingClientRect()]; });
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.3 * Math.min(a.height, b.height);
  const found = [];
  parts.forEach(([text, box], i) => {
    if (box.right > innerWidth) found.push(text + " is cut");
    for (const [other, there] of parts.slice(i + 1)) if (meet(box, there)) found.push(text + " on " + other);
  });
  return found;
}"""  # noqa: E501
COPIED = """() => { window.copied = [];
  navigator.clipboard.writeText = async text => { window.copied.push(text); }; }"""


def button(page: Page, name: str):
    return page.locator(".page-tools").get_by_role("button", name=name)


@pytest.mark.long
def test_a_page_is_presented_by_a_button_and_left_by_a_key(server, new_page):
    page = new_page(viewport={"width": 1024, "height": 768})
    open_app(page, server.page_url("narrow_cone"))
    wait_for_clouds(page)
    with rerun(page):
        button(page, "Present").click()
    page.wait_for_url(re.compile("present=1"))
    wait_for_clouds(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".st-key-claim")).to_be_visible()
    expect(page.locator('[data-testid="stSidebar"]')).to_be_hidden()
    numbers = page.locator(".st-key-headlines b").first.bounding_box()
    assert numbers["y"] + numbers["height"] <= 768
    assert grave_findings(page, "body") == []
    sizes = page.evaluate(
        """() => [...document.querySelectorAll(
          '.twin button, .twin span, .big-numbers :is(dt, dd, small), .st-key-presets p')]
          .filter(one => one.checkVisibility() && one.textContent.trim())
          .map(one => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert min(sizes) >= 16
    with rerun(page):
        page.keyboard.press("Space")
        wait_for_stage(page, "twin.player.isPlaying")
        wait_for_stage(page, "twin.at === stage.lastStop && !twin.player.isPlaying")

    # the arrows go through the pages, which stay presented
    for name in ("layers", "word_frequency", "degeneration"):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(f"{name}.*present=1"))
        wait_for_app(page)
    for width, height in ((1024, 768), (1400, 900), (933, 600)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"innerWidth === {width}")
        assert page.evaluate(COLLISIONS) == []
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("word_frequency.*present=1"))
    wait_for_app(page)
    with rerun(page):
        page.keyboard.press("Escape")
    expect(page.locator('[data-testid="stSidebar"]')).to_be_visible()
    page.wait_for_url(re.compile("word_frequency(?!.*present)"))

    page.evaluate(COPIED)
    button(page, "Copy link").click()
    expect(button(page, "Link copied")).to_be_visible()
    assert page.evaluate("window.copied") == [page.evaluate("location.href")]
    assert_no_exception(page)
