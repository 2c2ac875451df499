"""What the benchmarks' exit code says."""

import pytest

from bench.__main__ import verdict
from bench.table import Row

MET, MISSED, PLAIN = (Row("a row", 1.0, met=met) for met in (True, False, None))


@pytest.mark.parametrize(
    ("measured", "code", "printed"),
    [
        ({"one": [MET, PLAIN], "two": []}, 0, ""),
        ({"one": [MET], "two": [PLAIN, MISSED]}, 1, "bench: missed: a row\n"),
        ({"one": None, "two": [MISSED]}, 1, "bench: failed: one\nbench: missed: a row\n"),
    ],
)
def test_a_failure_and_a_missed_figure_are_seen(capsys, measured, code, printed):
    assert verdict(measured) == code
    assert capsys.readouterr().err == printed
