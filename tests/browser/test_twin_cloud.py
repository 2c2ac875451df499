"""The twin cloud in a browser: mouse, finger, keys, film, downloads."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from geometry.data.corpus import read_bundled
from tests.browser.clouds import (
    is_drawn,
    lasso,
    loneliest,
    of_stage,
    pixels,
    wait_for_clouds,
    wait_for_stage,
)
from tests.browser.screen import (
    NEXT_FRAMES,
    assert_no_exception,
    move_fingers,
    open_app,
    rerun,
    state,
    wait_for_app,
)

PLACES = (0, 1)
FILM = "From raw to whitened"
CAMERA = "JSON.stringify(stage.camera)"
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
LET_GO = """for (const kind of ["input", "change"])
  film.dispatchEvent(new Event(kind, { bubbles: true }));"""
MARGIN = """(({ left, top }) => [left + 4, top + 60])(
  document.querySelector(".twin-stage").getBoundingClientRect())"""
TO_MIDDLE = "document.querySelector('.twin-stage').scrollIntoView({ block: 'center' })"


def open_twins(page: Page, server: Any, name: str, query: str = "", count: int = 2) -> Locator:
    open_app(page, server.page_url(name, query=query))
    wait_for_clouds(page, count)
    return page.locator(".twin-stage")


def both(page: Page) -> list[np.ndarray]:
    return [pixels(page, place) for place in PLACES]


def changed(before: list[np.ndarray], after: list[np.ndarray]) -> list[float]:
    """The share of each picture's pixels that have changed."""
    return [float((old != new).any(axis=2).mean()) for old, new in zip(before, after, strict=True)]


def press_more(page: Page, action: str) -> None:
    """Press a button under More."""
    more = page.locator(".twin-more")
    if more.get_attribute("open") is None:
        more.locator("summary").click()
    more.locator(f'[data-do="{action}"]').click()


def to_the_start(page: Page) -> None:
    """Set the film's slider to the raw cloud and wait for the server's numbers."""
    page.get_by_label(FILM).focus()
    with rerun(page):
        page.keyboard.press("Home")
    assert of_stage(page, "twin.at") == 0


