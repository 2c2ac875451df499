"""Every page in every language, theme, mode and size: nothing overflows, is cut or collides.

As each page opens: folded parts are closed. Words that are drawn on a cloud's canvas are no text
of the document, so they are not looked at here.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page

from geometry.data.translations import languages
from pages.common.page_list import PAGES
from tests.browser.accessibility import grave_findings
from tests.browser.screen import NEXT_FRAMES, open_app
from tests.browser.server import AppServer

# a laptop, a projector, a laptop at 150%, a telephone
SIZES = ((1400, 900), (1024, 768), (933, 600), (420, 900))
FINDINGS = Path(__file__).with_name("fits.js").read_text(encoding="utf-8")
DRAWN = """() => [...document.querySelectorAll(".twin, .chart, .plane:not(.hull)")]
  .every(part => part.dataset.drawn || !part.checkVisibility())"""
PICTURES = ".twin-stage, .chart[data-drawn], .plane svg, .wall"
THEMES = ("light", "dark")
REDRAWN = 3000  # milliseconds
FORM_FIRST = ("your_corpus",)  # it has no picture before a corpus is given


def findings(page: Page) -> list[str]:
    """What does not fit at any of the sizes."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"innerWidth === {width}")
        page.wait_for_function(DRAWN)
        with suppress(Error):  # Plotly redraws some time after the last change of size
            page.wait_for_function(f"() => !({FINDINGS})().length", timeout=REDRAWN, polling=200)
        page.evaluate(NEXT_FRAMES)
        found += [f"{width} × {height}: {each}" for each in page.evaluate(FINDINGS)]
    return found


def assert_first_picture_fits(page: Page, width: int, height: int):
    """The first picture ends on a screen of this size, soon after the size has changed."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(f"innerWidth === {width}")
    picture = page.locator(PICTURES).first.element_handle()
    page.wait_for_function(
        "picture => picture.getBoundingClientRect().bottom <= innerHeight",
        arg=picture,
        timeout=REDRAWN,
    )


@pytest.mark.parametrize(
    ("name", "language", "theme"),
    [  # some pages in one state; `make test-long` has all
        pytest.param(
            name,
            language,
            theme,
            marks=pytest.mark.long if (i + 2 * j + k) % 24 else pytest.mark.slow,
        )
        for i, name in enumerate(PAGES)
        for j, language in enumerate(languages())
        for k, theme in enumerate(THEMES)
    ],
)
def test_a_page_fits_plain_and_presented_at_every_size(
    new_page: Callable[..., Page], server: AppServer, name: str, language: str, theme: str
):
    page = new_page(viewport={"width": 1400, "height": 900}, color_scheme=theme)
    found = {}
    for mode in ("present=0", "present=1"):
        open_app(page, server.page_url(name, query=f"lang={language}&{mode}"))
        found[mode] = findings(page)
        for width, height in SIZES[:1] if mode == "present=0" else SIZES[:2]:
            if name not in FORM_FIRST:
                assert_first_picture_fits(page, width, height)
    assert not any(found.values()), found
    assert grave_findings(page, "body") == []  # presented; test_every_page has the plain page
