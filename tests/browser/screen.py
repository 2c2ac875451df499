"""Checks of a page on screen. Each function waits for a condition, not for a fixed time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LONG = 120.0  # seconds; a visit may encode a corpus

AT_REST = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null
    && app.dataset.testScriptState === "notRunning"
    && app.dataset.testConnectionState === "CONNECTED"
    && document.querySelector(
      '[data-testid="stStatusWidget"], [data-testid="stAppSkeleton"], [data-testid="stSkeleton"]'
    ) === null;
}"""
NEXT_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
ONLY_CANVAS = "* { visibility: hidden !important } canvas { visibility: visible !important }"


def open_app(page: Page, url: str, *, timeout: float = LONG) -> None:
    """Go to the address, wait until the app is at rest, and fail if an exception shows."""
    page.goto(url)
    wait_for_app(page, timeout=timeout)
    assert_no_exception(page)


def wait_for_app(page: Page, *, timeout: float = LONG) -> None:
    """Wait until Streamlit is connected, has finished its run and shows no placeholder.

    After an action use `rerun` instead: the app is at rest until the action reaches the server.
    """
    page.wait_for_function(AT_REST, timeout=timeout * 1000)


@contextmanager
def rerun(page: Page, *, timeout: float = LONG) -> Iterator[None]:
    """Wait until the script run that the block causes ends: with rerun(page): button.click()."""
    # Wait for the server's message that a run ended. The page's own state can be "running" too
    # briefly to be observed.
    with open_socket(page).expect_event(
        "framereceived", predicate=_says_finished, timeout=timeout * 1000
    ):
        yield
    page.evaluate(NEXT_FRAMES)
    wait_for_app(page, timeout=timeout)


def press(page: Page, key: str, option: str) -> None:
    """Press one of the options of a segmented control."""
    page.locator(f".st-key-{key}").get_by_text(option, exact=True).click()


def choose(page: Page, key: str, option: str) -> None:
    """Choose from a list; open it again if scrolling has closed it."""
    field = page.locator(f".st-key-{key} input")
    wanted = page.get_by_role("option", name=option)
    field.scroll_into_view_if_needed()
    page.evaluate(NEXT_FRAMES)
    for _ in range(5):
        field.press("ArrowDown")
        try:
            wanted.click(timeout=3000)
        except PlaywrightError:
            continue
        return
    pytest.fail(f"the list {key} never showed {option!r}")


def drag_around(
    page: Page, box: Mapping[str, float], left: float, top: float, right: float, bottom: float
) -> None:
    """Drag the mouse around a rectangle, its sides as shares of the box."""
    xs = [box["x"] + box["width"] * share for share in (left, right)]
    ys = [box["y"] + box["height"] * share for share in (top, bottom)]
    page.mouse.move(xs[0], ys[0])
    page.mouse.down()
    for x, y in ((xs[1], ys[0]), (xs[1], ys[1]), (xs[0], ys[1]), (xs[0], ys[0] + 2)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()


def move_fingers(page: Page, *ways: Sequence[tuple[float, float]]) -> None:
    """Move each finger along its path; all paths have one length."""
    hand = page.context.new_cdp_session(page)
    steps = [*zip(*ways, strict=True)]
    touches = [("touchStart", steps[0]), *(("touchMove", step) for step in steps[1:])]
    for kind, places in [*touches, ("touchEnd", ())]:
        points = [
            {"x": float(x), "y": float(y), "id": finger} for finger, (x, y) in enumerate(places)
        ]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.evaluate(NEXT_FRAMES)


def state(page: Page) -> dict[str, str]:
    """The address's query, key to value."""
    query = parse_qs(urlsplit(str(page.evaluate("location.href"))).query)
    return {key: values[-1] for key, values in query.items()}


def open_socket(page: Page) -> WebSocket:
    """The open WebSocket of a page of the fixture new_page."""
    return [socket for socket in _SOCKETS[page] if not socket.is_closed()][-1]


def record_sockets(page: Page) -> None:
    _SOCKETS[page] = []
    page.on("websocket", lambda socket: _SOCKETS[page].append(socket))


def assert_no_exception(page: Page) -> None:
    """Fail if an exception is on screen, or the message that stands for one."""
    expect(page.locator(".st-key-failure")).to_have_count(0, timeout=1000)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0, timeout=1000)


def _says_finished(frame: bytes | str) -> bool:
    if isinstance(frame, str):
        return False
    message = ForwardMsg.FromString(frame)
    return message.WhichOneof("type") == "script_finished" and message.script_finished in (
        ForwardMsg.FINISHED_SUCCESSFULLY,
        ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    )


_SOCKETS: dict[Page, list[WebSocket]] = {}
