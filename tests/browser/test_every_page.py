"""Tests of every page: accessibility in light and dark, the sidebar, a telephone.

They also test the security policy: a violation is logged as an error, which fails the test.
"""

import pytest
from playwright.sync_api import Page, expect

from pages.common.page_list import PAGES
from tests.browser.accessibility import grave_findings
from tests.browser.screen import choose, open_app, rerun
from tests.browser.server import AppServer

# rules on names, which differ between languages
NAMES = (
    *("aria-input-field-name", "aria-toggle-field-name", "button-name", "heading-order"),
    *("image-alt", "label", "link-name", "svg-img-alt"),
)
USES = {
    "contrast": "This page trains on the corpus if you choose it there.",
    "cosine_basis": "This page uses no corpus.",
    "degeneration": "This page can train on the corpus.",
    "sentence_similarity": "This page uses the corpus only to fit treatments.",
    "your_corpus": "This page shows only your own texts and vectors.",
}
QUERIES = {
    "cosine_basis": "len2=2",
    "layers": "corpus=topics-zh",  # the smaller one: a visit measures every layer
}


# on a telephone the picture begins above 500 px, and nothing is wider than the screen
FITS = """first => {
  const main = document.querySelector('[data-testid="stMain"]');
  const top = Math.min(...[...document.querySelectorAll(first)]
    .map(part => part.getBoundingClientRect()).filter(({ width }) => width).map(({ top }) => top));
  return main.scrollWidth <= main.clientWidth && top < 500;
}"""
ON_A_TELEPHONE_ELSEWHERE = ("layers",)  # tested in test_layers
# Times at which there was no picture, and no longer the frame that was in its place.
HOLES = """window.holes = [];
const look = () => {
  const isThere = selector => [...document.querySelectorAll(selector)]
    .some(part => part.getBoundingClientRect().height > 100);
  if (isThere(".picture-frame, .twin-stage, .chart, .plane svg, .st-key-pasted textarea")) window.framed = true;
  else if (window.framed) window.holes.push(Math.round(performance.now()));
  if (!document.querySelector("[data-drawn]")) requestAnimationFrame(look);
};
look()"""  # noqa: E501
FIRST = ".twin-stage, .chart[data-drawn], .plane svg, .st-key-pasted"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_fits_a_telephone_and_states_its_use_of_the_corpus(
    page: Page, server: AppServer, name: str
):
    page.add_init_script(HOLES)
    open_app(page, server.page_url(name, query=QUERIES.get(name, "")))
    assert page.evaluate("window.framed")
    if name != "your_corpus":  # it begins with a form
        assert page.evaluate("window.holes") == []
    assert page.evaluate("document.documentElement.lang") == "en"
    expect(page.locator(".st-key-document")).to_be_attached()
    expect(
        page.get_by_text(USES.get(name, "This page shows the corpus."), exact=True)
    ).to_be_visible()
    corpus = page.locator(".st-key-corpus input")
    assert corpus.evaluate("box => box.scrollWidth <= box.clientWidth")  # the label is not cut
    assert grave_findings(page, "body") == []
    # The dark scheme has other colours, and the other language has other names.
    page.emulate_media(color_scheme="dark")
    with rerun(page):
        choose(page, "lang", "繁體中文")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    assert grave_findings(page, "body", ["color-contrast", *NAMES]) == []
    page.set_viewport_size({"width": 420, "height": 900})
    if name not in ON_A_TELEPHONE_ELSEWHERE:
        page.wait_for_function(FITS, arg=FIRST)
