"""The page ``cosine_basis`` in a browser: dragging, links, controls, presets, both languages."""

from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry.projection.plane import POINTS, Plane, pair_cosines
from tests.browser.accessibility import grave_findings
from tests.browser.screen import NEXT_FRAMES, move_fingers, open_app, open_socket, rerun, state

PAGE = "cosine_basis"


def open_plane(page: Page, url: str) -> None:
    """Open the page and wait for its cosines, which the browser computes after the server's run."""
    open_app(page, url)
    page.locator(".plane td[data-value]").first.wait_for(state="attached")


def column(page: Page, name: str) -> list[str]:
    """A column of the table of cosines: by coordinates, true or whitened."""
    return page.locator(f"td[data-column={name}]:visible").all_inner_texts()


def values(page: Page) -> dict[str, list[float]]:
    """The cosines of each column in full."""
    return page.evaluate("""() => {
      const found = {};
      for (const cell of document.querySelectorAll('.plane td:not([hidden])'))
        (found[cell.dataset.column] ??= []).push(Number(cell.dataset.value));
      return found;
    }""")


def assert_numbers_are_the_librarys(page: Page) -> None:
    """Compare the cosines on screen with the library's, at the settings in the address."""
    said = state(page)

    def at(key: str, default: float) -> float:
        return float(said.get(key, default))

    shift = (at("shift_x", 0), at("shift_y", 0))
    plane = Plane(at("len1", 1), at("len2", 2), at("angle", 90), shift, at("turn", 0))
    points = np.array(
        [
            [at(f"{name}_{axis}", home) for axis, home in zip("xy", row, strict=True)]
            for name, row in zip("abc", POINTS, strict=True)
        ]
    )
    found = values(page)
    assert found["coordinates"] == pytest.approx(pair_cosines(points), abs=1e-9)
    assert found["true"] == pytest.approx(plane.true_cosines(points), abs=1e-9)


def handle(page: Page, name: str, panel: str = "yours") -> Locator:
    return page.locator(f"svg[data-panel={panel}] [data-handle={name}]")


def middle(of: Locator) -> np.ndarray:
    box = of.locator(".plane-grip").bounding_box()
    return np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])


def units(page: Page, right: float, up: float, panel: str = "yours") -> np.ndarray:
    """A shift in units of the plane, as pixels on screen."""
    scale = page.evaluate(
        """panel => {
          const svg = document.querySelector(`svg[data-panel=${panel}]`);
          const ticks = [...svg.querySelectorAll('text[text-anchor=middle]')];
          const at = name => ticks.find(t => t.textContent === name).getAttribute('x');
          const shown = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return (at('2') - at('0')) / 2 * shown;
        }""",
        panel,
    )
    return np.array([right, -up]) * scale


def carry(page: Page, grip: Locator, by: np.ndarray) -> None:
    """Drag a handle by this many pixels; the mouse button stays down."""
    grip.evaluate("one => one.ownerSVGElement.scrollIntoView({ block: 'center' })")
    start = middle(grip)
    page.mouse.move(*start)
    page.mouse.down()
    for share in (0.3, 0.7, 1.0):
        page.mouse.move(*(start + share * by))
    page.evaluate(NEXT_FRAMES)


def shown(values: np.ndarray) -> list[str]:
    return [f"{round(float(value), 3) + 0.0:.3f}".replace("-", "−") for value in values]


def pictures(page: Page) -> Locator:
    return page.locator(".plane svg")


def address_has(page: Page, key: str) -> float:
    page.wait_for_function("key => new URL(location.href).searchParams.has(key)", arg=key)
    return float(state(page)[key])


