"""Every statement of the sources is on its page in a browser, in every language."""

from time import perf_counter

import pytest
from playwright.sync_api import Page, expect

from geometry.data.catalogues import languages
from tests.browser.screen import assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer
from tests.pages.test_sources import BUNDLED, PAGES, ROWS, words_of

SECONDS = 15  # until a statement is there
MINUTE = 60.0  # from the address to the last statement of its page


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize(
    ("page_name", "code"),
    [(name, code) for name in PAGES for code in languages()],
)
def test_every_statement_of_the_sources_is_there(
    page: Page, server: AppServer, page_name: str, code: str
):
    rows = [row for row in ROWS if row.page == page_name]
    missing = []
    for query in dict.fromkeys(row.query for row in rows):
        asked = f"lang={code}&{BUNDLED}&{query}"
        start = perf_counter()
        open_app(page, server.page_url(page_name, query=asked))
        for row in rows:
            if row.query != query:
                continue
            if row.part:
                part = page.locator(f".st-key-{row.part} details").first
                if part.get_attribute("open") is None:
                    part.locator("summary").first.click()
                    wait_for_app(page)
            place = page.locator(f".st-key-{row.part}" if row.part else '[data-testid="stMain"]')
            try:
                expect(place.first).to_contain_text(words_of(row, code), timeout=SECONDS * 1000)
            except AssertionError:
                missing.append(row.statement)
        assert_no_exception(page)
        assert perf_counter() - start < MINUTE
    assert missing == []
