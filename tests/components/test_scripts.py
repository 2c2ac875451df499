"""Components' scripts: the bundles are up to date, and the server sends a script or its address."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.scripts import BUILT, COMPONENTS, ENTRIES, RECORD, build, digest_of, esbuild_version
from geometry.figures.layout import plotly_script
from pages.common.draw import charts, scripts
from tests.components.scripts import TESTS, run_tests

ROOT = Path(__file__).resolve().parents[2]


def test_the_bundles_are_those_of_the_sources():
    """Without Node: a source, a bundle or esbuild's version that has changed is found."""
    record = json.loads((BUILT / RECORD).read_text(encoding="utf-8"))
    assert {name: digest_of(COMPONENTS / name) for name in record["sources"]} == record["sources"]
    assert {path.name: digest_of(path) for path in BUILT.glob("*.js")} == record["built"]
    assert record["esbuild"] == esbuild_version()
    assert set(record["built"]) == {Path(entry).name for entry in ENTRIES}
    alone = {"arrays.js"}  # a component of its own
    sources = {path.name for path in (COMPONENTS / "twin_cloud").glob("*.js")} - alone
    assert sources <= {Path(name).name for name in record["sources"]}


@pytest.mark.long
def test_a_new_build_gives_the_same_bytes(tmp_path):
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    install = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    subprocess.run(install, cwd=ROOT, check=True, capture_output=True)
    build(tmp_path)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == sorted(path.name for path in BUILT.iterdir())
    for name in names:
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), name


NAMES = sorted(path.name.removesuffix(".test.mjs") for path in TESTS.glob("*.test.mjs"))


@pytest.mark.parametrize("name", NAMES)
def test_the_scripts_own_tests_pass(name, tmp_path):
    assert run_tests(name, tmp_path) == ""


# ---- the static folder ----


@pytest.fixture(params=["twin_cloud", "plotly"])
def put(request, tmp_path, monkeypatch) -> Callable[[], tuple[Path | None, bytes]]:
    """put(): the file in an empty static folder, or None; and the whole script."""
    static = tmp_path / "static"
    monkeypatch.setattr(scripts, "STATIC", static)

    def start() -> tuple[Path | None, bytes]:
        charts.plotly_address.clear()
        if request.param == "plotly":
            sent, whole = charts.plotly_address() or "", plotly_script().read_bytes()
        else:
            sent, whole = scripts.served("twin_cloud"), scripts.built("twin_cloud").encode()
        [*name] = re.findall(r"app/static/([\w.-]+)", sent) if len(sent) < 400 else []
        return (static / name[0] if name else None), whole

    yield start
    charts.plotly_address.clear()


def test_a_script_is_served_whole_and_a_start_renews_and_repairs_it(put):
    own, whole = put()
    for spoil in (lambda: None, lambda: own.write_text("half of it")):
        spoil()
        os.utime(own, (0, 0))
        assert put() == (own, whole)
        assert own.read_bytes() == whole
        assert own.stat().st_mtime > time.time() - 60


def test_scripts_that_no_server_uses_any_more_are_removed(put):
    own, _whole = put()
    digest = own.name.partition("-")[2].partition(".")[0]
    names = {  # another version's, and its age
        own.name.replace(digest, "0"): scripts.EXPIRY + 60,
        own.name.replace(digest, "1"): scripts.EXPIRY - 60,  # a running server may use it
        f"other-{own.name}": scripts.EXPIRY + 60,
        f"{own.name}.map": scripts.EXPIRY + 60,
    }
    for name, age in names.items():
        (own.parent / name).write_text("")
        os.utime(own.parent / name, (time.time() - age,) * 2)
    put()
    assert {path.name for path in own.parent.iterdir()} == {own.name, *[*names][1:]}


def test_what_may_not_be_touched_or_removed_is_served_and_left(put, monkeypatch):
    own, _whole = put()
    old = own.with_name(f"{own.name.partition('-')[0]}-0{''.join(own.suffixes[-1:])}")
    old.write_text("")
    os.utime(old, (0, 0))

    def refuse(*_args, **_more):
        raise PermissionError

    monkeypatch.setattr(scripts.os, "utime", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert put()[0] == own
    assert old.exists()


def test_a_script_has_no_address_where_it_can_not_be_put(put):
    scripts.STATIC.write_text("a file, no folder")
    assert put()[0] is None
