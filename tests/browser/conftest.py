"""The running app, the browser, and pages in it."""

import os
import pickle
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from filelock import FileLock
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Download,
    Page,
    expect,
    sync_playwright,
)

from tests import machine
from tests.browser.chromium import CHROMIUM_FLAGS, find_chromium
from tests.browser.screen import record_sockets
from tests.browser.server import AppServer

# Timeout of expectations. On an idle machine a page reacts in less than a second.
expect.set_options(timeout=30_000)
LOCALE = "en-GB"
VIEWPORT: Any = {"width": 1440, "height": 1000}
PAGE_OPTIONS = {"viewport", "color_scheme"}  # settings that can differ within one profile
FORGET = (
    "() => { if (location.protocol !== 'about:') { localStorage.clear(); sessionStorage.clear() } }"
)
# Without a graphics card the processor draws each frame of an animation, 2 s a visit.
# Streamlit's expanders grow by a script, which moves the elements below them. The browser reports
# no click if the button goes down on one element and up on another.
# The landing page turns its pictures once around, unless this tab has seen it.
STILL = """
if (location.protocol !== "about:") sessionStorage.setItem("narrow-cone-turned", "1");
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, options) {
  return animate.call(this, frames, { ...options, duration: 0 });
};
addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent =
    "*, ::before, ::after { animation: none !important; transition: none !important }";
  document.head.append(style);
})"""
# Pages of one process share its compiled scripts: a visit takes half of the processor time.
TEST_FLAGS = (*CHROMIUM_FLAGS, "--renderer-process-limit=1")
# On a deep link Streamlit first requests these files below the page's own path and gets 404.
# Then it requests them at the root.
PROBE = re.compile(r"/\w+/_stcore/(health|host-config)$")
# Nothing answers at that proxy. What the browser may fetch is limited by the policy below.
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9") | {
    "NO_PROXY": "127.0.0.1,localhost"
}
NGINX = Path(__file__).resolve().parents[2] / "deploy" / "proxy.conf"
POLICY = re.search(
    r'add_header (Content-Security-Policy) "(.+)" always;', NGINX.read_text(encoding="utf-8")
)


@pytest.fixture(scope="session")
def server(
    cache_dir: Path, shared_tmp: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AppServer]:
    """One app for all workers, on the session's cache, without a network.

    The worker that comes first starts it, and ends it when the others need it no more.
    """
    known, users = shared_tmp / "app.pickle", shared_tmp / "users-of-the-app"
    users.mkdir(exist_ok=True)
    own = users / str(os.getpid())
    lock = FileLock(shared_tmp / "app.lock")
    with ExitStack() as started:
        with lock:
            if is_first := not known.exists():
                environment = machine.renamed(tmp_path_factory.mktemp("machine")) | OFFLINE
                app = AppServer(cache_dir=cache_dir, environment=environment)
                known.write_bytes(pickle.dumps(started.enter_context(app)))
            own.touch()
        yield pickle.loads(known.read_bytes())
        own.unlink()
        while is_first and known.exists():
            with lock:
                if not any(psutil.pid_exists(int(user.name)) for user in users.iterdir()):
                    known.unlink()
            time.sleep(0.2)


@pytest.fixture
def fresh_server(cache_dir: Path) -> Iterator[Callable[..., AppServer]]:
    """fresh_server(): start an app without visitors; the test's end stops it.

    It takes the keywords of AppServer: cache_dir=tmp_path for an empty cache, environment={...},
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
    """The browser, for pages that need their own context, for example for touch."""
    running = chromium.launch(executable_path=_chromium_path(), args=[*TEST_FLAGS])
    yield running
    running.close()


@pytest.fixture(scope="session")
def profile(
    chromium: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """One context for most pages. Its disk cache stores the compiled scripts."""
    context = chromium.launch_persistent_context(
        tmp_path_factory.mktemp("profile"),
        executable_path=_chromium_path(),
        args=[*TEST_FLAGS],
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
    """Errors that the test's pages threw or logged; clear it where an error is expected."""
    return []


def _prepare(page: Page, errors: list[str]) -> None:
    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(message.location["url"]):
            errors.append(f"console: {message.text} ({message.location['url']})")

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    page.add_init_script(STILL)
    _set_policy(page)
    record_sockets(page)


def _set_policy(page: Page) -> None:
    """Add the security policy of deploy's nginx to documents.

    Chromium logs every violation as an error, which fails the test.
    """
    assert POLICY is not None
    header = {"name": POLICY[1], "value": POLICY[2]}
    devtools = page.context.new_cdp_session(page)

    def answer(paused: dict[str, Any]) -> None:
        devtools.send(
            "Fetch.continueResponse",
            {
                "requestId": paused["requestId"],
                "responseCode": paused["responseStatusCode"],
                "responseHeaders": [*paused["responseHeaders"], header],
            },
        )

    devtools.on("Fetch.requestPaused", answer)
    # A route of Playwright would turn the browser's cache off.
    documents = {"urlPattern": "http*", "resourceType": "Document", "requestStage": "Response"}
    devtools.send("Fetch.enable", {"patterns": [documents]})


@pytest.fixture
def new_page(
    browser: Browser, profile: BrowserContext, page_errors: list[str]
) -> Iterator[Callable[..., Page]]:
    """new_page(locale="zh-TW", color_scheme="dark", ...): open an empty page.

    Pages that differ only in size and colour scheme share a profile; its storage is cleared after
    the test. The test fails if a page had an error, or if a page or a download names the machine.
    """
    opened: list[Page] = []
    taken: list[Download] = []

    def open_page(**options: Any) -> Page:
        if options.keys() <= PAGE_OPTIONS:
            page = profile.new_page()
            page.set_viewport_size(options.get("viewport", VIEWPORT))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
        else:
            options = {"viewport": VIEWPORT, "locale": LOCALE} | options
            page = browser.new_context(**options).new_page()
        _prepare(page, page_errors)
        page.on("download", lambda download: taken.append(download))  # it takes no built-in
        opened.append(page)
        return page

    yield open_page
    named = {page.url: machine.names_in(page.content().encode()) for page in opened}
    for each in taken:
        named[each.suggested_filename] = machine.names_in(machine.content_of(each.path()))
    for page in opened:
        if page.context is profile:
            page.evaluate(FORGET)
            page.close()
        else:
            page.context.close()
    profile.clear_cookies()
    assert not page_errors, page_errors
    assert not any(named.values()), named


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()
