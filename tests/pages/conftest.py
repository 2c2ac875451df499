"""A fixture of the tests that visit pages without a browser."""

from collections.abc import Iterator

import pytest

from tests.pages.visits import clear_memory


@pytest.fixture(scope="module")
def one_memory() -> Iterator[None]:
    """Clear the app's caches before and after a file, but not between its tests.

    The caches hold the encoder. Their keys name their content, so a test cannot read a wrong value.
    """
    clear_memory()
    yield
    clear_memory()
