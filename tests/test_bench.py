"""The pages of the benchmarks."""

import pytest
from streamlit.testing.v1 import AppTest

from bench.twin import PEER_PAGE, TWIN_PAGE


@pytest.mark.parametrize("page", [TWIN_PAGE, PEER_PAGE])
def test_the_pages_of_the_twin_benchmark_run(page):
    visit = AppTest.from_string(page)
    visit.query_params["n"] = "20"
    visit.run(timeout=60)
    assert not visit.exception
    assert visit.markdown[0].value == "chosen 0"
