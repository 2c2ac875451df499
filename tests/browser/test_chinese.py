"""A class that reads Chinese: every page on Chinese texts, offline, in both scripts."""

import re
from functools import cache

import pytest
from playwright.sync_api import Page

from geometry.data.translations import catalogue
from pages.common.page_list import PAGES
from pages.common.words import table_of
from tests.browser.accessibility import grave_findings
from tests.browser.screen import assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer
from tests.test_words import HAN, NAMED, msgids

# rules on colours, which differ between schemes, and on names, which differ between languages
RULES = (
    *("color-contrast", "aria-input-field-name", "aria-toggle-field-name", "button-name"),
    *("heading-order", "image-alt", "label", "link-name", "svg-img-alt"),
)
CHINESE_TEXTS = "model=bundled-e5&corpus=topics-zh&pairs=pairs-zh"
# What a reader sees or hears: lines of text, and the names of controls and pictures.
WORDS = """() => {
  const found = new Set(document.body.innerText.split("\\n"));
  for (const part of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      found.add(part.getAttribute(name) ?? "");
  for (const text of document.querySelectorAll("svg text")) found.add(text.textContent);
  found.add(document.title);
  // an icon is a word of the font of icons
  for (const icon of document.querySelectorAll('[translate="no"]')) found.delete(icon.textContent);
  return [...found].map(text => text.trim()).filter(text => text);
}"""


OWN_NAMES = """() => !document.querySelector('[aria-label="Sidebar"], [aria-label^="Help for"]')"""


@cache
def english_labels() -> re.Pattern[str]:
    """Whole labels of the code, with anything in their fields, if Chinese has another text."""
    chinese = {label: catalogue("zh-Hant").gettext(label) for label in msgids()}
    for table in {*NAMED} - {"columns"}:
        english = table_of("names", table, "en")
        named = table_of("names", table, "zh-Hant").items()
        chinese |= {english.get(code, code): name for code, name in named}
    patterns = []
    for label, translation in chinese.items():
        words = re.sub(r"\{.*?\}", "", label)
        if translation != label and len(re.findall("[A-Za-z]", words)) > 3:
            parts = re.split(r"\{.*?\}", label.replace("{{", "{").replace("}}", "}"))
            patterns.append(".+".join(map(re.escape, parts)))
    return re.compile("|".join(patterns))


def open_every_part(page: Page) -> None:
    """Open what is folded; parts inside of parts appear when these are open."""
    # the menu of one cloud closes when that of another opens
    parts = "details:not([open]):not(.st-key-two .twin-more)"
    folded = page.locator(f'[data-testid="stMain"] {parts} > summary')
    for _ in range(40):
        if not folded.count():
            return
        folded.first.click()
        page.wait_for_timeout(200)
        wait_for_app(page)
    pytest.fail("a part does not stay open")


@pytest.mark.parametrize(
    ("name", "code"),
    [  # one page; `make test-long` has the others
        pytest.param(name, code, marks=pytest.mark.long if i or j else pytest.mark.slow)
        for i, name in enumerate(PAGES)
        for j, code in enumerate(("zh-Hans", "zh-Hant"))
    ],
)
def test_a_class_that_reads_chinese_sees_no_english_label(
    page: Page, server: AppServer, name: str, code: str
):
    page.emulate_media(color_scheme="dark" if code == "zh-Hant" else "light")
    open_app(page, server.page_url(name, query=f"lang={code}&{CHINESE_TEXTS}"))
    assert grave_findings(page, "body", RULES) == []
    open_every_part(page)
    assert_no_exception(page)
    assert page.evaluate("document.documentElement.lang") == code
    page.wait_for_function(OWN_NAMES)  # Streamlit's own names are translated a moment later
    words = page.evaluate(WORDS)
    assert len(words) > 40
    assert not [text for text in words if re.search("程式出錯|程序出错", text)]
    parts = {part.strip() for text in words for part in re.split(" · |——|[；：，\t]", text)}
    assert not [text for text in parts.union(words) if english_labels().fullmatch(text)]
    joined = re.compile(rf"{HAN}[,:;]|{HAN} ?\((?![\d−-])|[。！？；] {HAN}")
    assert not [text for text in words if joined.search(text)]


GREY = """selector => getComputedStyle(document.querySelector(selector)).color
  !== getComputedStyle(document.querySelector('[data-testid="stMain"]')).color"""


@pytest.mark.slow
def test_numbers_of_a_text_that_the_model_does_not_know_are_grey(page: Page, server: AppServer):
    query = "model={model}&corpus=topics-zh&lang=zh-CN&find=明天会下雨吗"
    for model, is_grey in (("bundled", True), ("bundled-e5", False)):
        open_app(page, server.page_url("neighbours", query=query.format(model=model)))
        assert page.evaluate(GREY, ".big-numbers b") is is_grey
        faded = page.locator(".st-key-neighbour-pictures").evaluate(
            "part => Number(getComputedStyle(part).opacity) < 1"
        )
        assert faded is is_grey
