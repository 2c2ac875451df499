"""A running app and a browser before it."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Page,
    sync_playwright,
)

from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import forget_sockets, record_sockets
from tests.browser.server import AppServer

LOCALE = "en-GB"
VIEWPORT: Any = {"width": 1440, "height": 1000}
OF_A_PAGE = {"viewport", "color_scheme"}  # what one page of a profile can have for itself
FORGET = (
    "() => { if (location.protocol !== 'about:') { localStorage.clear(); sessionStorage.clear() } }"
)
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
def chromium() -> Iterator[BrowserType]:
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: BrowserType) -> Iterator[Browser]:
    """For visitors of their own kind: another language, a finger instead of a mouse."""
    running = chromium.launch(executable_path=_chromium_path(), args=[*CHROMIUM_FLAGS])
    yield running
    running.close()


@pytest.fixture(scope="session")
def profile(
    chromium: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """One visitor's browser that comes again and again: scripts are compiled once for all."""
    context = chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=_chromium_path(),
        args=[*CHROMIUM_FLAGS],
        locale=LOCALE,
    )
    yield context
    context.close()


def _chromium_path() -> str:
    path = find_chromium()
    if path is None:
        pytest.fail("No Chromium: run `python tests/browser/chromium.py`, or name one in CHROMIUM.")
    return str(path)


@pytest.fixture
def page_errors() -> list[str]:
    """What the test's pages threw or logged as errors; clear it where an error is meant."""
    return []


@pytest.fixture
def new_page(
    browser: Browser, profile: BrowserContext, page_errors: list[str]
) -> Iterator[Callable[..., Page]]:
    """new_page(locale="zh-TW", color_scheme="dark", ...): a page of its own visitor.

    Those that differ in size and colours alone share a profile, and leave nothing in it. After
    the test it holds that no page had an error.
    """

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(message.location["url"]):
            page_errors.append(f"console: {message.text} ({message.location['url']})")

    opened: list[Page] = []

    def open_page(**options: Any) -> Page:
        if options.keys() <= OF_A_PAGE:
            page = profile.new_page()
            page.set_viewport_size(options.get("viewport", VIEWPORT))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
        else:
            page = browser.new_context(
                **{"viewport": VIEWPORT, "locale": LOCALE} | options
            ).new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: page_errors.append(f"uncaught: {error}"))
        record_sockets(page)
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        forget_sockets(page)
        if page.context is profile:
            page.evaluate(FORGET)
            page.close()
        else:
            page.context.close()
    profile.clear_cookies()
    assert not page_errors, page_errors


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()
