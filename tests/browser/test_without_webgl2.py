"""A browser without WebGL2: Plotly draws the clouds, with one frame and one selection."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry.data.corpus import read_bundled
from tests.browser.screen import (
    LONG,
    NEXT_FRAMES,
    ONLY_CANVAS,
    open_app,
    rerun,
    wait_for_app,
)

MS = 1000 * LONG
NO_WEBGL2 = """const contexts = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  const isTwins = this.classList.contains("twin-points");
  return kind === "webgl2" && isTwins ? null : contexts.call(this, kind, ...more);
};"""
LONELIEST = """chart => {  // the point farthest from all others: its row and its place on screen
  const { xaxis, yaxis } = chart._fullLayout;
  const { x, y } = chart._fullData[0];
  const box = chart.getBoundingClientRect();
  const at = Array.from(x, (value, row) => [xaxis.l2p(value), yaxis.l2p(y[row])]);
  const inside = ([a, b]) => a > 20 && b > 20 && a < xaxis._length - 20 && b < yaxis._length - 20;
  const distance = (here, row) => Math.min(...at.map((other, i) => i === row ? Infinity
    : Math.hypot(other[0] - here[0], other[1] - here[1])));
  const distances = at.map((here, row) => inside(here) ? distance(here, row) : -1);
  const best = distances.indexOf(Math.max(...distances));
  return [best, box.left + xaxis._offset + at[best][0], box.top + yaxis._offset + at[best][1]];
}"""
CLOUDS = ("cone-0", "cone-1")


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    page = new_page()
    page.add_init_script(NO_WEBGL2)
    return page


def open_plain(page: Page, server: Any, name: str, keys: tuple[str, ...], query: str = "") -> None:
    open_app(page, server.page_url(name, query=query))
    for key in keys:
        page.wait_for_selector(f".st-key-{key} [data-drawn]", timeout=MS)
    wait_for_app(page)
    page.evaluate(NEXT_FRAMES)
    expect(page.locator(".twin")).to_have_count(0)


def chart(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key} .js-plotly-plot")


def of_all(page: Page, expression: str, keys: tuple[str, ...]) -> list[Any]:
    """The expression's values, where ``chart`` is the Plotly element."""
    return [chart(page, key).evaluate(f"chart => {expression}") for key in keys]


def wait_for_all(page: Page, condition: str, keys: tuple[str, ...]) -> None:
    page.wait_for_function(
        f"""keys => keys.every(key => {{
          const chart = document.querySelector(`.st-key-${{key}} .js-plotly-plot`);
          return {condition};
        }})""",
        arg=list(keys),
        timeout=MS,
    )


def weaken(page: Page) -> None:
    """Move the whitening's strength by one step."""
    strength = page.locator(".st-key-strength input[type=range]")
    strength.focus()
    with rerun(page):
        strength.press("ArrowLeft")


@pytest.mark.slow
def test_both_clouds_are_one_frame_and_a_click_rings_a_point(server, page):
    open_plain(page, server, "narrow_cone", CLOUDS, "strength=1")
    assert of_all(page, "chart._fullData[0].type", CLOUDS) == ["scattergl"] * 2
    for key in CLOUDS:
        png = chart(page, key).locator("canvas").first.screenshot(style=ONLY_CANVAS)
        assert len(Image.open(io.BytesIO(png)).convert("RGB").getcolors(1 << 20)) > 20
        expect(chart(page, key).locator(".annotation-text", has_text="origin")).to_be_visible()
    expect(chart(page, CLOUDS[0]).locator(".shapelayer path")).to_have_count(2)

    x_range = "chart._fullLayout.xaxis.range"
    before = of_all(page, x_range, CLOUDS)
    chart(page, CLOUDS[1]).hover()
    chart(page, CLOUDS[1]).locator('.modebar-btn[data-title="Zoom in"]').click()
    for key, (low, high) in zip(CLOUDS, before, strict=True):
        wait_for_all(page, f"{x_range}[1] - {x_range}[0] < {0.9 * (high - low)}", (key,))
    # each chart has its own frame, and both show the same share of it
    shares = [
        [(end - low) / (high - low) for end in ends]
        for ends, (low, high) in zip(of_all(page, x_range, CLOUDS), before, strict=True)
    ]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    weaken(page)
    for (low, high), (first, last) in zip(of_all(page, x_range, CLOUDS), before, strict=True):
        assert high - low < 0.95 * (last - first)  # the zoom stays

    chart(page, CLOUDS[0]).scroll_into_view_if_needed()
    wait_for_app(page)
    page.evaluate(NEXT_FRAMES)
    row, x, y = chart(page, CLOUDS[0]).evaluate(LONELIEST)
    page.mouse.move(x, y)
    text = read_bundled("topics").texts[row]
    expect(chart(page, CLOUDS[0]).locator(".hoverlayer .hovertext")).to_contain_text(text[:12])
    page.mouse.click(x, y)
    nearest = page.locator(".st-key-inspector p", has_text=f"Nearest to {text}")
    expect(nearest).to_be_visible(timeout=MS)
