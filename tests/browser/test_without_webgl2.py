"""A browser without WebGL2: Plotly draws the clouds, and both zoom together."""

import io
from collections.abc import Callable

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    ONLY_CANVAS,
    open_app,
    wait_for_app,
)
from tests.waiting import until

NO_WEBGL2 = """const contexts = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  const isTwins = this.classList.contains("twin-points");
  return kind === "webgl2" && isTwins ? null : contexts.call(this, kind, ...more);
};"""
CLOUDS = ("cone-0", "cone-1")


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    page = new_page()
    page.add_init_script(NO_WEBGL2)
    return page


def chart(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} .js-plotly-plot")


def ranges(page: Page) -> list[tuple[float, float]]:
    """The ends of each chart's horizontal axis."""
    return [
        chart(page, key).evaluate("chart => chart._fullLayout.xaxis.range.slice()")
        for key in CLOUDS
    ]


@pytest.mark.slow
def test_both_clouds_are_drawn_and_zoom_together(server, page):
    open_app(page, server.page_url("narrow_cone", query="strength=1"))
    for key in CLOUDS:
        page.wait_for_selector(f".st-key-{key} [data-drawn]", timeout=1000 * LONG)
    wait_for_app(page)
    page.evaluate(NEXT_FRAMES)
    for key in CLOUDS:
        png = chart(page, key).locator("canvas").first.screenshot(style=ONLY_CANVAS)
        assert len(Image.open(io.BytesIO(png)).convert("RGB").getcolors(1 << 20)) > 20
        expect(chart(page, key).locator(".annotation-text", has_text="origin")).to_be_visible()

    before = ranges(page)
    chart(page, CLOUDS[1]).hover()
    chart(page, CLOUDS[1]).locator('.modebar-btn[data-title="Zoom in"]').click()

    def shares() -> list[list[float]]:
        """Each chart has its own frame; what it shows of it."""
        return [
            [(end - low) / (high - low) for end in ends]
            for ends, (low, high) in zip(ranges(page), before, strict=True)
        ]

    until(lambda: all(high - low < 0.9 for low, high in shares()))
    assert shares()[0] == pytest.approx(shares()[1], abs=0.01)
