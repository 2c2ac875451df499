"""Every statement of the sources is on its page or one press from it, in each language.

A row of ``ROWS`` names the statement and where it is.
"""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from geometry.data.catalogues import languages
from pages.common.words import TEXT
from tests.browser.screen import assert_no_exception, open_app, wait_for_app
from tests.browser.server import AppServer

SECONDS = 15  # until a statement is there


@dataclass(frozen=True)
class Row:
    """part : the key of the folded part that has the statement.

    words : what is in it; "@name" is the section of that name in the page's texts.
    """

    statement: str
    page: str
    words: str
    part: str = ""
    query: str = ""


ROWS = (
    Row("1: BERT’s means and [CLS] are below GloVe", "sentence_similarity", "29.19", "part-sbert"),
    Row("2: Spearman’s ρ is 1, −1 and 0", "sentence_similarity", "−1.00", "rho", "reversed=true"),
    Row("3: word2vec, classifier, Transformer", "degeneration", "word2vec", query="train=three"),
    Row("4: static and contextual vectors", "narrow_cone", "0.037", "two-tables"),
    Row("5: cosines of random words", "narrow_cone", "0.25", query="unit=tokens"),
    Row("6: isotropic", "narrow_cone", "E XXᵀ = I"),
    Row("7: a(2, 2), b(2, −2), c(−2, 2)", "cosine_basis", "−0.6", query="len2=2"),
    Row("8: cosine takes coordinates only", "cosine_basis", "@formula", "formula", "len2=2"),
    Row("9: decorrelation", "whitening", "@about-zca", "all-measures"),
    Row("10: treatments raise scores", "sentence_similarity", "@claim-published", "part-published"),
    Row("11: Σ = VΛVᵀ, W = VΛ^(−1/2), U", "whitening", "@formula", "formula"),
    Row("12: an invertible map", "whitening", "@flow-formula", "flow", "third=flow"),
    Row("13: frequent words near the origin", "word_frequency", "@claim"),
    Row("14: rare words are sparse", "word_frequency", "@table", "word-table"),
    Row("15: holes", "word_frequency", "@holes", "words-holes"),
    Row("16: a synonym of another frequency", "word_frequency", "@swap", "words-swap"),
    Row("17: cosines nearly all above .9", "narrow_cone", "0.999", query="layer=5&pooling=cls"),
    Row("18: poolings and the last layers", "sentence_similarity", "3–6", "part-grid"),
    Row("19: pull and push", "degeneration", "@forces"),
    Row("20: hull, cone, convex cone", "degeneration", "@shape-hull"),
    Row("21: theorems 1 to 3", "degeneration", "@question-theorems", "question-theorems"),
    Row("22: CosReg", "degeneration", "@question-cosreg", "question-cosreg"),
    Row("23: SimCSE", "contrast", "@claim"),
    Row("24: layers and whitening together", "sentence_similarity", "4–6", "part-grid"),
    Row("25: another similarity", "sentence_similarity", "@similarities", "part-similarity"),
    Row("26: frequent words crowd together", "word_frequency", "@left-out", "words-left-out"),
    Row("27: static vectors share directions", "whitening", "@question-glove", "question-glove"),
)
PAGES = sorted({row.page for row in ROWS})


def prose_in(code: str, page: str, section: str) -> str:
    text = (TEXT / code / f"{page}.md").read_text(encoding="utf-8")
    return text.split(f"<!-- {section} -->")[1].split("<!--")[0]


def words_of(row: Row, code: str) -> str:
    """A number or a sign, or the longest plain words of the section."""
    if not row.words.startswith("@"):
        return row.words
    text = prose_in(code, row.page, row.words[1:])
    return max(
        re.split(r"[{}*`$\\\[\]()|#~^_<>\n.,;:。，；：、「」『』“”]+", text), key=len
    ).strip()


@pytest.mark.model
@pytest.mark.parametrize(
    ("page_name", "code"),
    [  # half of the pages in one language; `make test-long` has the others
        pytest.param(name, code, marks=pytest.mark.long if (i + j) % 6 else pytest.mark.slow)
        for i, name in enumerate(PAGES)
        for j, code in enumerate(languages())
    ],
)
def test_every_statement_of_the_sources_is_there(
    page: Page, server: AppServer, page_name: str, code: str
):
    rows = [row for row in ROWS if row.page == page_name]
    missing = []
    for query in dict.fromkeys(row.query for row in rows):
        asked = f"lang={code}&model=bundled&corpus=topics&pairs=bundled&{query}"
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
    assert missing == []
