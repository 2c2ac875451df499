"""Touch, wheel and keys on the twin cloud."""

from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

from tests.browser.clouds import loneliest, of_stage, wait_for_clouds, wait_for_stage
from tests.browser.screen import LONG, NEXT_FRAMES, assert_no_exception, open_app, rerun

MS = 1000 * LONG
CAMERA = "JSON.stringify(stage.camera)"
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
LET_GO = """for (const kind of ["input", "change"])
  film.dispatchEvent(new Event(kind, { bubbles: true }));"""
MARGIN = """(({ left, top }) => [left + 4, top + 60])(
  document.querySelector(".twin-stage").getBoundingClientRect())"""
TO_MIDDLE = "document.querySelector('.twin-stage').scrollIntoView({ block: 'center' })"


def open_twins(page: Page, server: Any, name: str, query: str = "", count: int = 2) -> Locator:
    open_app(page, server.page_url(name, query=query))
    page.wait_for_selector(".twin[data-drawn]", timeout=MS)
    wait_for_clouds(page, count)
    return page.locator(".twin-stage")


def move_fingers(page: Page, hand: CDPSession, *ways: list[tuple[float, float]]) -> None:
    """Move each finger along its path; all paths have one length."""

    def send(kind: str, places: list[tuple[float, float]]) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    steps = list(zip(*ways, strict=True))
    send("touchStart", list(steps[0]))
    for places in steps[1:]:
        send("touchMove", list(places))
        page.evaluate(NEXT_FRAMES)
    send("touchEnd", [])
    page.evaluate(NEXT_FRAMES)


@pytest.mark.long
def test_a_finger_scrolls_each_time_it_swipes_up_and_turns_sideways(server, new_page):
    page = new_page(viewport={"width": 420, "height": 860}, has_touch=True, is_mobile=True)
    open_twins(page, server, "narrow_cone", "dims=3D")
    hand = page.context.new_cdp_session(page)
    page.evaluate(TO_MIDDLE)
    page.evaluate(NEXT_FRAMES)
    camera = of_stage(page, CAMERA)
    for _swipe in range(2):
        before = page.evaluate(SCROLLED)
        move_fingers(page, hand, [(210, 500 - 10 * step) for step in range(16)])
        page.wait_for_function(f"({SCROLLED}) > {before + 80}")
        assert of_stage(page, CAMERA) == camera
        page.evaluate(TO_MIDDLE)
        page.evaluate(NEXT_FRAMES)

    before = page.evaluate(SCROLLED)
    move_fingers(page, hand, [(120 + 10 * step, 430 - 4 * step) for step in range(16)])
    turned = of_stage(page, CAMERA)
    assert turned != camera
    span = of_stage(page, "stage.camera.span")
    apart = [[(210, 430 + sign * (40 + 6 * step)) for step in range(12)] for sign in (-1, 1)]
    move_fingers(page, hand, *apart)
    assert of_stage(page, "stage.camera.span") < 0.8 * span
    assert page.evaluate(SCROLLED) == before
    assert_no_exception(page)


def sliders(page: Page) -> list[float]:
    """Centring and strength under More."""
    return [float(slider.input_value()) for slider in page.locator(".twin-knobs input").all()]


def title(page: Page) -> str:
    return str(of_stage(page, "stage.shown(stage.message.views.at(-1)).title"))


@pytest.mark.long
def test_the_film_stops_at_the_sliders_values_and_the_wheel_zooms_with_ctrl(server, page):
    open_twins(page, server, "narrow_cone", "strength=1")
    film = page.get_by_label("From raw to whitened")
    expect(film).to_have_attribute("aria-valuetext", "Whitened")
    film.focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    assert of_stage(page, "stage.at") == of_stage(page, "stage.message.at") == 8.5
    assert sliders(page) == [1, 0.9375]
    expect(film).to_have_attribute("aria-valuetext", "Between: centring 1, strength 0.938")
    with rerun(page):  # after the release the film moves to the nearest step of the sliders
        film.evaluate(f"film => {{ film.value = 0.54; {LET_GO} }}")
    assert of_stage(page, "stage.at") == of_stage(page, "stage.message.at") == 0.5625
    assert sliders(page) == [0.5625, 0]

    # Off the path the film is at the nearest stop, which is named after its picture.
    with rerun(page):
        page.locator(".twin-more summary").click()
        page.locator(".twin-knobs input").nth(1).press("ArrowRight")
    wait_for_clouds(page)
    assert of_stage(page, "[stage.isAside, stage.message.at]") == [True, None]
    assert float(film.input_value()) == 0.5625
    assert title(page) == film.get_attribute("aria-valuetext") != "Raw"
    expect(film).to_have_class("is-aside")
    film.focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    wait_for_stage(page, "stage.at === 0.625 && !stage.isAside")
    assert sliders(page) == [0.625, 0]

    wait_for_clouds(page)
    page.locator(".twin-stage").hover()
    camera, before = of_stage(page, CAMERA), page.evaluate(SCROLLED)
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
def test_keys_alone_choose_a_point_and_whitening_s_film_stays_where_it_was_left(server, page):
    stage = open_twins(page, server, "whitening", count=4)
    film = page.get_by_label("From raw to whitened")
    film.evaluate(f"film => {{ film.value = 0.5; {LET_GO} }}")
    expect(film).to_have_attribute("aria-valuetext", title(page))
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
    expect(hint).to_contain_text(
        "Arrow keys move the picture. +"
    )  # a cloud in two dimensions can't be turned
    assert stage.get_attribute("aria-description") == hint.text_content()

    camera = of_stage(page, CAMERA)
    page.keyboard.press("n")
    live = page.locator(".twin-live")
    first = of_stage(page, "stage.walked")
    text = page.evaluate("row => [...narrowConeTexts.values()].map(all => all[row])", first)
    expect(live).to_contain_text(text[0])
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
    assert_no_exception(page)


@pytest.mark.slow
def test_the_first_picture_turns_by_itself_until_the_reader_acts(server, new_page):
    page = new_page()
    page.add_init_script(
        "if (location.protocol !== 'about:') sessionStorage.removeItem('narrow-cone-turned')"
    )
    stage = open_twins(page, server, "narrow_cone")
    home = of_stage(page, "stage.message.turns && stage.camera.elevation")
    wait_for_stage(page, "twin.firstTurn.frame !== 0 && stage.frames > 5")
    before = of_stage(page, CAMERA)
    wait_for_stage(page, f"JSON.stringify(stage.camera) !== {before!r}")
    stage.click(position={"x": 5, "y": 60})
    assert of_stage(page, "twin.firstTurn.frame") == 0
    rest = of_stage(page, CAMERA)
    page.evaluate(NEXT_FRAMES)
    assert of_stage(page, CAMERA) == rest
    assert of_stage(page, "stage.camera.elevation") == home  # only around the upright axis

    # with reduced motion it is still from the start
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.wait_for_selector(".twin[data-drawn]", timeout=MS)
    assert of_stage(page, "twin.firstTurn.frame") == 0
    assert_no_exception(page)
