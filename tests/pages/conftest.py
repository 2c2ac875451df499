"""Fixtures of the tests that visit pages without a browser."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

from tests.pages.visits import clear_memory


@pytest.fixture(scope="session", autouse=True)
def scan_once() -> Iterator[None]:
    """Look for components among the installed packages once: AppTest does it for each visit.

    A look reads the metadata of every package, which took a third of these tests' time.
    """
    with pytest.MonkeyPatch.context() as patch:
        name = "scan_component_manifests"
        patch.setattr(manifest_scanner, name, cache(getattr(manifest_scanner, name)))
        yield


@pytest.fixture(scope="module")
def one_memory() -> Iterator[None]:
    """Clear the app's caches before and after a file, but not between its tests.

    The caches hold the encoder. Their keys name their content, so a test cannot read a wrong value.
    """
    clear_memory()
    yield
    clear_memory()
