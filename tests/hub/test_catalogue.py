"""The suggested models: complete, distinct, and each in docs/models.md."""

from pathlib import Path

import pytest

from geometry.hub import suggestions
from geometry.hub.catalogue import default_prefix
from pages.common.words import names


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("bundled-e5", "query: "),
        ("intfloat/multilingual-e5-small", "query: "),
        ("intfloat/multilingual-e5-large", "query: "),
        ("intfloat/e5-base-v2", "query: "),
        ("intfloat/e5-small-unsupervised", "query: "),
        ("intfloat/multilingual-e5-large-instruct", ""),  # takes an instruction
        ("intfloat/e5-mistral-7b-instruct", ""),
        ("someone/e5-base-v2", ""),
        ("./intfloat/e5-base-v2", ""),
        ("bundled", ""),
    ],
)
def test_the_prefix_of_a_card(name, prefix):
    assert default_prefix(name) == prefix


def test_the_docs_list_them_with_what_each_teaches():
    text = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    lesson = names("models")
    for each in suggestions():
        mark = " (pickle)" if each.needs_conversion else ""
        size, licence = f"{each.megabytes} MB", each.licence
        assert f"| `{each.name}`{mark} | {size} | {licence} | {lesson[each.name]} |" in text