@pytest.mark.slow
def test_one_visit_guesses_downloads_and_drags_and_a_drag_s_end_sends_one_message(server, page):
    """Mouse, keys, snapping, whitening: the numbers equal the library's to 1e-9."""
    open_plane(page, server.page_url(PAGE))
    expect(pictures(page).first).to_be_visible()
    expect(pictures(page).nth(1)).to_be_hidden()
    with rerun(page):
        page.get_by_role("button", name="larger").click()
    expect(pictures(page)).to_have_count(2)
    for picture in pictures(page).all():
        for text in ("a (2, 2)", "b (2, −2)", "c (−2, 2)", "e₁", "e₂"):
            expect(picture.get_by_text(text, exact=True)).to_be_visible()
    first, second = (
        pictures(page).nth(i).locator("text[text-anchor=end]").all_inner_texts() for i in (0, 1)
    )
    assert first == second  # the ticks
    for name in (
        "Standard basis: the coordinates as they are: arrows from the origin to a (2, 2)",
        "cos(a, b) = −0.600, cos(a, c) = 0.600, cos(b, c) = −1.000.",
    ):
        expect(page.get_by_role("group", name=name)).to_have_count(1)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download picture (SVG)").click()
    picture = ElementTree.parse(waiting.value.path()).getroot()
    words = "".join(picture.itertext())
    assert "Cosine in your basis: cos(a, b) = −0.600, cos(a, c) = 0.600" in words
    assert "seed 9" in words
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download picture (PNG)").click()
    assert Image.open(waiting.value.path()).width == 2 * round(float(picture.get("width")))

    assert_numbers_are_the_librarys(page)
    sent_frames: list[object] = []
    open_socket(page).on("framesent", lambda frame: sent_frames.append(frame))
    # Drag e2. While the button is down, no message goes to the server.
    before = values(page)
    carry(page, handle(page, "e2"), units(page, 0.83, -0.61))
    during_drag = values(page)
    assert during_drag["true"] != before["true"]
    assert during_drag["coordinates"] == before["coordinates"]
    assert not sent_frames
    with rerun(page):
        page.mouse.up()
    assert address_has(page, "len2") == pytest.approx(np.hypot(0.83, 1.39), abs=0.03)
    assert values(page) == during_drag
    slider = page.get_by_role("slider", name="Length of e₂")
    expect(slider).to_have_attribute("aria-valuetext", f"{float(state(page)['len2']):.3f}")

    # Drag a point in each picture. The server's answer does not move it.
    for name, panel, by in (("a", "yours", (-0.5, 1.1)), ("b", "standard", (-1.7, 0.35))):
        carry(page, handle(page, name, panel), units(page, *by, panel))
        with rerun(page):
            page.mouse.up()
        page.wait_for_timeout(400)  # the frame may still be resized
        page.evaluate(NEXT_FRAMES)
        assert_numbers_are_the_librarys(page)
    assert address_has(page, "b_x") == pytest.approx(0.3, abs=0.03)
    assert address_has(page, "b_y") == pytest.approx(-1.65, abs=0.03)

    # Three key presses send one message.
    handle(page, "e1").focus()
    with rerun(page):
        for key in ("ArrowUp", "ArrowUp", "Shift+ArrowRight"):
            page.keyboard.press(key)
    assert handle(page, "e1").get_attribute("aria-valuetext") == "length 1.03, direction 11.2°"
    assert handle(page, "e1").evaluate("one => one === document.activeElement")
    page.wait_for_function("location.search.includes('turn=11.201')")
    assert_numbers_are_the_librarys(page)
    expect(page.locator(".plane [role=status]")).to_contain_text(
        "Cosine in your basis: cos(a, b) = "
    )

    # Escape undoes a drag.
    before = column(page, "true")
    carry(page, handle(page, "shift"), units(page, 1, 1))
    assert column(page, "true") != before
    page.keyboard.press("Escape")
    page.mouse.up()
    page.evaluate(NEXT_FRAMES)
    assert column(page, "true") == before

    with rerun(page):
        page.locator("[data-does=whiten]").click()
    assert len(column(page, "whitened")) == 3
    expect(page.get_by_text("Your basis, whitened")).to_be_visible()
    page.wait_for_function("location.search.includes('whiten=cloud')")
    expect(handle(page, "e1")).to_be_hidden()
    assert grave_findings(page, ".plane") == []


@pytest.mark.long
def test_a_narrow_screen_stacks_the_pictures_and_a_finger_drags(server, new_page):
    """The browser's language and a dark colour scheme apply."""
    page = new_page(
        viewport={"width": 420, "height": 900}, color_scheme="dark", has_touch=True, locale="zh-TW"
    )
    open_plane(page, server.page_url(PAGE))
    assert pictures(page).first.bounding_box()["y"] < 500  # below the question too
    with rerun(page):
        page.get_by_role("button", name="略過").click()
    expect(pictures(page)).to_have_count(2)
    first, second = (picture.bounding_box() for picture in pictures(page).all())
    assert second["y"] > first["y"] + first["height"]
    # A telephone's screen shows the table of cosines together with either whole picture.
    table = page.locator(".plane table").bounding_box()
    for box in (first, second):
        top = min(table["y"], box["y"])
        assert max(each["y"] + each["height"] - top for each in (table, box)) < 560
    grip = handle(page, "e2")
    grip.evaluate("one => one.ownerSVGElement.scrollIntoView({ block: 'center' })")
    start = middle(grip) + 5
    scrolled = page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")
    with rerun(page):
        move_fingers(page, [start, start + units(page, 0.3, -0.4), start + units(page, 1.0, -1.4)])
    assert address_has(page, "angle") == pytest.approx(30.96, abs=1)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == scrolled
