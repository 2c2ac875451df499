"""The exit code and the pages of the benchmarks."""

import pytest
from streamlit.testing.v1 import AppTest

from bench.table import Row
from bench.twin import PEER_PAGE, TWIN_PAGE

MET, MISSED, PLAIN = (Row("a row", 1.0, met=met) for met in (True, False, None))


@pytest.mark.parametrize("page", [TWIN_PAGE, PEER_PAGE])
def test_the_pages_of_the_twin_benchmark_run(page):
    visit = AppTest.from_string(page)
    visit.query_params["n"] = "20"
    visit.run(timeout=60)
    assert not visit.exception
    assert visit.markdown[0].value == "chosen 0"
