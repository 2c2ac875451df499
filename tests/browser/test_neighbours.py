"""The page Neighbours in Chromium: names fit, a click makes a neighbour the query, SVG."""

import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.screen import NEXT_FRAMES, open_app, rerun
from tests.browser.server import AppServer

LISTS = ".st-key-neighbour-lists .js-plotly-plot"
OVERLAPS = """selector => {
  const { left, right } = document.querySelector(selector).getBoundingClientRect();
  const names = [...document.querySelectorAll(`${selector} .annotation-text`)];
  return names.filter((each) => {
    const box = each.getBoundingClientRect();
    return box.left < left - 1 || box.right > right + 1;
  }).map((each) => each.textContent);
}"""


@pytest.mark.slow
def test_a_click_makes_a_neighbour_the_query(page: Page, server: AppServer) -> None:
    open_app(page, server.page_url("neighbours", query="nearest=5"))
    page.wait_for_selector(f"{LISTS}[data-drawn]")
    assert page.evaluate(OVERLAPS, LISTS) == []
    title = page.get_by_text("Nearest to")
    before = title.inner_text()
    first = page.locator(f"{LISTS} .scatterlayer .points path").first
    point = first.bounding_box()
    with rerun(page):
        page.mouse.click(point["x"] + point["width"] / 2, point["y"] + point["height"] / 2)
    expect(title).not_to_have_text(before)
    assert re.search(r"[?&]point=\d+", page.url)

    with page.expect_download() as download:
        page.locator(LISTS).hover()
        page.locator(f"{LISTS} .modebar-btn[data-title='Download picture (SVG)']").click()
    assert download.value.suggested_filename == "neighbours.svg"
    drawn = "".join(ElementTree.parse(download.value.path()).getroot().itertext())
    assert "not among the 5 nearest" in drawn
    with page.expect_download() as download:
        page.locator(f"{LISTS} .modebar-btn[data-title='Download picture (PNG)']").click()
    assert Image.open(download.value.path()).width > 500

    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        "selector => document.querySelector(selector).clientWidth < 420", arg=LISTS
    )
    page.evaluate(NEXT_FRAMES)
    assert page.evaluate(OVERLAPS, LISTS) == []
