"""Every page behind deploy's nginx: Chromium reports no violation of the security policy."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from pages.common.page_list import PAGES
from tests.browser.screen import open_app
from tests.browser.server import AppServer
from tests.deploy.proxy import Proxy

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def proxy(server: AppServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One server as both replicas."""
    with Proxy(tmp_path_factory.mktemp("nginx"), [server.port] * 2) as running:
        yield running


# The page's fixture fails if an error is logged, and Chromium logs every violation as one.
@pytest.mark.parametrize("name", PAGES)
def test_a_page_obeys_the_policy(proxy: Proxy, page: Page, name: str):
    with page.expect_response(f"{proxy.url}/{name}") as first:
        open_app(page, f"{proxy.url}/{name}")
    assert "content-security-policy" in first.value.headers
