"""What tests of pages share without a browser."""

from collections.abc import Iterator

import pytest

from tests.pages.visits import clear_memory


@pytest.fixture(scope="module")
def one_memory() -> Iterator[None]:
    """Kept for a whole file, because it holds the encoder; all keys in it name their content."""
    clear_memory()
    yield
    clear_memory()
