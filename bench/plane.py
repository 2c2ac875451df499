"""A drag on the plane of cosine_basis: time from the pointer's move to the picture, and frames."""

import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from bench.table import Row
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST
from tests.browser.server import AppServer

FRAME = 1000 / 60  # ms
MOVES = 150
PEER = "peer: the slider that sets the same length, through the server"
# For each move, the time from the pointer's event to the last attribute of the picture; for each
# frame, when it began. The view counts its drawings in data-drawn.
RECORD = """() => {
  const view = document.querySelector('.plane');
  window.recorded = { moves: [], frames: [] };
  let moved = null;
  document.addEventListener('pointermove', () => { moved ??= performance.now(); }, true);
  new MutationObserver(() => {
    if (moved !== null) recorded.moves.push(performance.now() - moved);
    moved = null;
  }).observe(view, { attributes: true, attributeFilter: ['data-drawn'] });
  const tick = now => { recorded.frames.push(now); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""
DRAWN = "() => Number(document.querySelector('.plane').dataset.drawn)"
CHANGED = """before => new Promise((done, failed) => {
  const view = document.querySelector('.plane');
  const look = () => Number(view.dataset.drawn) > before
    ? requestAnimationFrame(() => done(true)) : requestAnimationFrame(look);
  look();
  setTimeout(() => failed(new Error('the picture did not follow the slider')), 30000);
})"""
CLOCK = "() => performance.now()"


def main() -> list[Row]:
    """Times are taken inside Chromium. The peer is the page's slider, which asks the server."""
    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(cache_dir=Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=list(CHROMIUM_FLAGS)
        )
        page = open_plane(browser, server)
        slider = median(sliders(page))
        handled, frames = dragged(page)
        browser.close()
    drawn = median(handled)
    late = sum(ms > FRAME for ms in handled)
    apart = [after - before for before, after in pairwise(frames)]
    return [
        Row(
            "drag on the plane, from the pointer's move to the picture redrawn",
            drawn,
            peer=slider,
            ratio=slider / drawn,
            unit="ms",
            target=f"{FRAME:.1f} ms or less",
            met=drawn <= FRAME,
            note=f"{late} of {len(handled)} moves took longer; {PEER}",
        ),
        Row(
            "frames painted while dragging",
            1000 / median(apart),
            unit="a second",
            target="60 a second",
            met=1000 / median(apart) > 58,
            note=f"{sum(ms > 1.5 * FRAME for ms in apart)} of {len(apart)} frames came late",
        ),
    ]


def open_plane(browser: Browser, server: AppServer) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(server.page_url("cosine_basis", query="len2=2"))
    page.wait_for_selector(".plane svg", timeout=120_000)
    page.wait_for_function(AT_REST, timeout=120_000)
    return page


def dragged(page: Page) -> tuple[list[float], list[float]]:
    """(ms from each move to its drawing, times of the frames) while e2 goes around by the mouse."""
    handle = page.locator("svg[data-panel=yours] [data-handle=e2] .plane-grip")
    handle.evaluate("one => one.ownerSVGElement.scrollIntoView({ block: 'center' })")
    grip = handle.bounding_box()
    assert grip is not None
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(RECORD)
    for step in range(MOVES):
        page.mouse.move(x + 60 * (step % 50) / 50, y + 40 * (step % 30) / 30)
    recorded = page.evaluate("() => recorded")
    page.mouse.up()
    return recorded["moves"][5:], recorded["frames"][5:]


def sliders(page: Page) -> list[float]:
    """Ms from a key on the slider of e2's length to the picture redrawn, several times."""
    slider = page.locator(".st-key-len2").get_by_role("slider")
    slider.focus()
    times = []
    for key in ["ArrowLeft"] * 8:
        before, start = page.evaluate(DRAWN), page.evaluate(CLOCK)
        page.keyboard.press(key)
        page.evaluate(CHANGED, before)
        times.append(page.evaluate(CLOCK) - start)
        page.wait_for_function(AT_REST, timeout=120_000)
    return times[2:]
