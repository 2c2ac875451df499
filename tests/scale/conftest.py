"""One cluster of two workers for all tests that need no other."""

from collections.abc import Iterator

import pytest

from geometry.scale import Engine, open_engine


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Engine]:
    with open_engine(workers=2) as engine:
        yield engine
