"""Take the README's pictures of the pages from a running app: make screenshot."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import AT_REST, NEXT_FRAMES
from tests.browser.server import ROOT, AppServer

ASSETS = ROOT / "assets"
POINTS = ".twin[data-drawn]"
PICTURES = {  # file: page, query, height of the picture
    "screenshot": ("narrow_cone", "centring=1&strength=1", 1000),
    "screenshot-layers": ("layers", "layer=5", 860),
    "screenshot-words": ("word_frequency", "", 860),
}


def main() -> None:
    """Open each page and save its first screen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(cache_dir=Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*CHROMIUM_FLAGS]
        )
        for name, (address, query, height) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1400, "height": height})
            page.goto(server.page_url(address, query=query))
            page.wait_for_selector(POINTS, state="attached", timeout=120_000)
            page.wait_for_function(AT_REST, timeout=120_000)
            page.evaluate(NEXT_FRAMES)
            page.screenshot(path=ASSETS / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
