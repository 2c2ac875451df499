"""Every verdict of every page carries a control, or the reason why it needs none."""

from types import SimpleNamespace

import pytest

from pages.common.measures import (
    ICONS,
    Control,
    NoControl,
    isotropic_control,
    overall_state,
)
from tests.for_each import for_each
from tests.pages.visits import healthy


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
