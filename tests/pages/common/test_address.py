"""The address: every parameter has its name in one table, and the table lists no other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.common.address import PARAMETERS, put_in_url
from pages.common.compare_two import SIDES
from pages.contrast.explore import NUMBERS
from pages.cosine_basis.explore import LIMITS
from pages.whitening.explore import SLOTS

PAGES = Path(__file__).resolve().parents[3] / "pages"
BY_VARIABLE = {
    *(*LIMITS, *SLOTS, *NUMBERS, "noise-unrelated", "noise-related", "lang", "pair", "point"),
    *(
        "centring",
        "strength",
        "present",
        "camera",
        "step",
        "hull",
        "lesson",
        "lesson-step",
        "class",
    ),
    *("where", "selected", "window", "file", "clusters-on"),
    *("fit-rows", "kept", "removed"),  # sliders of Whitening
    *(f"{side}-{what}" for side in ("left", "right") for what in ("table", "layer")),
    *(f"{side}-{what}" for side in SIDES for what in ("model", "place", "pooling", "treatment")),
}


CHOICES = ("choose", "choose_in")


def keyword(call: ast.Call, name: str) -> str | None:
    for each in call.keywords:
        if each.arg == name and isinstance(each.value, ast.Constant):
            return str(each.value.value)
    return None


def literal_names() -> Iterator[tuple[str, str]]:
    """(file, name) of every control that writes its state to the address by a literal name."""
    for path in PAGES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            is_choice = isinstance(node.func, ast.Name) and node.func.id in CHOICES
            if is_choice or keyword(node, "bind") == "query-params":
                name = keyword(node, "key")
                if name is not None:
                    yield path.name, name


def test_the_table_lists_every_parameter_and_no_other():
    names = {name for _file, name in literal_names()}
    assert names | BY_VARIABLE == PARAMETERS


def test_a_name_that_is_not_listed_is_refused():
    with pytest.raises(KeyError):
        put_in_url("no-such-parameter", "1")
