"""Every page in each language and theme: accessible, translated, nothing is cut or collides.

Words that are drawn on a cloud's canvas are no text of the document, so they are not looked at.
A violation of the security policy is logged as an error, which fails the test.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from geometry.data.translations import catalogue, languages
from pages.common.page_list import PAGES
from pages.common.words import table_of
from tests.browser.accessibility import grave_findings
from tests.browser.screen import NEXT_FRAMES, assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer
from tests.test_words import HAN, NAMED, msgids

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
CHINESE_TEXTS = "model=bundled-e5&corpus=topics-zh&pairs=pairs-zh"
STATES = tuple(product(languages(), ("light", "dark")))
# a laptop, a projector, a laptop at 150%, a telephone
SIZES = ((1400, 900), (1024, 768), (933, 600), (420, 900))
ENDS = (SIZES[0], SIZES[-1])
FINDINGS = Path(__file__).with_name("fits.js").read_text(encoding="utf-8")
DRAWN = """() => [...document.querySelectorAll(".twin, .chart, .plane:not(.hull)")]
  .every(part => part.dataset.drawn || !part.checkVisibility())"""
LIGHT = "cosine_basis"  # the page that is visited the fastest
PICTURES = ".twin-stage, .chart[data-drawn], .plane svg, .wall"
REDRAWN = 3000  # milliseconds
FORM_FIRST = ("your_corpus",)  # it has no picture before a corpus is given
BELOW_A_MESSAGE = ("layers",)  # which says that the model does not know the Chinese texts
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
IS_HIGH = """first => Math.min(...[...document.querySelectorAll(first)]
  .map(part => part.getBoundingClientRect()).filter(box => box.width).map(box => box.top)) < 500"""


def findings(page: Page, sizes: Iterable[tuple[int, int]] = SIZES) -> list[str]:
    """What does not fit at any of the sizes."""
    found = []
    for width, height in sizes:
        set_size(page, width, height)
        page.wait_for_function(DRAWN)
        with suppress(Error):  # Plotly redraws some time after the last change of size
            page.wait_for_function(f"() => !({FINDINGS})().length", timeout=REDRAWN, polling=200)
        page.evaluate(NEXT_FRAMES)
        found += [f"{width} × {height}: {each}" for each in page.evaluate(FINDINGS)]
    return found


def set_size(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(f"innerWidth === {width}")


def assert_first_picture_fits(page: Page, width: int, height: int) -> None:
    """The first picture ends on a screen of this size, soon after the size has changed."""
    set_size(page, width, height)
    picture = page.locator(PICTURES).first.element_handle()
    page.wait_for_function(
        "picture => picture.getBoundingClientRect().bottom <= innerHeight",
        arg=picture,
        timeout=REDRAWN,
    )


def mark_of(name: str, state: int) -> pytest.MarkDecorator:
    return pytest.mark.slow if (name, state) == (LIGHT, 0) else pytest.mark.long


@pytest.mark.parametrize(
    ("name", "language", "theme", "is_presented", "sizes"),
    [  # each page in one state at the largest and the smallest size; `make test-long` has all
        *(
            pytest.param(name, *STATES[i % 6], False, ENDS, marks=pytest.mark.slow)
            for i, name in enumerate(PAGES)
        ),
        pytest.param(LIGHT, *STATES[0], True, SIZES, marks=pytest.mark.slow),
        *(
            pytest.param(name, *state, is_presented, SIZES, marks=pytest.mark.long)
            for name, state, is_presented in product(PAGES, STATES, (False, True))
        ),
    ],
)
def test_a_page_is_accessible_and_fits_at_every_size(
    new_page: Callable[..., Page],
    server: AppServer,
    name: str,
    language: str,
    theme: str,
    is_presented: bool,
    sizes: tuple[tuple[int, int], ...],
):
    page = new_page(viewport={"width": 1400, "height": 900}, color_scheme=theme)
    page.add_init_script(HOLES)
    query = "present=1" if is_presented else QUERIES.get(name, "")
    open_app(page, server.page_url(name, query=f"lang={language}&{query}"))
    assert page.evaluate("document.documentElement.lang") == language
    if name not in FORM_FIRST:
        assert page.evaluate("window.holes") == []
        for size in SIZES[: 1 + is_presented]:
            assert_first_picture_fits(page, *size)
    assert grave_findings(page, "body") == []
    assert findings(page, sizes) == []  # the last size is a telephone's
    if is_presented:
        return
    assert page.evaluate("window.framed")
    use = catalogue(language).gettext(USES.get(name, "This page shows the corpus."))
    expect(page.get_by_text(use, exact=True)).to_be_visible()
    if name not in BELOW_A_MESSAGE:
        page.wait_for_function(IS_HIGH, arg=f"{PICTURES}, .st-key-pasted")


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
        pytest.param(name, code, marks=mark_of(name, i))
        for name in PAGES
        for i, code in enumerate(("zh-Hans", "zh-Hant"))
    ],
)
def test_a_class_that_reads_chinese_sees_no_english_label(
    page: Page, server: AppServer, name: str, code: str
):
    """On Chinese texts, with every part open."""
    open_app(page, server.page_url(name, query=f"lang={code}&{CHINESE_TEXTS}"))
    open_every_part(page)
    assert_no_exception(page)
    page.wait_for_function(OWN_NAMES)  # Streamlit's own names are translated a moment later
    words = page.evaluate(WORDS)
    assert len(words) > 40
    assert not [text for text in words if re.search("程式出錯|程序出错", text)]
    parts = {part.strip() for text in words for part in re.split(" · |——|[；：，\t]", text)}
    assert not [text for text in parts.union(words) if english_labels().fullmatch(text)]
    joined = re.compile(rf"{HAN}[,:;]|{HAN} ?\((?![\d−-])|[。！？；] {HAN}")
    assert not [text for text in words if joined.search(text)]
