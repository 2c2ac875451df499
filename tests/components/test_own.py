"""The scripts' own tests, a file each: <name>.test.mjs."""

import pytest

from tests.components.scripts import TESTS, run_tests

NAMES = sorted(path.name.removesuffix(".test.mjs") for path in TESTS.glob("*.test.mjs"))


def test_there_are_some():
    assert {"plane_math", "camera", "picking"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_scripts_own_tests_pass(name, tmp_path):
    assert run_tests(name, tmp_path) == ""
