"""What is called anisotropic, and what a narrow cone: one definition, on every page."""

import re
from pathlib import Path

from geometry.measure.cone import NARROW
from pages.common.measures import cone_words
from pages.degeneration.explore import verdicts
from pages.degeneration.scene import recorded_scene

ROOT = Path(__file__).parents[3]


def test_the_definition_names_the_source_and_the_own_limit():
    said = cone_words()
    assert "above 0" in said
    assert "Ethayarajh (2019)" in said
    assert f"{NARROW} or more, a limit of this project" in said


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


def test_the_direction_beside_the_hull_is_said_to_be_one_of_many():
    assert "one of many such directions" in verdicts(recorded_scene())["push"].measured
