"""What holds on every page: accessibility in light and dark, the document, the sidebar."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.common.page_list import PAGES
from tests.browser.accessibility import grave_findings
from tests.browser.screen import wait_for_app
from tests.browser.server import AppServer

USES = {
    "cosine_basis": "This page uses no corpus.",
    "sentence_similarity": "This page uses the corpus only to fit treatments.",
    "your_corpus": "This page shows only your own texts.",
}
QUERIES = {
    "cosine_basis": "len2=2",
    "layers": "corpus=topics-zh",  # the smaller one: a visit measures every layer
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_says_what_it_uses_the_corpus_for(
    look: Callable[[str], Page], server: AppServer, name: str
):
    page = look(server.page_url(name, query=QUERIES.get(name, "")))
    assert page.evaluate("document.documentElement.lang") == "en"
    expect(page.locator(".st-key-document")).to_be_attached()
    expect(
        page.get_by_text(USES.get(name, "This page shows the corpus."), exact=True)
    ).to_be_visible()
    corpus = page.locator(".st-key-corpus input")
    assert corpus.evaluate("box => box.scrollWidth <= box.clientWidth")  # the label is not cut
    assert grave_findings(page, "body") == []
    # a reload: the server draws the pictures in the colours of the scheme, and all else is the same
    page.emulate_media(color_scheme="dark")
    page.reload()
    wait_for_app(page)
    page.wait_for_timeout(400)  # Streamlit fades elements in
    assert grave_findings(page, "body", ["color-contrast"]) == []
