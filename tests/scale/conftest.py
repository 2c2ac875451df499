"""Fixtures of the tests of geometry/scale: a cluster, sources, results of one process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from geometry.scale import Engine, open_engine
from tests.scale.shards import SHARDS, cloud, run_verb, split, write_files, write_run, write_texts


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Engine]:
    """One cluster of two workers, for all tests that need no special cluster."""
    with open_engine(workers=2) as engine:
        yield engine


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("sources")
    parts = split(cloud(SHARDS * 2000, 64), *[2000] * (SHARDS - 1))
    return {
        "texts": str(write_texts(folder / "texts", 8, 10)),
        "files": str(write_files(folder / "files", parts)),
        "run": str(write_run(folder / "run", parts)),
        "queries": str(write_files(folder / "queries", [cloud(600, 64, seed=3)])),
    }


@pytest.fixture(scope="session")
def quiet(
    sources: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Any]:
    """The result of a verb in this process, without failures."""
    folder = tmp_path_factory.mktemp("quiet")
    found: dict[str, Any] = {}

    def of(verb: str) -> Any:
        if verb not in found:
            found[verb] = run_verb(verb, Engine(), folder, sources)
        return found[verb]

    return of
