"""An installed wheel works without the checkout: README's examples, the data files, the stubs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import blocks

ROOT = Path(__file__).resolve().parents[1]
BUILT_FROM = (
    *("geometry", "assets", "pyproject.toml", "requirements.txt", "requirements-scale.txt"),
    *("requirements-chinese.txt", "requirements-hdf5.txt", "README.md", "LICENSE"),
)
READS_ALL_FILES = """
from geometry import read_bundled, read_pairs
from geometry.data.corpus import bundled_corpora
from geometry.data.pairs import read_bundled_pairs
from geometry.data.shipped import shipped_file
from geometry.encode.shipped_vectors import read_shipped, shipped_index
from geometry.evaluate import published_tables
from geometry.hub.operator_limits import ModelLimits, read_model_limits
from geometry.vectors import read_bundled_vectors

for name in bundled_corpora():
    assert len(read_bundled(name)) > 100
assert len(read_pairs(shipped_file("corpora/pairs.csv"))) == len(read_bundled_pairs()) > 100
assert shipped_index()
assert all(read_shipped(key) is not None for key in shipped_index())
assert published_tables()
assert len(read_bundled_vectors("glove").words) == 40_000
assert read_model_limits() == ModelLimits()
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


def test_its_shell_command_works_outside_the_checkout(installed, tmp_path):
    command = (sys.executable, "-m", "geometry", "evaluate", "--help")
    run(*command, cwd=tmp_path, PYTHONPATH=str(installed))


def test_it_has_the_whole_library_and_no_page_file(installed):
    library = {
        path.relative_to(ROOT)
        for path in (ROOT / "geometry").rglob("*.*")
        if path.suffix in (".py", ".pyi", ".typed")
    }
    files = ("published.json", "recorded-contrast.json")
    data = {Path("geometry/assets") / name for name in files} | {
        Path("geometry/assets") / folder / path.name
        for folder in ("corpora", "training", "vectors", "vectors/glove")
        for path in (ROOT / "assets" / folder).iterdir()
        if path.is_file()
    }
    data |= {  # for the shell's report in each language
        Path("geometry") / path.relative_to(ROOT)
        for name in ("*.po", "language.toml", "claims.toml")
        for path in ROOT.glob(f"assets/text/*/{name}")
    }
    found = {
        path.relative_to(installed)
        for path in (installed / "geometry").rglob("*.*")
        if path.suffix != ".pyc"
    }
    assert found == library | data
    assert {path.name for path in installed.iterdir() if path.suffix != ".dist-info"} == {
        "geometry"
    }
