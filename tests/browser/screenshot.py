"""Take the README's picture of the landing page from a running app: make screenshot."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST, NEXT_FRAMES
from tests.browser.server import ROOT, AppServer

TARGET = ROOT / "assets" / "screenshot.png"
POINTS = ".twin[data-drawn]"


def main() -> None:
    """Open the page at the end of its film and save the first screen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(cache_dir=Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*CHROMIUM_FLAGS]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(server.page_url("narrow_cone", query="centring=1&strength=1"))
        page.wait_for_selector(POINTS, state="attached", timeout=120_000)
        page.wait_for_function(AT_REST, timeout=120_000)
        page.evaluate(NEXT_FRAMES)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
