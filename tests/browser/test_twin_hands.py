"""What fingers, the wheel and keys do to the twin cloud, and where they leave page and film."""

from typing import Any

import pytest
from playwright.sync_api import CDPSession, Locator, Page

from tests.browser.clouds import loneliest, of_stage, wait_for_clouds
from tests.browser.screen import LONG, NEXT_FRAMES, assert_no_exception, open_app, rerun

MS = 1000 * LONG
CAMERA = "JSON.stringify(stage.camera)"
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
TO_MIDDLE = "document.querySelector('.twin-stage').scrollIntoView({ block: 'center' })"

pytestmark = pytest.mark.usefixtures("fresh_server", "new_page")  # a server outlives its pages


def open_twins(page: Page, server: Any, name: str, query: str = "", count: int = 2) -> Locator:
    open_app(page, server.page_url(name, query=query))
    page.wait_for_selector(".twin[data-drawn]", timeout=MS)
    wait_for_clouds(page, count)
    return page.locator(".twin-stage")


def move_fingers(page: Page, hand: CDPSession, *ways: list[tuple[float, float]]) -> None:
    """Each finger along its way, all ways of one length."""

    def tell(kind: str, places: list[tuple[float, float]]) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    steps = list(zip(*ways, strict=True))
    tell("touchStart", list(steps[0]))
    for places in steps[1:]:
        tell("touchMove", list(places))
        page.evaluate(NEXT_FRAMES)
    tell("touchEnd", [])
    page.evaluate(NEXT_FRAMES)


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
        page.wait_for_function(f"({SCROLLED}) > {before + 80}", timeout=5000)
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


def test_the_wheel_zooms_with_ctrl_alone_also_after_a_click(server, page):
    open_twins(page, server, "narrow_cone")
    _row, x, y = loneliest(page, 1)
    with rerun(page):
        page.mouse.click(x, y)
    camera, before = of_stage(page, CAMERA), page.evaluate(SCROLLED)
    page.mouse.wheel(0, 60)
    page.wait_for_function(f"({SCROLLED}) > {before}", timeout=5000)
    assert of_stage(page, CAMERA) == camera
    after = page.evaluate(SCROLLED)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -60)
    page.keyboard.up("Control")
    page.evaluate(NEXT_FRAMES)
    assert of_stage(page, CAMERA) != camera
    assert page.evaluate(SCROLLED) == after
    assert_no_exception(page)
