"""Numbers as text."""

from geometry.data.number_text import change


def test_an_end_of_an_interval_that_is_not_zero_is_not_printed_as_zero():
    assert change(0.02, 0.0012, 0.04) == "+0.020 [+0.001, +0.040]"
    assert change(0.02, 0.0003, 0.04) == "+0.0200 [+0.0003, +0.0400]"
    assert change(-0.62, -1.3, -0.004, 2) == "−0.620 [−1.300, −0.004]"
    assert change(0.02, 0.0, 0.04) == "+0.020 [0.000, +0.040]"
    assert change(0.02, None, None) == "+0.020"