@pytest.mark.slow
def test_one_visit_turns_plays_hovers_lassoes_and_uses_the_keyboard(server, page):
    stage = open_twins(page, server, "narrow_cone", "dims=3D&strength=1")
    corpus = read_bundled("topics")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    middle = (box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)  # of the raw picture
    home = both(page)

    # Turning one picture turns both.
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 120, middle[1] + 30, steps=3)
    page.mouse.up()
    page.wait_for_function("location.search.includes('camera=')")
    assert all(0.002 < share < 0.9 for share in changed(home, both(page)))
    stage.focus()  # elements hidden for a screenshot of the canvas lose the focus
    for key in ("ArrowLeft", "+", "Shift+ArrowUp"):
        before = of_stage(page, CAMERA)
        page.keyboard.press(key)
        assert of_stage(page, CAMERA) != before
    page.mouse.dblclick(box["x"] + 12, box["y"] + box["height"] - 60)
    assert max(changed(home, both(page))) < 0.001  # as before, except for rings
    page.wait_for_function("!location.search.includes('camera=')")

    # The film plays from the raw cloud to the whitened one.
    to_the_start(page)
    start = both(page)
    with rerun(page):
        page.get_by_role("button", name="Play", exact=True).click()
        wait_for_stage(page, "twin.at === 9")
    still, moved = changed(start, both(page))
    assert still < 0.001 < 0.01 < moved

    # The tooltip of a point that lies alone.
    row, x, y = loneliest(page, 1)
    page.mouse.move(x, y)
    expect(page.locator(".twin-tip")).to_contain_text(corpus.texts[row])

    # A lasso in one picture selects the same points in both; the server receives their rows.
    before = both(page)
    with rerun(page):
        chosen = lasso(page, 1, 0.24, 0.25, 0.64, 0.65)
    assert 10 < len(chosen) < 1200
    summary = page.locator(".st-key-inspector .st-key-selected-points summary")
    expect(summary).to_contain_text(f"Points selected: {len(chosen)}")
    assert all(share > 0.002 for share in changed(before, both(page)))

    # Tab moves through the selected points and reads them out; Escape ends the selection.
    stage.focus()
    page.keyboard.press("Tab")
    live = page.locator(".twin-live")
    expect(live).to_contain_text(corpus.texts[chosen[0]])
    page.keyboard.press("Tab")
    expect(live).to_contain_text(f"2 / {len(chosen)}")
    with rerun(page):
        page.keyboard.press("Enter")
    assert state(page)["point"] == str(chosen[1])
    with rerun(page):
        page.keyboard.press("Escape")
    expect(page.locator(".st-key-selected-points")).to_have_count(0)

    # A category turned off in the legend is in neither picture. A slider moves the film.
    before = both(page)
    page.locator(".twin-legend button").first.click()
    assert all(share > 0.0005 for share in changed(before, both(page)))
    camera = of_stage(page, CAMERA)
    page.locator(".twin-more summary").click()
    page.locator(".twin-knobs input").nth(1).focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    assert of_stage(page, "twin.at") == 8.5
    assert of_stage(page, CAMERA) == camera

    # The downloaded picture is twice the size and contains more than the clouds.
    with page.expect_download() as download:
        press_more(page, "save")
    saved = Image.open(download.value.path())
    assert saved.width == 2 * round(box["width"])
    assert saved.height > 2 * box["height"] + 100
    # In the SVG the points are an image, and every label is text.
    with page.expect_download() as download:
        press_more(page, "saveVectors")
    drawn = ElementTree.parse(download.value.path()).getroot()
    assert drawn.get("width") == f"{round(box['width'])}"
    (points,) = drawn.iter("{http://www.w3.org/2000/svg}image")
    assert points.get("href").startswith("data:image/png;base64,")
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert set(corpus.labels) & set(words)

    # The graphics context is lost and restored.
    of_stage(page, "void (window.lost = stage.gl.getExtension('WEBGL_lose_context'))")
    page.evaluate("window.lost.loseContext()")
    expect(page.locator(".twin-notice")).to_be_visible()
    page.evaluate("window.lost.restoreContext()")
    expect(page.locator(".twin-notice")).to_be_hidden()
    assert is_drawn(page, 1)

    # Another page frees the memory.
    page.locator('[data-testid="stSidebar"] a[href*="cosine_basis"]').click()
    page.wait_for_url("**/cosine_basis*")
    wait_for_app(page)
    assert page.evaluate("window.narrowConeArrays.size + window.narrowConeTexts.size") == 0
    assert_no_exception(page)


@pytest.mark.slow
def test_keys_alone_choose_a_point_and_whitening_s_film_stays_where_it_was_left(server, page):
    stage = open_twins(page, server, "whitening", count=4)
    film = page.get_by_label(FILM)
    film.evaluate(f"film => {{ film.value = 0.5; {LET_GO} }}")
    title = of_stage(page, "stage.shown(stage.message.views.at(-1)).title")
    expect(film).to_have_attribute("aria-valuetext", title)
    _row, x, y = loneliest(page, 1)
    with rerun(page):
        page.mouse.click(x, y)
    wait_for_stage(page, "stage.message.marks.length > 0 && !twin.player.isPlaying")
    assert of_stage(page, "stage.at") == 0.5

    hint = page.locator(".twin-keys")
    page.mouse.click(*of_stage(page, MARGIN))
    expect(hint).to_be_hidden()
    page.locator(".twin-more summary").focus()
    page.keyboard.press("Tab")
    expect(stage).to_be_focused()
    expect(hint).to_contain_text("Arrow keys move the picture. +")  # in two dimensions: no turn
    assert stage.get_attribute("aria-description") == hint.text_content()

    camera = of_stage(page, CAMERA)
    page.keyboard.press("n")
    first = of_stage(page, "stage.walked")
    text = page.evaluate("row => [...narrowConeTexts.values()].map(all => all[row])", first)
    expect(page.locator(".twin-live")).to_contain_text(text[0])
    page.keyboard.press("n")
    second = of_stage(page, "stage.walked")
    page.keyboard.press("p")
    assert of_stage(page, "stage.walked") == first != second
    with rerun(page):
        page.keyboard.press("Enter")
    wait_for_stage(page, f"stage.message.marks.some(mark => mark.rows.includes({first}))")
    assert of_stage(page, CAMERA) == camera
    stage.focus()
    page.keyboard.press("Tab")
    expect(stage).not_to_be_focused()  # Tab leaves the cloud

    # the wheel scrolls; with Ctrl it zooms
    stage.hover()
    before = page.evaluate(SCROLLED)
    page.mouse.wheel(0, 60)
    page.wait_for_function(f"({SCROLLED}) > {before}")
    assert of_stage(page, CAMERA) == camera
    after = page.evaluate(SCROLLED)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -60)
    page.keyboard.up("Control")
    page.evaluate(NEXT_FRAMES)
    assert of_stage(page, CAMERA) != camera
    assert page.evaluate(SCROLLED) == after
    assert_no_exception(page)


