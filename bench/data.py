"""External data for benchmarks, the same folder as in the tests."""

import os
from pathlib import Path

_FOLDER = Path(
    os.environ.get("NARROW_CONE_TEST_DATA", Path(__file__).resolve().parents[2] / "shared/data")
)
STS = _FOLDER / "stsb" / "sts-test.csv"
