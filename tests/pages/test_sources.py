"""Every statement of the sources is on its page or one press from it, in each language.

A row of ``ROWS`` names the statement and where it is.
"""

import re
from dataclasses import dataclass

import pytest
from streamlit.testing.v1 import AppTest

from pages.common.words import TEXT
from tests.pages.charts import charts, strings_in
from tests.pages.visits import everything, healthy, new_visit


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
    Row("2: Spearman’s ρ is 1, −1 and 0", "sentence_similarity", "−1.00", "rho"),
    Row("3: word2vec, classifier, Transformer", "degeneration", "word2vec", query="train=three"),
    Row("4: static and contextual vectors", "narrow_cone", "0.037", "two-tables"),
    Row("5: cosines of random words", "narrow_cone", "0.25", query="unit=tokens"),
    Row("6: isotropic", "narrow_cone", "E XXᵀ = I"),
    Row("7: a(2, 2), b(2, −2), c(−2, 2)", "cosine_basis", "−0.6", query="len2=2"),
    Row("8: cosine takes coordinates only", "cosine_basis", "@formula", "formula", "len2=2"),
    Row("9: decorrelation", "whitening", "@about-zca", "all-measures"),
    Row("10: treatments raise scores", "sentence_similarity", "@claim-published", "part-published"),
    Row("11: Σ = VΛVᵀ, W = VΛ^(−1/2), U", "whitening", "@formula", "formula"),
    Row("12: an invertible map", "whitening", "@flow-formula", "flow"),
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
BUNDLED = "model=bundled&corpus=topics&pairs=bundled"
OF_PAGE = {  # in each visit of the page
    "sentence_similarity": "reversed=true",
    "whitening": "third=flow&corpus=topics-zh",  # a flow is trained: on few points
}


def prose_in(code: str, page: str, section: str) -> str:
    text = (TEXT / code / f"{page}.md").read_text(encoding="utf-8")
    return text.split(f"<!-- {section} -->")[1].split("<!--")[0]


def words_of(row: Row, code: str = "en") -> str:
    """A number or a sign, or the longest plain words of the section."""
    if not row.words.startswith("@"):
        return row.words
    text = prose_in(code, row.page, row.words[1:])
    return max(
        re.split(r"[{}*`$\\\[\]()|#~^_<>\n.,;:。，；：、「」『』“”]+", text), key=len
    ).strip()


def said(app: AppTest) -> str:
    """Texts, tables and charts of a page."""
    parts = [everything(app), *(element.proto.body for element in app.get("html"))]
    parts += [table.value.to_csv() for table in app.dataframe]
    return "\n".join([*parts, *strings_in([chart["figure"] for chart in charts(app).values()])])


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("page_name", PAGES)
def test_every_statement_of_the_sources_is_there(page_name: str):
    """In English; every language has the same sections (``test_words``)."""
    rows = [row for row in ROWS if row.page == page_name]
    missing = []
    for query in dict.fromkeys(row.query for row in rows):
        address = "&".join([BUNDLED, OF_PAGE.get(page_name, ""), query])
        asked = dict(re.findall(r"([^&=]+)=([^&]*)", address))
        here = [row for row in rows if row.query == query]
        parts = {row.part: True for row in here if row.part}
        shown = said(healthy(new_visit(page_name, parts, lang="en", **asked).run()))
        missing += [row.statement for row in here if words_of(row) not in shown]
    assert missing == []
