"""The landing page as a reader meets it: cold server, warm and empty cache, a moved control."""

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser, Page, sync_playwright

from bench.table import Row
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST
from tests.browser.server import AppServer

REPEATS = 5
DRAWN = """() => document.querySelectorAll(
  '[class*="st-key-chart-raw"] .js-plotly-plot .gl-canvas, '
  + '[class*="st-key-chart-white"] .js-plotly-plot .gl-canvas').length >= 2"""
PROGRESS = '[data-testid="stProgress"], [data-testid="stSkeleton"], .js-plotly-plot'
# A chart counts its drawings; a drawing is on screen with the frame after it.
DRAWINGS = """() => Number(document.querySelector(
  '[class*="st-key-chart-white"] .chart').dataset.drawn || 0)"""
DRAWN_AFTER = """before => new Promise(done => {
  const chart = document.querySelector('[class*="st-key-chart-white"] .chart');
  const look = () => Number(chart.dataset.drawn) > before
    ? requestAnimationFrame(() => done(true)) : requestAnimationFrame(look);
  look();
})"""


def main() -> list[Row]:
    """Four rows; every time is taken in Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_FLAGS)
        )
        with tempfile.TemporaryDirectory() as folder:
            empty, progress = [], []
            for place in range(3):
                seen, drawn = first_visit(browser, Path(folder) / str(place))
                progress.append(seen)
                empty.append(drawn)
            warm = [first_visit(browser, Path(folder) / "0")[1] for _ in range(REPEATS)]
            moved = moved_control(browser, Path(folder) / "0")
        browser.close()
    return [
        row("server healthy to first cone on screen, warm cache", median(warm), 3.0),
        row(
            "control moved to new picture (1,224 points, SVD)",
            median(moved),
            0.4,
            note=f"slowest of {len(moved)}: {max(moved):.2f} s",
        ),
        row(
            "first visit, empty cache: picture",
            median(empty),
            20.0,
            note=f"progress shown after {median(progress):.1f} s",
        ),
    ]


def row(name: str, seconds: float, limit: float, note: str = "") -> Row:
    """A figure with an upper limit."""
    return Row(name, seconds, target=f"{limit:g} s or less", met=seconds <= limit, note=note)


def first_visit(browser: Browser, cache: Path) -> tuple[float, float]:
    """Seconds from a healthy fresh server to the first progress bar and to both clouds."""
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        start = perf_counter()
        page.goto(server.page_url("narrow_cone"))
        page.locator(PROGRESS).first.wait_for(timeout=120_000)
        seen = perf_counter() - start
        page.wait_for_function(DRAWN, timeout=120_000)
        drawn = perf_counter() - start
        page.close()
    return seen, drawn


def moved_control(browser: Browser, cache: Path) -> list[float]:
    """Seconds from a key on the strength slider to the redrawn picture, several times."""
    with AppServer(cache_dir=cache) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(server.page_url("narrow_cone", query="view=svd"))
        page.wait_for_function(DRAWN, timeout=120_000)
        page.wait_for_function(AT_REST)
        slider = page.locator(".st-key-strength").get_by_role("slider")
        slider.focus()
        times = [press(page, key) for key in ["ArrowLeft"] * 12]  # each a new picture
        page.close()
    return times[2:]  # the first two fill caches


def press(page: Page, key: str) -> float:
    """One step of the focused slider."""
    before = page.evaluate(DRAWINGS)
    start = perf_counter()
    page.keyboard.press(key)
    page.evaluate(DRAWN_AFTER, before)
    seconds = perf_counter() - start
    page.wait_for_function(AT_REST)
    return seconds
