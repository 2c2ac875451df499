"""A running app and a browser before it."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import forget_sockets, record_sockets
from tests.browser.server import AppServer

# On a deep link Streamlit asks below the page's own path first, gets 404, and asks at the root.
PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")


@pytest.fixture(scope="session")
def server(cache_dir: Path) -> Iterator[AppServer]:
    """One app for the whole session, on the session's cache."""
    with AppServer(cache_dir=cache_dir) as running:
        yield running


@pytest.fixture
def fresh_server(cache_dir: Path) -> Iterator[Callable[..., AppServer]]:
    """fresh_server(): an app that nobody has visited yet; ended with the test.

    It takes AppServer's keywords: cache_dir=tmp_path for an empty cache, environment={...},
    script=path.
    """
    with ExitStack() as running:

        def start(**options: Any) -> AppServer:
            return running.enter_context(AppServer(**{"cache_dir": cache_dir} | options))

        yield start


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        pytest.fail("No Chromium: run `python tests/browser/chromium.py`, or name one in CHROMIUM.")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=[*CHROMIUM_FLAGS])
        yield running
        running.close()


@pytest.fixture
def page_errors() -> list[str]:
    """What the test's pages threw or logged as errors; clear it where an error is meant."""
    return []


@pytest.fixture
def new_page(browser: Browser, page_errors: list[str]) -> Iterator[Callable[..., Page]]:
    """new_page(locale="zh-TW", color_scheme="dark", ...): a page of its own visitor.

    After the test it holds that no page had an error.
    """

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(message.location["url"]):
            page_errors.append(f"console: {message.text} ({message.location['url']})")

    opened: list[Page] = []

    def open_page(**options: Any) -> Page:
        defaults = {"viewport": {"width": 1440, "height": 1000}, "locale": "en-GB"}
        page = browser.new_context(**defaults | options).new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: page_errors.append(f"uncaught: {error}"))
        record_sockets(page)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        forget_sockets(page)
        page.context.close()
    assert not page_errors, page_errors


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()
