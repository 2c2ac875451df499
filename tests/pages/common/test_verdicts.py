"""Verdicts: what is called a cone, the control of each, and what several say together."""

from pages.common.measures import (
    Control,
    NoControl,
    cone_words,
    isotropic_control,
    overall_state,
)
from pages.degeneration.explore import verdicts
from pages.degeneration.scene import recorded_scene
from tests.for_each import for_each


def test_verdicts_on_a_cone_have_the_definition_and_an_isotropic_control():
    found = verdicts(recorded_scene())
    assert all(cone_words() in found[name].basis for name in ("cone", "cure", "others"))
    control = isotropic_control(1224, 384)
    assert isinstance(control, Control)
    # sqrt(2 / (1224 · 1223 · 384)) = 0.0000590
    assert "a standard deviation of 0.00006 (n = 1,224, d = 384)" in control
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
