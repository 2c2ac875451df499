"""Every selector of the style sheets and scripts for Streamlit's own markup fits some page.

Streamlit does not publish its markup. If a new version renames a part, the test lists the selector.
"""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.common.page_list import PAGES
from tests.browser.clouds import wait_for_clouds
from tests.browser.screen import LONG, NEXT_FRAMES, open_app, rerun
from tests.browser.test_every_page import QUERIES

# Streamlit's version is pinned: run this after an upgrade.
pytestmark = [pytest.mark.long, pytest.mark.model]

DROPZONE = '[data-testid="stFileUploaderDropzoneInput"]'
# folded tables that have selectors
FOLDED = dict.fromkeys(("narrow_cone", "layers", "whitening"), "all-measures") | {
    "word_frequency": "word-table"
}
ROOT = Path(__file__).resolve().parents[2]
NAMED_PART = re.compile(r'\[data-testid[\^$*]?=\\?"\w+\\?"\]|\.st-key-[a-z-]+')
# The parts of a style sheet's selectors, without those that a pointer or a key changes.
SELECTORS = r"""text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const found = [];
  const split = text => {
    let depth = 0, part = "";
    for (const sign of text + ",") {
      depth += (sign === "(") - (sign === ")");
      if (sign === "," && !depth) { found.push(part.trim()); part = ""; } else part += sign;
    }
  };
  const walk = rules => { for (const rule of rules) {
    if (rule.selectorText) split(rule.selectorText);
    if (rule.cssRules) walk(rule.cssRules);
  } };
  walk(sheet.cssRules);
  return found.map(each => each.replace(/::[a-z-]+|:(hover|active|focus(-visible|-within)?|disabled)\b/g, ""))
    .filter(each => /data-test|\.st[A-Z]|\.st-key/.test(each));
}"""  # noqa: E501
# Looks for all selectors at every frame, because some parts are only there for a moment.
WATCH = """selectors => {
  window.absent = new Set(selectors);
  const look = () => {
    for (const each of window.absent) if (document.querySelector(each)) window.absent.delete(each);
    requestAnimationFrame(look);
  };
  addEventListener("DOMContentLoaded", look);
}"""


def sources(*endings: str) -> list[str]:
    """The texts of the files with these endings."""
    files = (path for folder in ("assets", "pages") for path in (ROOT / folder).rglob("*"))
    return [path.read_text(encoding="utf-8") for path in files if path.suffix in endings]


def test_every_selector_of_streamlit_s_markup_fits_a_page(page: Page, server, tmp_path):
    absent = {each for text in sources(".css") for each in page.evaluate(SELECTORS, text)}
    # Each named part by itself too: within :not() or :is() a lost name changes nothing else.
    for text in sources(".css", ".js", ".py"):
        absent.update(part.replace("\\", "") for part in NAMED_PART.findall(text))
    absent = {each for each in absent if ".st-key-class-" not in each}  # in test_class.py
    assert len(absent) > 100
    page.add_init_script(f"({WATCH})({json.dumps([*absent])})")

    def visit(name: str, *query: str) -> None:
        """Drop what the last visit has shown, and go to a page."""
        page.evaluate(NEXT_FRAMES)
        absent.intersection_update(page.evaluate("[...window.absent]"))
        open_app(page, server.page_url(name, query="&".join(filter(None, query))))

    def unfold(*keys: str) -> None:
        for key in keys:
            with rerun(page):
                page.locator(f".st-key-{key} summary").click()

    open_app(page, server.page_url())
    for name in PAGES:
        visit(name, QUERIES.get(name, ""))
        if name in FOLDED:
            unfold(FOLDED[name])
        visit(name, QUERIES.get(name, ""), "present=1")
    # texts of which the model knows few pieces
    visit("neighbours", "model=bundled&find=明天会下雨吗")
    visit("sentence_similarity", "model=bundled&pairs=pairs-zh")
    unfold("part-published", "part-sbert")
    visit("cosine_basis", "lesson=1&lesson-step=7&len2=2")
    page.locator(".st-key-lesson-guess-1-0, .st-key-lesson-bar").first.wait_for()
    page.locator(".st-key-lesson-menu button").first.click()
    page.locator(".st-key-lesson-edit button").click()
    expect(page.locator('[data-testid="stDialog"]')).to_be_visible()
    visit("narrow_cone", "lesson=1&lesson-step=5")
    visit("cosine_basis")  # its question comes before its second picture
    visit("narrow_cone", "find=the")
    visit("narrow_cone", "point=3&present=1")
    wait_for_clouds(page)
    page.keyboard.press("Space")  # while the film plays, the numbers are of another setting
    expect(page.locator(".twin.is-elsewhere")).to_be_attached()
    visit("your_corpus", "source=upload")
    foreign = tmp_path / "large.txt"
    foreign.write_bytes(b"a line of text\n" * 4_000_000)
    page.locator(DROPZONE).set_input_files(foreign)
    expect(page.locator('[data-testid="stFileChip"]').first).to_be_visible()
    visit("your_corpus")
    with rerun(page):
        page.locator(".st-key-fill-example button").click()
    page.locator(".st-key-use_pasted button").click()
    expect(page.locator(".st-key-cures table").first).to_be_visible(timeout=LONG * 1000)
    page.evaluate(NEXT_FRAMES)
    assert not absent.intersection(page.evaluate("[...window.absent]"))
