"""Fixtures of the tests that visit pages without a browser."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

from geometry import Cloud, Corpus, Encoder, load_encoder, process, read_bundled, read_cloud
from geometry.encode import ArrayStore
from geometry.hub.operator_limits import VARIABLE
from pages.common import reading
from pages.common.corpus_cloud import MOST_DRAWN
from tests.pages.visits import clear_memory


@pytest.fixture(scope="session", autouse=True)
def scan_once() -> Iterator[None]:
    """Search the installed packages for components once; AppTest would repeat it every visit.

    A search reads the metadata of every package, which took a third of these tests' time.
    """
    with pytest.MonkeyPatch.context() as patch:
        name = "scan_component_manifests"
        patch.setattr(manifest_scanner, name, cache(getattr(manifest_scanner, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def join_the_script() -> Iterator[None]:
    """Wait for the end of a run's thread by join; AppTest polls a thousand times a second."""
    look = local_script_runner.require_widgets_deltas

    def join(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
        if runner._script_thread is not None:
            runner._script_thread.join(timeout)
        look(runner, timeout if runner.script_stopped() else 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", join)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_process_for_uploads() -> Iterator[None]:
    """Read uploads in the test's process: another one takes half a second for each file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "run", lambda _limits, call, _report: call())
        yield


@pytest.fixture
def real_uploads(monkeypatch: pytest.MonkeyPatch, real_reading: None) -> None:
    """Undo ``no_process_for_uploads``; tables are read by a process with limits."""
    monkeypatch.setattr(reading, "run", process.run)


@pytest.fixture
def operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """operator(text): the operator's file."""

    def write(text: str) -> None:
        path = tmp_path / "operator.toml"
        path.write_text(text, encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(path))

    return write


@pytest.fixture
def scenes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The scenes whose downloads the page offers, run by run; of the page of the test's folder."""
    found: list[Any] = []
    name = f"pages.{request.path.parent.name}.explore.offer_downloads"
    monkeypatch.setattr(name, lambda scene, *_: found.append(scene))
    return found


@pytest.fixture(scope="module")
def one_memory() -> Iterator[None]:
    """Clear the app's caches before and after a file, but not between its tests.

    The caches contain the encoder. Their keys identify the content, so no test reads a wrong value.
    """
    clear_memory()
    yield
    clear_memory()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder()


@pytest.fixture(scope="module")
def cloud_of(encoder: Encoder) -> Callable[..., Cloud]:
    """The cloud that a page should show, by the library, from the test session's disk cache."""

    def read(corpus: Corpus | str = "topics", unit: str = "sentences", **choices: Any) -> Cloud:
        texts = read_bundled(corpus) if isinstance(corpus, str) else corpus
        plain = {"unit": unit, "layer": 4, "pooling": "mean", "max_points": MOST_DRAWN}
        return read_cloud(encoder, texts, **plain | choices, store=ArrayStore())

    return read
