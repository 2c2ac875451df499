"""The site of the documents and its notebooks: all names and pages; no warning in the build."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from sphinx.util.inventory import InventoryFile

from tests.test_docs import CODE, TEXT
from tests.test_lazy_import import FOLDERS, public_names

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
MAKE = (ROOT / "Makefile").read_text(encoding="utf-8")


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


# ---- what is in it ----


def test_the_reference_has_every_package_that_lists_names():
    listed = re.findall(r"^   (geometry[\w.]*)$", TEXT["reference"], re.MULTILINE)
    packages = [f"geometry.{name}" for name in FOLDERS]
    with_names = [name for name in packages if hasattr(import_module(name), "__all__")]
    assert listed == ["geometry", *sorted(with_names)]


def test_every_measure_of_a_cloud_has_its_formula():
    """Those of a table of measures; quantiles and sums of others have none of their own."""
    said = " ".join(CODE.findall(TEXT["mathematics"]))
    listed = import_module("geometry.measure").measure_names()
    functions = {re.sub(r"_(90|rms|uncentred)$", "", name) for name in listed}
    functions -= {"positive_cosine_share", "top_contribution", "top_5_contributions"}
    assert len(functions) >= 10
    assert not [name for name in functions if name not in said]


# ---- the notebooks ----


def test_notebooks_are_stored_without_outputs_and_begin_with_a_title():
    assert len(NOTEBOOKS) == 6
    for path in NOTEBOOKS:
        notebook = read(path)
        assert notebook.cells[0].source.startswith("# ")
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert not any(cell.outputs or cell.execution_count for cell in code), path.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_prose_of_a_notebook_has_no_number_that_it_does_not_compute(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    prose = re.sub(r"\(?(18|19|20)\d\d\)?|0\.5 is chance|GloVe 6B, 100 numbers", "", prose)
    assert not re.findall(r"\d+[.,]\d+|\d{3,}|\d%", prose.replace("95% interval", ""))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_a_display(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = read(path)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=300, resources=where).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert any(cell.outputs for cell in code)


# ---- the build ----


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_site_is_built_without_a_warning_and_has_every_public_name(tmp_path):
    [command] = re.findall(r"\$\(BIN\)/(sphinx-build .*) build/site", MAKE)
    arguments = command.replace("build/doctrees", str(tmp_path / "doctrees")).split()
    assert {"-W", "-n"} <= set(arguments)
    run = [Path(sys.executable).with_name(arguments[0]), *arguments[1:], tmp_path / "site"]
    made = subprocess.run(
        run, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr[-3000:]
    with (tmp_path / "site/objects.inv").open("rb") as file:
        found = InventoryFile.load(file, "", lambda _base, name: name)
    described = {name for kind, names in found.items() if kind.startswith("py:") for name in names}
    missing = []
    for package, name in public_names():
        homes = [f"{each}.{name}" for each, other in public_names() if other == name]
        is_there = f"{package}.{name}" in described
        if not (is_there or (package == "geometry" and set(homes) & described)):
            missing.append(f"{package}.{name}")
    assert not missing
    page = (tmp_path / "site/docs/api/geometry.html").read_text(encoding="utf-8")
    top = [name for package, name in public_names() if package == "geometry"]
    assert not [name for name in top if f">{name}<" not in page and f".{name}<" not in page]
    first_look = (tmp_path / "site/docs/notebooks/first-look.html").read_text(encoding="utf-8")
    assert "Plotly.newPlot" in first_look  # its outputs are there
    assert (tmp_path / "site/index.html").is_file()
