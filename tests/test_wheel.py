"""An installed wheel works without the checkout: README's examples, the data files, the stubs."""

import asyncio
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bench.reader import Reader
from tests.event_loop import run_alone
from tests.test_docs import blocks

ROOT = Path(__file__).resolve().parents[1]
BUILT_FROM = (
    *("geometry", "assets", "pages", "deploy", ".streamlit", "app.py"),
    *("pyproject.toml", "README.md", "LICENSE"),
)
READS_ALL_FILES = """
import numpy as np
from geometry import read_bundled, read_pairs, show
from geometry.data.corpus import BUNDLED_CORPORA
from geometry.data.pairs import read_bundled_pairs
from geometry.shipped import shipped_file
from geometry.encode.disk_cache import read_shipped, shipped_index
from geometry.evaluate import published_tables
from geometry.hub.operator_limits import ModelLimits, read_model_limits
from geometry.vectors import read_bundled_vectors

for name in BUNDLED_CORPORA:
    assert len(read_bundled(name)) > 100
assert len(read_pairs(shipped_file("corpora/pairs.csv"))) == len(read_bundled_pairs()) > 100
assert shipped_index()
assert all(read_shipped(key) is not None for key in shipped_index())
assert published_tables()
assert len(read_bundled_vectors("glove").words) == 40_000
assert read_model_limits() == ModelLimits()
assert len(show(np.eye(9) + 1).get_state("_esm")["_esm"]) > 10_000
"""
IMPORTS_EVERY_MODULE = """
import sys
from importlib import import_module
from pkgutil import walk_packages

for module in walk_packages(geometry.__path__, "geometry."):
    if module.name != "geometry.__main__":
        import_module(module.name)
assert not {"pages", "streamlit"} & sys.modules.keys()
"""
CHECKS_THAT_IT_IS_INSTALLED = """
import os, pathlib
import geometry
assert pathlib.Path(geometry.__file__).is_relative_to(os.environ["PYTHONPATH"]), geometry.__file__
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which a wheel of this checkout is installed.

    The dependencies come from the current environment: to install them again takes gigabytes.
    """
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a build leaves files beside the source
    source.mkdir()
    for name in BUILT_FROM:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    offline = ("--no-deps", "--no-index")
    run(*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    run(*pip, "install", *offline, "--target", folder / "installed", wheel, cwd=folder)
    return folder / "installed"


def run(*command: str | Path, cwd: Path, **variables: str) -> None:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=inherited | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


RUNS_EACH = """
import sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), {"__name__": "example"})
"""


@pytest.mark.model
def test_it_works_outside_the_checkout(installed, tmp_path):
    """Data files, every module, README's examples: in one process, which imports torch once."""
    examples = [case.values[1] for case in blocks([ROOT / "README.md"])]
    assert examples
    paths = [tmp_path / f"{place}.py" for place in range(2 + len(examples))]
    # Imports are checked before the examples import more.
    codes = (READS_ALL_FILES, CHECKS_THAT_IT_IS_INSTALLED + IMPORTS_EVERY_MODULE, *examples)
    for path, code in zip(paths, codes, strict=True):
        path.write_text(code, encoding="utf-8")
    run(sys.executable, "-c", RUNS_EACH, *paths, cwd=tmp_path, PYTHONPATH=str(installed))


def test_it_has_the_library_and_the_app_as_data(installed):
    def files(folder: Path) -> set[Path]:
        found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
        return {path.relative_to(folder) for path in found}

    assert files(installed / "geometry") == files(ROOT / "geometry") | {
        Path("assets") / path for path in files(ROOT / "assets")
    }
    app = installed / "narrow_cone_app"
    assert files(app) == {Path("pages") / path for path in files(ROOT / "pages")} | {
        Path(name) for name in ("app.py", ".streamlit/config.toml", "deploy/class.toml")
    }
    top = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert top == {"bin", "geometry", "narrow_cone_app"}


def test_the_command_serves_the_app_and_begins_with_a_file(installed, tmp_path):
    """Its command, not `python -m`: the installed one. In a browser: test_your_corpus.py."""
    table = tmp_path / "own.csv"
    table.write_text("text\n" + "\n".join(f"A sentence about {n}." for n in range(60)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = (sys.executable, installed / "bin" / "narrow-cone", "app", "own.csv")
    served = subprocess.Popen(
        (*command, "--port", str(port), "--no-browser"),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert f"http://localhost:{port}" in (served.stdout or io.StringIO()).readline()
        assert run_alone(files_offered(port)) == ["own.csv"]
    finally:
        os.killpg(served.pid, signal.SIGTERM)
        served.wait()


async def files_offered(port: int) -> list[str]:
    for _ in range(60):
        try:
            async with Reader(port, "your_corpus") as reader:
                await reader.open()
                return list(reader.controls["server-file"].choices)
        except OSError:
            await asyncio.sleep(0.5)
    raise AssertionError("the server has not started")
