"""Take the pictures of the READMEs and of docs/pages.md from a running app: make screenshot."""

import re
import tempfile
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.clouds import of_stage
from tests.browser.screen import AT_REST, NEXT_FRAMES
from tests.browser.server import ROOT, AppServer

ASSETS = ROOT / "assets"
CONE_STEPS = (0, 5, 40)  # recorded steps of the page Degeneration: 0, 50 and 400
NO_PAGE = "[data-testid=stMain] { visibility: hidden }"  # behind a dialog's round corners
MS = 120_000
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
        AppServer(cache_dir=Path(folder), environment=with_rooms(Path(folder))) as of_classes,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*CHROMIUM_FLAGS]
        )
        for name, (address, query, height, drawn) in PICTURES.items():
            page = opened(browser, server.page_url(address, query=query), height, drawn)
            save(page.screenshot(), name)
            page.close()
        take_class(browser, of_classes)
        shots = [Image.open(BytesIO(take_lead(browser, server, step))) for step in CONE_STEPS]
        whole = Image.new("RGB", (sum(each.width for each in shots), shots[0].height), "white")
        for place, shot in enumerate(shots):
            whole.paste(shot, (place * shots[0].width, 0))
        save_picture(whole, "screenshot-degeneration")
        browser.close()


def with_rooms(folder: Path) -> dict[str, str]:
    """The environment of a server that allows a class."""
    (folder / "rooms.toml").write_text("[classes]\nrooms = 1\n", encoding="utf-8")
    address = "http://192.0.2.5:8501"  # for documentation: nobody has it
    return {"NARROW_CONE_CONFIG": str(folder / "rooms.toml"), "NARROW_CONE_ADDRESS": address}


def take_class(browser: Browser, server: AppServer) -> None:
    """A student's telephone, and what the teacher sees of three students: code, bars, results."""
    phone = browser.new_context(viewport={"width": 360, "height": 640})
    students = [phone, *(browser.new_context() for _ in range(2))]
    teacher = browser.new_context(viewport={"width": 1400, "height": 860}).new_page()
    teacher.goto(server.page_url("cosine_basis"))
    teacher.locator(".st-key-class-menu button").first.click(timeout=MS)
    teacher.locator(".st-key-class-open button").click()
    teacher.wait_for_url(re.compile(r"class=\w{6}"))
    query = urlsplit(teacher.url).query
    teacher.keyboard.press("Escape")
    teacher.locator(".st-key-class-code button").click()
    take_dialog(teacher, "screenshot-class-code")
    guesses = [("same", "larger"), ("larger",), ("same",)]  # first and last ones
    for guessed, context in zip(guesses, students, strict=True):
        page = context.new_page()
        page.goto(server.page_url("cosine_basis", query=query))
        for guess in guessed:
            page.locator(f".st-key-guess-{guess} button").click(timeout=MS)
            answer = {"same": "still 90°"}.get(guess, guess)
            page.locator(".st-key-class-bar", has_text=f"“{answer}”").wait_for()
        settle(page)
        if context is phone:
            save(page.screenshot(), "screenshot-class-phone")
    teacher.locator(".st-key-class-bar", has_text="3 of 3").wait_for(timeout=MS)
    teacher.locator(".st-key-class-reveal button").click()
    teacher.locator(".class-bars").wait_for()
    settle(teacher)
    save(teacher.screenshot(), "screenshot-class")
    teacher.locator(".st-key-class-results button").click()
    take_dialog(teacher, "screenshot-class-results")


def take_dialog(page: Page, name: str) -> None:
    """The dialog that is open; close it."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 820, "height": 860})
    dialog = page.locator("[data-testid=stDialog] [role=dialog]")
    dialog.wait_for()
    settle(page)
    save(dialog.screenshot(style=NO_PAGE), name)
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.set_viewport_size(size)


def save(png: bytes, name: str) -> None:
    save_picture(Image.open(BytesIO(png)), name)


def save_picture(picture: Image.Image, name: str) -> None:
    """A palette of 256 colours takes a third of the bytes, and no difference is seen."""
    few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(ASSETS / f"{name}.png", optimize=True)


def take_lead(browser: Browser, server: AppServer, step: int) -> bytes:
    """The large picture of the page Degeneration at a recorded step."""
    page = opened(browser, server.page_url("degeneration", query=f"step={step}"), 1000, POINTS)
    [box] = of_stage(page, "[stage.boxes[0]]")
    place = page.locator(".twin-stage").bounding_box()
    assert place is not None
    clip = {"x": place["x"], "y": place["y"], "width": box["width"], "height": box["height"]}
    shot = page.screenshot(clip=clip)
    page.close()
    return shot


def opened(browser: Browser, url: str, height: int, drawn: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": height}, reduced_motion="reduce")
    page.goto(url)
    page.wait_for_selector(drawn, state="attached", timeout=MS)
    settle(page)
    return page


def settle(page: Page) -> None:
    page.wait_for_function(AT_REST, timeout=MS)
    page.evaluate(NEXT_FRAMES)


if __name__ == "__main__":
    main()
