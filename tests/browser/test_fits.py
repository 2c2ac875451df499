"""Every page in every language, theme, mode and size: nothing overflows, is cut or collides."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from geometry.data.catalogues import languages
from pages.common.page_list import PAGES
from tests.browser.accessibility import grave_findings
from tests.browser.screen import NEXT_FRAMES, open_app
from tests.browser.server import AppServer

# a laptop, a projector, a laptop at 150%, a telephone
SIZES = ((1400, 900), (1024, 768), (933, 600), (420, 900))
FINDINGS = Path(__file__).with_name("fits.js").read_text(encoding="utf-8")
DRAWN = """() => [...document.querySelectorAll(".twin, .chart, .plane:not(.hull)")]
  .every(part => part.dataset.drawn || !part.checkVisibility())"""
PICTURES = ".twin-stage, .chart[data-drawn], .plane svg"
FORM_FIRST = ("your_corpus",)  # it has no picture before a corpus is given


def findings(page: Page) -> list[str]:
    """What does not fit at any of the sizes."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"innerWidth === {width}")
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(300)  # Plotly redraws after the last change of size
        page.evaluate(NEXT_FRAMES)
        found += [f"{width} × {height}: {each}" for each in page.evaluate(FINDINGS)]
    return found


def first_picture_ends(page: Page) -> float:
    """The bottom of the first picture, in pixels from the top of the screen."""
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_function("innerWidth === 1400")
    page.wait_for_timeout(300)
    box = page.locator(PICTURES).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.slow
@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_in_both_themes_and_modes_at_every_size(
    new_page: Callable[..., Page], server: AppServer, name: str, language: str
):
    page = new_page(viewport={"width": 1400, "height": 900})
    found: dict[tuple[str, ...], list[str]] = {}
    for mode in ("present=0", "present=1"):
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            open_app(page, server.page_url(name, query=f"lang={language}&{mode}"))
            found[mode, theme] = findings(page)
        if name not in FORM_FIRST:
            assert first_picture_ends(page) <= 900
    assert not any(found.values()), found
    assert grave_findings(page, "body") == []  # presented; test_every_page has the plain page