@pytest.mark.slow
def test_a_link_shows_the_same_part_of_a_flat_picture(server, page):
    stage = open_twins(page, server, "narrow_cone", "dims=2D")
    home = of_stage(page, CAMERA)
    stage.focus()
    for key in ("+", "+", "+", "Shift+ArrowUp", "ArrowLeft"):
        page.keyboard.press(key)
    page.wait_for_function("location.search.includes('camera=')")
    moved = of_stage(page, "[stage.camera.span, ...stage.camera.target]")
    link = page.url
    page.reload()
    wait_for_clouds(page)
    assert of_stage(page, CAMERA) != home
    again = of_stage(page, "[stage.camera.span, ...stage.camera.target]")
    assert again == pytest.approx(moved, abs=0.01)
    assert page.url == link


@pytest.mark.slow
def test_the_first_picture_turns_by_itself_until_the_reader_acts(server, new_page):
    page = new_page()
    page.add_init_script(
        "if (location.protocol !== 'about:') sessionStorage.removeItem('narrow-cone-turned')"
    )
    open_app(page, server.page_url("narrow_cone"))
    page.wait_for_selector(".twin[data-drawn]")
    home = of_stage(page, "stage.message.turns && stage.camera.elevation")
    wait_for_stage(page, "twin.firstTurn.frame !== 0 && stage.frames > 5")
    before = of_stage(page, CAMERA)
    wait_for_stage(page, f"JSON.stringify(stage.camera) !== {before!r}")
    page.locator(".twin-stage").click(position={"x": 5, "y": 60})
    assert of_stage(page, "twin.firstTurn.frame") == 0
    rest = of_stage(page, CAMERA)
    page.evaluate(NEXT_FRAMES)
    assert of_stage(page, CAMERA) == rest
    assert of_stage(page, "stage.camera.elevation") == home  # only around the upright axis

    # with reduced motion it is still from the start
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.wait_for_selector(".twin[data-drawn]")
    assert of_stage(page, "twin.firstTurn.frame") == 0
    assert_no_exception(page)


@pytest.mark.long
def test_a_finger_scrolls_each_time_it_swipes_up_and_turns_sideways(server, new_page):
    page = new_page(viewport={"width": 420, "height": 860}, has_touch=True, is_mobile=True)
    open_twins(page, server, "narrow_cone", "dims=3D")
    page.evaluate(TO_MIDDLE)
    page.evaluate(NEXT_FRAMES)
    camera = of_stage(page, CAMERA)
    for _swipe in range(2):
        before = page.evaluate(SCROLLED)
        move_fingers(page, [(210, 500 - 10 * step) for step in range(16)])
        page.wait_for_function(f"({SCROLLED}) > {before + 80}")
        assert of_stage(page, CAMERA) == camera
        page.evaluate(TO_MIDDLE)
        page.evaluate(NEXT_FRAMES)

    before = page.evaluate(SCROLLED)
    move_fingers(page, [(120 + 10 * step, 430 - 4 * step) for step in range(16)])
    assert of_stage(page, CAMERA) != camera
    span = of_stage(page, "stage.camera.span")
    apart = [[(210, 430 + sign * (40 + 6 * step)) for step in range(12)] for sign in (-1, 1)]
    move_fingers(page, *apart)
    assert of_stage(page, "stage.camera.span") < 0.8 * span
    assert page.evaluate(SCROLLED) == before
    assert_no_exception(page)
