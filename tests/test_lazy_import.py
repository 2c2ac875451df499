"""Names are loaded at first use, and a function's name never gives its module."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import geometry
from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (
    *("claims", "data", "diagnosis", "encode", "evaluate", "explore", "export", "figures"),
    *("hub", "linalg", "measure", "notebook"),
    *("projection", "scale", "training", "transform", "vectors"),
)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def public_names() -> list[tuple[str, str]]:
    """(package, name) of every name that the package and its folders list."""
    packages = ["geometry", *(f"geometry.{subpackage}" for subpackage in FOLDERS)]
    return [
        (package, name)
        for package in packages
        for name in getattr(import_module(package), "__all__", ())
        if not (package == "geometry" and name in FOLDERS)
    ]


@for_each(("package", "name"), public_names())
def test_every_name_is_there(package, name):
    found = getattr(import_module(package), name)
    assert not isinstance(found, ModuleType)
    if hasattr(found, "__module__"):  # a constant has no module
        assert found.__module__.startswith("geometry.")


def test_the_top_level_is_one_screen_complete_and_listed_in_the_folders():
    names = set(geometry.__all__) - set(FOLDERS)
    assert len(names) <= 46
    assert set(dir(geometry)) >= names
    in_folders = {name for package, name in public_names() if package != "geometry"}
    assert set(geometry.__all__) - set(FOLDERS) - {"UndefinedMeasure"} <= in_folders


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match=r"No geometry attribute whitten"):
        _ = geometry.whitten
    with pytest.raises(ImportError, match="whitten"):
        from geometry import whitten  # noqa: F401


@pytest.mark.parametrize(
    "first",
    [
        "import geometry.projection.twin",
        "import geometry.projection.projection",
        "from geometry import *",
        "import geometry",
    ],
)
def test_project_is_the_function_whatever_was_imported_first(first):
    assert run(f"{first}\nimport geometry\nprint(type(geometry.project).__name__)") == "function"
    assert isinstance(geometry.project, FunctionType)


SLOW = ("torch", "umap", "openTSNE", "numba", "sklearn")
NAMES = """
from geometry import load_encoder, project, read_bundled
from geometry.hub import fetch_model
"""
# the landing page on a warm cache
PICTURE = """
from geometry import project
from geometry.measure import measure_table
from geometry.projection import whiten_beside
from geometry.projection.twin import cone_edges, fit_whitening, common_scale
twin, raw = whiten_beside(X, fit_whitening(X)), project(X)
common_scale(raw, raw.apply(twin.vectors)), cone_edges(X, raw), measure_table(X)
"""
# the whitening page on a warm cache; only k-means and FastICA need scikit-learn
TREATED = """
from geometry import fit_treatment
from geometry.transform import Knobs
from geometry.linalg.spectrum import Covariances
from geometry.evaluate.fit_size import whitening_by_size
from geometry.transform.treatments import TREATMENTS
for name in [k.name for k in TREATMENTS.values() if k.takes_moments]:
    fitted = fit_treatment(name, X, sample_weight=np.ones(50))
    Covariances.of(fitted.turn(Knobs(strength=0.5)).apply(X).vectors)
whitening_by_size(X)
"""


@pytest.mark.parametrize(
    ("code", "slow"),
    [
        (NAMES, (*SLOW, "scipy", "transformers", "huggingface_hub", "httpx2")),
        (PICTURE, SLOW),
        (TREATED, SLOW),
    ],
    ids=["names", "picture", "treated"],
)
def test_nothing_slow_is_loaded(code, slow):
    rows = "import sys\nimport numpy as np\nX = np.random.default_rng(0).normal(size=(50, 6)) + 2"
    assert run(f"{rows}{code}print([name for name in {slow} if name in sys.modules])") == "[]"
