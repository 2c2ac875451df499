"""Names are loaded when first used, and a name is never its module."""

import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import geometry

ROOT = Path(__file__).resolve().parents[2]
STABLE = {  # what notebooks and the shell rely on
    "Encoder",
    "Whitening",
    "alignment",
    "cosine_contributions",
    "effective_rank",
    "hubness",
    "intrinsic_dimension",
    "isoscore",
    "isoscore_baseline",
    "load_encoder",
    "mean_cosine",
    "mean_norm_share",
    "opening_angle",
    "participation_ratio",
    "partition_isotropy",
    "project",
    "read_corpus",
    "read_pairs",
    "uniformity",
}


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", geometry.__all__)
def test_every_name_is_there(name):
    found = getattr(geometry, name)
    assert not isinstance(found, ModuleType)
    assert found.__name__ == name
    assert found.__module__.startswith("geometry.")


def test_all_is_sorted_and_complete():
    assert geometry.__all__ == sorted(set(geometry.__all__))
    assert set(geometry.__all__) >= STABLE
    assert set(dir(geometry)) >= set(geometry.__all__)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match=r"'geometry' has no attribute 'whitten'"):
        _ = geometry.whitten
    with pytest.raises(ImportError, match="whitten"):
        from geometry import whitten  # noqa: F401


@pytest.mark.parametrize(
    "first",
    [
        "import geometry.twin",
        "import geometry.project",
        "from geometry import *",
        "import geometry",
    ],
)
def test_project_is_the_function_whatever_was_imported_first(first):
    assert run(f"{first}\nimport geometry\nprint(type(geometry.project).__name__)") == "function"
    assert isinstance(geometry.project, FunctionType)


def test_a_name_costs_only_its_own_module():
    slow = ("torch", "umap", "sklearn", "scipy", "transformers", "huggingface_hub", "httpx2")
    heavy = f"[name for name in {slow} if name in sys.modules]"
    light = "from geometry import describe, fetch_model, load_encoder, project, read_bundled"
    assert run(f"import sys\n{light}\nprint({heavy})") == "[]"


def test_a_linear_picture_with_its_white_twin_loads_nothing_slow():
    """The landing page on a warm cache: neither torch nor umap, nor scikit-learn."""
    code = (
        "import sys\nimport numpy as np\n"
        "from geometry import describe, project, whiten_beside\n"
        "from geometry.twin import cone_edges, fit_whitening, one_scale\n"
        "X = np.random.default_rng(0).standard_normal((50, 6)) + 2\n"
        "twin = whiten_beside(X, fit_whitening(X))\n"
        "raw = project(X)\nwhite = raw.apply(twin.vectors)\n"
        "one_scale(raw, white), cone_edges(X, raw), describe(X)\n"
        "print([name for name in ('torch', 'umap', 'numba', 'sklearn') if name in sys.modules])\n"
    )
    assert run(code) == "[]"


def test_treating_a_cloud_loads_nothing_slow():
    """The whitening page on a warm cache; only k-means needs scikit-learn."""
    code = (
        "import sys\nimport numpy as np\n"
        "from geometry import Knobs, fit_treatment\n"
        "from geometry.covariances import Covariances\n"
        "from geometry.fit_size import whitening_by_size\n"
        "from geometry.treatments import KNOBS, OWN_FIT\n"
        "X = np.random.default_rng(0).standard_normal((50, 6)) + 2\n"
        "for name in set(KNOBS) - {'clusterwise', *OWN_FIT}:\n"
        "    fitted = fit_treatment(name, X, sample_weight=np.ones(50))\n"
        "    Covariances.of(fitted.turn(Knobs(strength=0.5)).apply(X).vectors)\n"
        "whitening_by_size(X)\n"
        "print([name for name in ('torch', 'umap', 'numba', 'sklearn') if name in sys.modules])\n"
    )
    assert run(code) == "[]"
