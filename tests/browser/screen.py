"""Checks of a page on screen. Each function waits for a condition, not for a fixed time."""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Locator, Page, WebSocket, expect
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

# Press Cancel in the browser as soon as this progress is shown: the work may end before a click
# by the test arrives.
CANCEL_AT_ONCE = """said => new MutationObserver((_, observer) => {
  const progress = document.querySelector('[data-testid="stProgress"]');
  if (!progress?.textContent.includes(said)) return;
  const buttons = [...document.querySelectorAll("button")];
  const cancel = buttons.find(button => button.textContent.trim() === "Cancel");
  if (cancel) {
    observer.disconnect();
    cancel.click();
  }
}).observe(document, { childList: true, subtree: true, characterData: true })"""


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


def state(page: Page) -> dict[str, str]:
    """The address's query, key to value."""
    query = parse_qs(urlsplit(str(page.evaluate("location.href"))).query)
    return {key: values[-1] for key, values in query.items()}


def open_socket(page: Page) -> WebSocket:
    """The open WebSocket of a page that one of the fixtures made."""
    alive = [socket for socket in _SOCKETS.get(page, []) if not socket.is_closed()]
    assert alive, "the page has no open connection: open the app first, on a page of the fixtures"
    return alive[-1]


def record_sockets(page: Page) -> None:
    sockets = _SOCKETS.setdefault(page, [])
    page.on("websocket", lambda socket: sockets.append(socket))


def forget_sockets(page: Page) -> None:
    _SOCKETS.pop(page, None)


def assert_no_exception(page: Page) -> None:
    """Fail if an exception is on screen, or the message that stands for one."""
    expect(page.locator(".st-key-failure")).to_have_count(0, timeout=1000)
    expect(page.locator('[data-testid="stException"]')).to_have_count(0, timeout=1000)


def canvas_not_blank(canvas: Locator, *, timeout: float = 30, share: float = 0.001) -> bool:
    """Whether at least `share` of the canvas differs from its commonest colour, within the timeout.

    The rest of the page is hidden in the screenshot, so axes and labels do not count.
    """
    canvas.wait_for(state="visible", timeout=timeout * 1000)
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if _drawn_share(canvas.screenshot(style=ONLY_CANVAS)) >= share:
            return True
    return False


def _drawn_share(png: bytes) -> float:
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).reshape(-1, 3)  # (n, 3)
    _, counts = np.unique(pixels, axis=0, return_counts=True)
    return 1 - counts.max() / len(pixels)


def _says_finished(frame: bytes | str) -> bool:
    if isinstance(frame, str):
        return False
    message = ForwardMsg()
    message.ParseFromString(frame)
    finished = message.script_finished
    return message.WhichOneof("type") == "script_finished" and finished in (
        ForwardMsg.FINISHED_SUCCESSFULLY,
        ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
    )


_SOCKETS: dict[Page, list[WebSocket]] = {}
