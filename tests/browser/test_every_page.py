"""Tests of every page: accessibility, the sidebar, a telephone.

Half of the pages are read in English and in light, half in Chinese and in dark; test_chinese.py has
all pages in both schemes. They also test the security policy: a violation is logged as an error,
which fails the test.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from geometry.data.translations import catalogue
from pages.common.page_list import PAGES
from tests.browser.accessibility import grave_findings
from tests.browser.screen import open_app
from tests.browser.server import AppServer

USES = {
    "contrast": "This page trains on the corpus if you choose it there.",
    "cosine_basis": "This page uses no corpus.",
    "evidence": "This page uses the corpus where it judges the chosen model.",
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
  if (isThere(".picture-frame, .twin-stage, .chart, .plane svg, .wall, .st-key-pasted textarea")) window.framed = true;
  else if (window.framed) window.holes.push(Math.round(performance.now()));
  if (!document.querySelector("[data-drawn], .wall")) requestAnimationFrame(look);
};
look()"""  # noqa: E501
STATES = (("en", "light"), ("zh-Hant", "dark"))
FIRST = ".twin-stage, .chart[data-drawn], .plane svg, .wall, .st-key-pasted"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "language", "scheme"),
    [(name, *STATES[place % 2]) for place, name in enumerate(PAGES)],
)
def test_a_page_is_accessible_fits_a_telephone_and_states_its_use_of_the_corpus(
    new_page: Callable[..., Page], server: AppServer, name: str, language: str, scheme: str
):
    page = new_page(color_scheme=scheme)
    page.add_init_script(HOLES)
    open_app(page, server.page_url(name, query=f"lang={language}&{QUERIES.get(name, '')}"))
    assert page.evaluate("window.framed")
    if name != "your_corpus":  # it begins with a form
        assert page.evaluate("window.holes") == []
    assert page.evaluate("document.documentElement.lang") == language
    expect(page.locator(".st-key-document")).to_be_attached()
    use = catalogue(language).gettext(USES.get(name, "This page shows the corpus."))
    expect(page.get_by_text(use, exact=True)).to_be_visible()
    corpus = page.locator(".st-key-corpus input")
    assert corpus.evaluate("box => box.scrollWidth <= box.clientWidth")  # the label is not cut
    assert grave_findings(page, "body") == []
    page.set_viewport_size({"width": 420, "height": 900})
    if name not in ON_A_TELEPHONE_ELSEWHERE:
        page.wait_for_function(FITS, arg=FIRST)
