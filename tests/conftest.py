"""Settings of all tests: their kinds, the cache folder, external data, the slowest files."""

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
# The kinds whose files take longest: a worker that begins one late is the last to end.
LONGEST_FIRST = ("sts", "scale", "deploy", "pages", "other")
LAST = "browser"  # a worker takes one test at a time, so all end together
SLOWEST_FILES = 10

settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25
)
# `make test-long` names this one
settings.register_profile("many", parent=settings.get_profile("default"), max_examples=300)
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
# `make check` names this one: --hypothesis-profile=check
settings.register_profile("check", parent=settings.get_profile("default"), max_examples=10)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def kind_of(nodeid: str) -> str:
    """The first folder under tests, such as linalg, pages or browser; "other" without one."""
    parts = nodeid.split("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "other"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Let `make test-slow` import only the files that have a slow test."""
    if not config.option.markexpr.startswith("slow") or not collection_path.name.startswith(
        "test_"
    ):
        return None
    is_slow = collection_path.parent.name == "sts" or "mark.slow" in collection_path.read_text()
    return None if is_slow else True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if kind_of(item.nodeid) == "browser":
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
        elif kind_of(item.nodeid) == "sts":
            item.add_marker(pytest.mark.slow)
        if {"shared_data", "case"}.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.data)
    ranks = {kind: rank for rank, kind in enumerate(LONGEST_FIRST)}

    def rank(item: pytest.Item) -> tuple[bool, int]:
        kind = kind_of(item.nodeid)
        return kind == LAST, ranks.get(kind, len(ranks))

    items.sort(key=rank)  # a stable sort


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Give each worker whole files, for what their tests share; browser tests share a server."""

    class ByWhatIsShared(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            kind, file = kind_of(nodeid), nodeid.split("::")[0]
            if kind == LAST:
                return nodeid
            return kind if kind == "sts" else file

    return ByWhatIsShared(config, log)


def pytest_collection_finish() -> None:
    """Exempt modules and tests from garbage collection, which would go through them each time."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the slowest files, retried failures and recorded tables."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):  # one each for setup, call and teardown
                seconds[report.nodeid.split("::")[0]] += report.duration
    terminalreporter.write_sep("-", f"{SLOWEST_FILES} slowest files")
    for name, total in seconds.most_common(SLOWEST_FILES):
        terminalreporter.write_line(f"{total:7.1f} s  {name}")
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.write_sep("-", f"run again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, text in getattr(report, "user_properties", ()):
                if name == "table" and report.when == "call":
                    terminalreporter.write_sep("-", report.nodeid)
                    terminalreporter.write_line(text)


@pytest.fixture(scope="session")
def shared_tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this session that all its workers share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def cache_dir(shared_tmp: Path) -> Iterator[Path]:
    """The test session's cache folder, so that no test uses the user's cache.

    All workers share it, so that a corpus is encoded once. NARROW_CONE_TEST_CACHE names a folder
    that stays between sessions.
    """
    named = os.environ.get("NARROW_CONE_TEST_CACHE")
    folder = Path(named) if named else shared_tmp / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARROW_CONE_CACHE_DIR", str(folder))
        yield folder


_READERS = ("data.table_files", "vectors.set_parquet")


@pytest.fixture(scope="session", autouse=True)
def nothing_apart() -> Iterator[None]:
    """Leave out what takes a test seconds: warm-up, low priority, and processes with limits.

    Tests and their servers load torch only where it is used. Tiny models are loaded without a
    trial, and tables are read in the test's process.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARROW_CONE_ENCODER_WARM_UP", "0")
        patch.setenv("NARROW_CONE_NICENESS", "0")
        patch.setattr("geometry.encode.encoder.try_model", lambda *_, **__: 10**9)
        for module in _READERS:
            patch.setattr(f"geometry.{module}.process_limits", lambda _limits: None)
        yield


@pytest.fixture
def real_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are read by another process with limits, as outside the tests."""
    from geometry.data.parquet_table import process_limits

    for module in _READERS:
        monkeypatch.setattr(f"geometry.{module}.process_limits", process_limits)


@pytest.fixture
def real_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is first read in a process of its own, as outside the tests."""
    from geometry.encode import trial

    monkeypatch.setattr("geometry.encode.encoder.try_model", trial.try_model)


@pytest.fixture(scope="session")
def case() -> Callable[[str], Path]:
    """case("06-decimal-comma/eight.csv"): a file rebuilt from a public report, or a skip."""

    def find(name: str) -> Path:
        path = ROOT.parent / "shared" / "cases" / name
        if not path.exists():
            pytest.skip(f"case {name} absent")
        return path

    return find


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """shared_data("stsb/sts-test.csv"): the path of an external data file, or a skip that names it.

    The folder is NARROW_CONE_TEST_DATA, else shared/data beside the repository.
    """
    named = os.environ.get("NARROW_CONE_TEST_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"

    def find(name: str) -> Path:
        path = folder / name
        if not path.exists():
            pytest.skip(f"data file {name} absent")
        return path

    return find
