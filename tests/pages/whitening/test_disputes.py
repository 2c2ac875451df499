"""Claims that later work disputes: the whitening page has each claim with its source."""

import re
from pathlib import Path

from geometry.data.catalogues import languages
from tests.for_each import for_each

TEXT = Path(__file__).resolve().parents[3] / "assets" / "text"
DISPUTES = {  # a word of each claim, equal in all languages, and the claim's authors
    "63.75": "Su 2021",
    "Forooghi": "Forooghi 2024",
    "Ait-Saada": "Ait-Saada 2023",
    "I-STAR": "Rudman 2024",
    "Mickus": "Mickus 2024",
    "Timkey": "Timkey 2021",
    "Cai": "Cai 2021",
    "Godey": "Godey 2024",
    "Machina": "Machina 2024",
    "Steck": "Steck 2024",
    "Yokoi": "Yokoi 2024",
    "[CLS]": "Reimers 2019",
    "BERT-base": "Li 2020",
}


def section(code: str, name: str) -> str:
    text = (TEXT / code / "whitening.md").read_text(encoding="utf-8")
    return text.split(f"<!-- {name} -->\n", 1)[1].split("\n<!--", 1)[0]


def names(text: str, source: str) -> bool:
    """A surname, and its year soon after."""
    surname, year = source.split()
    return bool(re.search(rf"{re.escape(surname)}[^。·:：]{{0,40}}?{year}", text))


@for_each("code", languages())
@for_each("claim", DISPUTES)
def test_a_dispute_names_its_source(code, claim):
    text = section(code, "not-shown") + section(code, "sources").split("\n\n", 1)[1]
    [line] = [line for line in text.splitlines() if claim in line][:1]
    assert names(line, DISPUTES[claim])


@for_each("code", languages())
@for_each("source", sorted(set(DISPUTES.values())))
def test_each_source_is_listed(code, source):
    assert names(section(code, "sources"), source)
