"""The exit code and the pages of the benchmarks."""

import shutil
import subprocess
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bench.table import Row
from bench.twin import PEER_PAGE, TWIN_PAGE

MET, MISSED, PLAIN = (Row("a row", 1.0, met=met) for met in (True, False, None))


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
@pytest.mark.parametrize(
    ("names", "command"), [((), "bench"), (("load", "encode"), "bench load encode")]
)
def test_make_bench_takes_names(names, command):
    done = subprocess.run(
        ["make", "--dry-run", "bench", *names, "ARGS="],  # clears ARGS of a surrounding `make test`
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.rstrip() for line in done.stdout.splitlines() if " -m bench" in line] == [
        f".venv/bin/python -m {command}"
    ]


@pytest.mark.parametrize("page", [TWIN_PAGE, PEER_PAGE])
def test_the_pages_of_the_twin_benchmark_run(page):
    visit = AppTest.from_string(page)
    visit.query_params["n"] = "20"
    visit.run(timeout=60)
    assert not visit.exception
    assert visit.markdown[0].value == "chosen 0"
