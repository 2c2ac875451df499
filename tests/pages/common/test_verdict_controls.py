"""Every verdict of every page carries a control or the reason why it needs none.

The type asks for one. Here no text of one is empty, by the source; ``healthy`` looks for the line
on each card of each visit.
"""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.common.measures import (
    ICONS,
    Control,
    NoControl,
    Verdict,
    isotropic_control,
    overall_state,
)
from pages.common.page_list import PAGES
from tests.for_each import for_each
from tests.pages.visits import ROOT, healthy

MAKERS = {"Verdict", "_card"}  # the last makes the cards of one page
GIVEN = {"Control", "NoControl", "isotropic_control", "nothing_measured"}


def calls(path: Path, names: set[str]) -> list[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names
    ]


@pytest.mark.parametrize("page", PAGES)
def test_each_page_makes_verdicts_and_gives_no_empty_control(page: str):
    paths = sorted((ROOT / "pages" / page).glob("*.py"))
    made = [call for path in paths for call in calls(path, MAKERS)]
    given = [call for path in paths for call in calls(path, GIVEN)]
    assert made
    assert given
    place = list(Verdict.__dataclass_fields__).index("control")
    for call in made:
        named = {keyword.arg for keyword in call.keywords}
        assert "control" in named or len(call.args) > place, ast.unparse(call)
    for call in given:
        if call.func.id in ("Control", "NoControl"):
            assert len(call.args) == 1
            words = call.args[0]
            assert not isinstance(words, ast.Constant), "text that is not translated"
            for text in ast.walk(words):
                assert not (isinstance(text, ast.Constant) and text.value == ""), ast.unparse(call)


@pytest.mark.parametrize("line", ["", "**Control**: ", "**Control**", "another paragraph"])
def test_a_card_without_its_control_is_seen_on_every_visit(line):
    card = SimpleNamespace(value=f"{ICONS['holds']} **Holds here.** 1.00 [0.90, 1.10].")
    good = SimpleNamespace(value="**Control**: 0.")
    healthy(SimpleNamespace(exception=[], markdown=[card, good]))
    with pytest.raises(AssertionError, match="control"):
        healthy(SimpleNamespace(exception=[], markdown=[card, SimpleNamespace(value=line)]))
    with pytest.raises(AssertionError, match="control"):
        healthy(SimpleNamespace(exception=[], markdown=[card]))


def test_the_control_of_a_mean_cosine_is_isotropic():
    control = isotropic_control(1224, 384)
    assert isinstance(control, Control)
    # sqrt(2 / (1224 · 1223 · 384)) = 0.0000590
    assert "a standard deviation of 0.00006 (n = 1,224, d = 384)" in control.measured
    assert isinstance(isotropic_control(1, 384), NoControl)


@for_each(
    ("states", "state"),
    [
        ({"holds"}, "holds"),
        ({"holds", "fails"}, "partly"),
        ({"holds", "unknown"}, "partly"),
        ({"fails", "unknown"}, "fails"),  # nothing holds, so it does not hold in part
        ({"unknown"}, "unknown"),
    ],
)
def test_several_results_hold_in_part_only_if_one_holds(states, state):
    assert overall_state(states) == state
