"""What every test shares: its kind, its cache folder, the external data, the count at the end."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def kind_of(nodeid: str) -> str:
    """The first folder under tests: unit, hub, property, figures, pages, browser, sts."""
    parts = nodeid.split("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "other"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if kind_of(item.nodeid) == "browser":
            item.add_marker(pytest.mark.browser)
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.data)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """One worker has the browser's tests, one all that share the encoded STS-B; else by file."""

    class ByWhatIsShared(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            kind = kind_of(nodeid)
            return kind if kind in ("browser", "sts") else nodeid.split("::")[0]

    return ByWhatIsShared(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, Counter[str]] = {}
    for outcome in OUTCOMES:
        for report in terminalreporter.getreports(outcome):
            counts.setdefault(kind_of(report.nodeid), Counter())[outcome] += 1
    if not counts:
        return
    said = (
        " ".join(
            [
                kind,
                ", ".join(f"{tally[outcome]} {outcome}" for outcome in OUTCOMES if tally[outcome]),
            ]
        )
        for kind, tally in sorted(counts.items())
    )
    terminalreporter.write_sep("-", "tests by kind")
    terminalreporter.write_line("; ".join(said))


@pytest.fixture(scope="session", autouse=True)
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The session's own cache folder, so that no test reads or fills the user's.

    NARROW_CONE_TEST_CACHE names one to keep between sessions.
    """
    named = os.environ.get("NARROW_CONE_TEST_CACHE")
    folder = Path(named) if named else tmp_path_factory.mktemp("cache")
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NARROW_CONE_CACHE_DIR", str(folder))
        yield folder


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
