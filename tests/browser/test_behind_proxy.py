"""A page behind deploy's nginx. Its security policy is tested on every page in test_every_page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.clouds import wait_for_clouds
from tests.browser.screen import open_app
from tests.browser.server import AppServer
from tests.deploy.proxy import Proxy

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def proxy(server: AppServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One server as both replicas."""
    with Proxy(tmp_path_factory.mktemp("nginx"), [server.port] * 2) as running:
        yield running


def test_a_page_is_drawn_behind_nginx(proxy: Proxy, page: Page):
    with page.expect_response(f"{proxy.url}/narrow_cone") as first:
        open_app(page, f"{proxy.url}/narrow_cone")
    assert "content-security-policy" in first.value.headers
    wait_for_clouds(page)
