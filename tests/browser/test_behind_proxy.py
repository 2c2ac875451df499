"""Every page behind deploy's nginx: the browser reports no violation of the content security policy."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.common.page_list import PAGES
from tests.browser.screen import canvas_not_blank, open_app, rerun
from tests.browser.server import AppServer
from tests.deploy.proxy import DEPLOY, Proxy

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def proxy(server: AppServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One server as both replicas."""
    with Proxy(tmp_path_factory.mktemp("nginx"), [server.port] * 2) as running:
        yield running


# The fixture fails if a page logs an error; Chromium logs every violation as one.
@pytest.mark.parametrize("name", PAGES)
def test_a_page_obeys_the_policy(proxy: Proxy, new_page: Callable[..., Page], name: str):
    page = new_page()
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    open_app(page, f"{proxy.url}/{name}")
    assert "Content-Security-Policy".lower() in answers[0].headers
    for summary in page.locator('[data-testid="stExpander"] summary').all():
        with rerun(page):
            summary.click()
