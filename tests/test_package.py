"""The ranges and extras of pyproject.toml; the core alone, with the lowest versions."""

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import geometry
from geometry.errors import MissingExtraError

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PINNED = ("", "-scale", "-hdf5", "-tsne", "-chinese", "-notebook")  # requirements*.txt

OF_THE_CORE = """
import json, sys
import numpy as np
import geometry
from geometry import CommonComponentRemoval, Whitening, diagnose, fit_treatment, measure_table
from geometry.errors import MissingExtraError

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 16)) * np.geomspace(3, 0.3, 16) + 2
Z = Whitening("zca").fit_transform(X)
assert geometry.mean_cosine(X) > 0.5 > abs(geometry.mean_cosine(Z))
assert all(row.value is not None for row in measure_table(X)[:3])
CommonComponentRemoval(2).fit_transform(X)
found = diagnose(X, labels=[str(n % 3) for n in range(300)])
assert found.chosen is not None or found.findings
missing = {}
for name, call in {
    "encode": lambda: geometry.load_encoder(),
    "umap": lambda: geometry.project(X, "umap"),
    "tsne": lambda: geometry.project(X, "tsne"),
    "figures": lambda: geometry.figures.spectrum(X),
    "flow": lambda: geometry.NormalizingFlow().fit(X),
    "scale": lambda: geometry.scale.open_run("run"),
    "hub": lambda: geometry.hub.fetch_model("some/model"),
    "show": lambda: geometry.show(X),
    "training": lambda: list(geometry.train_language_model(["a b c"] * 300)),
}.items():
    try:
        call()
    except MissingExtraError as error:
        missing[name] = error.details["extra"]
print(json.dumps([missing, sorted({"torch", "streamlit", "plotly"} & sys.modules.keys())]))
"""


def requirements(lines: list[str]) -> dict[str, Requirement]:
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(each.name): each for each in found if each.name != "narrow-cone"}


def pinned() -> dict[str, Requirement]:
    files = [(ROOT / f"requirements{name}.txt").read_text(encoding="utf-8") for name in PINNED]
    lines = "\n".join(files).splitlines()
    return requirements([line for line in lines if line and not line.startswith("#")])


def test_every_pinned_package_is_in_a_range_and_within_it():
    ranges = requirements(
        [*PROJECT["dependencies"], *(each for of in EXTRAS.values() for each in of)]
    )
    assert pinned().keys() == ranges.keys()
    for name, pin in pinned().items():
        [version] = [each.version for each in pin.specifier]
        assert ranges[name].specifier.contains(version), name


def test_all_extras_are_in_all_and_the_version_has_one_place():
    named = re.findall(r"[a-z0-9]+", EXTRAS["all"][0].partition("[")[2] + EXTRAS["app"][0])
    assert EXTRAS.keys() - {"all"} <= set(named)
    assert PROJECT["dynamic"] == ["version"]
    assert str(Version(geometry.__version__)) == geometry.__version__
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {geometry.__version__}\n" in cited


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr("geometry.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match="extra `encode`"):
        geometry.load_encoder()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_core_alone_works_with_its_lowest_versions(tmp_path):
    """An environment with nothing else: measures, whitening, a diagnosis, the shell."""
    lowest = []
    for name, each in requirements(PROJECT["dependencies"]).items():
        [version] = [found.version for found in each.specifier if found.operator == ">="]
        lowest.append(f"{name}=={version}")
    wheels, place = tmp_path / "wheels", tmp_path / "venv"
    built = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, ROOT)
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *built], check=True)
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = ("-m", "pip", "install", "--quiet", *lowest, next(wheels.glob("*.whl")))
    subprocess.run([python, *install], check=True)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [python, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("-c", OF_THE_CORE) == (
        '[{"encode": "encode", "umap": "umap", "tsne": "tsne", "figures": "notebook", '
        '"flow": "encode", "scale": "scale", "hub": "encode", "show": "notebook", '
        '"training": "encode"}, []]\n'
    )
    run("-c", "import numpy as np; np.save('v.npy', np.random.default_rng(0).normal(size=(99, 8)))")
    run("-m", "geometry", "whiten", "v.npy", "--out", "white.npy")
