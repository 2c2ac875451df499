"""Imports point one way, each library has its room, and pages stay short."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]

ROOMS = {  # library: where it may be imported
    "streamlit": ("app.py", "pages/", "tests/"),
    "plotly": ("geometry/figures/", "tests/", "bench/"),
    "transformers": ("geometry/encode/", "geometry/hub/", "tests/", "bench/"),
    "dask": ("geometry/scale", "tests/", "bench/"),
    "distributed": ("geometry/scale", "tests/", "bench/"),
}
NOT_FROM = {  # a place: what it may not import, however short the way
    "geometry/": ("pages", "app", "tests", "bench"),
    "pages/": ("app", "tests", "bench"),
    "bench/": ("pages", "app"),
}
SLOW_OR_FOREIGN = ("torch", "umap", "numba", "transformers", "streamlit", "plotly", "dask")


def python_files() -> list[str]:
    """Every Python file that git tracks or would, as a path from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return sorted(name for name in set(listed.stdout.splitlines()) if (ROOT / name).exists())
    unpacked = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return sorted(
        path.as_posix()
        for path in unpacked
        if path.parts[0] != "build" and not any(part.startswith(".") for part in path.parts)
    )


def imports(name: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import in the file, inside functions too, relative ones resolved."""
    package = PurePosixPath(name).parent.parts
    for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"), filename=name)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *filter(None, [node.module])))
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def all_imports() -> list[tuple[str, int, str]]:
    return [(name, line, module) for name in python_files() for line, module in imports(name)]


def length(name: str) -> int:
    return len((ROOT / name).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("library", ROOMS)
def test_a_library_stays_in_its_room(library):
    outside = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports()
        if is_in(module, library) and not name.startswith(ROOMS[library])
    ]
    assert not outside


@pytest.mark.parametrize("place", NOT_FROM)
def test_imports_point_one_way(place):
    against = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports()
        if name.startswith(place) and any(is_in(module, other) for other in NOT_FROM[place])
    ]
    assert not against


def test_geometry_does_not_import_its_figures():
    against = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports()
        if name.startswith("geometry/")
        and not name.startswith("geometry/figures/")
        and is_in(module, "geometry.figures")
    ]
    assert not against


def test_pages_import_no_page():
    against = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports()
        if name.startswith("pages/")
        and is_in(module, "pages")
        and not is_in(module, "pages.common")
        and not is_in(module, ".".join(name.split("/")[:2]))
    ]
    assert not against


def test_app_and_pages_are_short():
    limits = {name: 80 for name in python_files() if PurePosixPath(name).match("pages/*/page.py")}
    limits["app.py"] = 40
    too_long = [f"{name}: {length(name)} lines" for name, n in limits.items() if length(name) >= n]
    assert not too_long


def test_importing_geometry_is_light():
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, geometry; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "geometry" in loaded
    assert not [module for module in SLOW_OR_FOREIGN if module in loaded]
