"""Verdicts: what is called a cone, the control of each, and what several say together."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.common.measures import (
    ICONS,
    Control,
    NoControl,
    cone_words,
    isotropic_control,
    overall_state,
)
from pages.degeneration.explore import verdicts
from pages.degeneration.scene import recorded_scene
from tests.for_each import for_each
from tests.pages.visits import healthy

ROOT = Path(__file__).parents[3]


def test_every_verdict_on_a_cone_has_the_definition():
    found = verdicts(recorded_scene())
    assert all(cone_words() in found[name].basis for name in ("cone", "cure", "others"))


def test_no_page_says_that_input_layers_were_anisotropic_too():
    """Ethayarajh (2019): all non-input layers; ELMo's input layer has a mean cosine of 0.008."""
    for path in sorted((ROOT / "assets/text/en").glob("*.md")):
        for sentence in re.split(r"(?<=[.!?])\s", path.read_text("utf-8")):
            if "anisotropic" in sentence and re.search(r"\b(all|every) layers?\b", sentence):
                assert "above the input" in sentence, (path.name, sentence)


def test_rogue_dimensions_are_one_to_three_in_the_source():
    """Timkey & van Schijndel (2021), abstract: "often just 1-3"."""
    assert "one to three such dimensions" in (ROOT / "assets/text/en/layers.md").read_text("utf-8")


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
