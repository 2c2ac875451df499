"""Take the pictures of the READMEs and of docs/pages.md from a running app: make screenshot."""

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.clouds import of_stage
from tests.browser.screen import AT_REST, NEXT_FRAMES
from tests.browser.server import ROOT, AppServer

ASSETS = ROOT / "assets"
CONE_STEPS = (0, 5, 40)  # recorded steps of the page Degeneration: 0, 50 and 400
POINTS, CHART = ".twin[data-drawn]", ".js-plotly-plot[data-drawn]"
PICTURES = {  # file: page, query, height of the picture, what is drawn on it
    "screenshot": ("narrow_cone", "", 900, POINTS),
    "screenshot-zh-Hans": ("narrow_cone", "lang=zh-Hans", 900, POINTS),
    "screenshot-zh-Hant": ("narrow_cone", "lang=zh-Hant", 900, POINTS),
    "screenshot-layers": ("layers", "layer=5", 860, POINTS),
    "screenshot-words": ("word_frequency", "", 860, POINTS),
    "screenshot-contrast": ("contrast", "", 860, CHART),
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
        for name, (address, query, height, drawn) in PICTURES.items():
            page = browser.new_page(
                viewport={"width": 1400, "height": height}, reduced_motion="reduce"
            )
            page.goto(server.page_url(address, query=query))
            page.wait_for_selector(drawn, state="attached", timeout=120_000)
            page.wait_for_function(AT_REST, timeout=120_000)
            page.evaluate(NEXT_FRAMES)
            save(Image.open(BytesIO(page.screenshot())), name)
            page.close()
        shots = [take_lead(browser, server, step) for step in CONE_STEPS]
        save(beside(shots), "screenshot-degeneration")
        browser.close()


def save(picture: Image.Image, name: str) -> None:
    """A palette of 256 colours takes a third of the bytes, and no difference is seen."""
    few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(ASSETS / f"{name}.png", optimize=True)


def take_lead(browser: Browser, server: AppServer, step: int) -> Image.Image:
    """The large picture of the page Degeneration at a recorded step."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(server.page_url("degeneration", query=f"step={step}"))
    page.wait_for_selector(POINTS, state="attached", timeout=120_000)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.evaluate(NEXT_FRAMES)
    [box] = of_stage(page, "[stage.boxes[0]]")
    place = page.locator(".twin-stage").bounding_box()
    assert place is not None
    clip = {"x": place["x"], "y": place["y"], "width": box["width"], "height": box["height"]}
    shot = Image.open(BytesIO(page.screenshot(clip=clip)))
    page.close()
    return shot


def beside(shots: list[Image.Image]) -> Image.Image:
    """The pictures side by side."""
    whole = Image.new("RGB", (sum(each.width for each in shots), shots[0].height), "white")
    for place, shot in enumerate(shots):
        whole.paste(shot, (place * shots[0].width, 0))
    return whole


if __name__ == "__main__":
    main()
