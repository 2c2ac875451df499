"""Components' scripts: the bundles are up to date, and the server sends a script or its address."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from deploy.scripts import BUILT, COMPONENTS, ENTRIES, RECORD, build, digest_of, esbuild_version
from geometry.figures.layout import plotly_script
from pages.common.draw import charts, scripts

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


def test_a_loader_is_sent_where_the_bundle_can_be_served(tmp_path, monkeypatch):
    monkeypatch.setattr(scripts, "STATIC", tmp_path / "static")
    loader = scripts.served("twin_cloud")
    [name] = re.findall(r"app/static/([\w.-]+)", loader)
    assert (tmp_path / "static" / name).read_text(encoding="utf8") == scripts.built("twin_cloud")
    assert len(loader) < 400


def test_the_bundle_itself_is_sent_where_it_can_not(tmp_path, monkeypatch):
    (tmp_path / "static").write_text("a file, no folder")
    monkeypatch.setattr(scripts, "STATIC", tmp_path / "static")
    assert scripts.served("twin_cloud") == scripts.built("twin_cloud")


@pytest.fixture
def static(tmp_path, monkeypatch):
    """An empty static folder."""
    folder = tmp_path / "static"
    folder.mkdir()
    monkeypatch.setattr(scripts, "STATIC", folder)
    return folder


def aged(path: Path, seconds: float) -> Path:
    path.write_text("")
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_bundles_that_no_server_uses_any_more_are_removed(static):
    ancient = scripts.EXPIRY + 60
    digest = "0123456789abcdef"
    removed = [
        aged(static / f"twin_cloud-{digest}.js", ancient),
        aged(static / f".twin_cloud-{digest}.js.4711.part", ancient),
    ]
    left = [
        # A running server may still use this bundle.
        aged(static / "twin_cloud-fedcba9876543210.js", scripts.EXPIRY - 60),
        aged(static / f"other-{digest}.js", ancient),
        aged(static / f"twin-cloud-{digest}.js", ancient),
        aged(static / f"twin_cloud-{digest}.js.map", ancient),
        aged(static / "plotly-7.1.0.min.js", ancient),
    ]
    scripts.served("twin_cloud")
    assert not any(path.exists() for path in removed)
    assert all(path.exists() for path in left)
    assert len(list(static.iterdir())) == len(left) + 1


def test_a_start_renews_the_age_of_its_bundle(static):
    loader = scripts.served("twin_cloud")
    [own] = static.iterdir()
    text = own.read_text(encoding="utf8")
    os.utime(own, (0, 0))
    assert scripts.served("twin_cloud") == loader
    assert own.read_text(encoding="utf8") == text
    assert own.stat().st_mtime > time.time() - 60


def test_what_may_not_be_touched_or_removed_is_served_and_left(static, monkeypatch):
    loader = scripts.served("twin_cloud")
    old = aged(static / "twin_cloud-0123456789abcdef.js", scripts.EXPIRY + 60)

    def refuse(*_args, **_more):
        raise PermissionError

    monkeypatch.setattr(scripts.os, "utime", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert scripts.served("twin_cloud") == loader
    assert old.exists()


@pytest.fixture
def fresh_address():
    """Clear the cached address of Plotly before and after the test."""
    charts.plotly_address.clear()
    yield charts.plotly_address
    charts.plotly_address.clear()


def test_plotly_is_served_whole_and_older_ones_are_removed(static, fresh_address):
    ancient = scripts.EXPIRY + 60
    removed = [
        aged(static / "plotly-5.24.1.min.js", ancient),
        aged(static / ".plotly-5.24.1.min.js.4711.part", ancient),
    ]
    left = [
        aged(static / "plotly-6.0.0rc1.min.js", scripts.EXPIRY - 60),  # a running server may use it
        aged(static / "plotly-basic-5.24.1.min.js", ancient),
        aged(static / "plotly-5.24.1.min.js.map", ancient),
        aged(static / "twin_cloud-0123456789abcdef.js", ancient),
    ]
    address = fresh_address()
    own = static / Path(address).name
    assert address == f"app/static/{own.name}"
    assert own.read_bytes() == plotly_script().read_bytes()
    assert not any(path.exists() for path in removed)
    assert all(path.exists() for path in left)
    assert len(list(static.iterdir())) == len(left) + 1


def test_a_start_renews_and_repairs_its_plotly(static, fresh_address):
    own = static / Path(fresh_address()).name
    for spoil in (lambda: None, lambda: own.write_text("half of it")):
        spoil()
        os.utime(own, (0, 0))
        charts.plotly_address.clear()
        assert fresh_address() == f"app/static/{own.name}"
        assert own.read_bytes() == plotly_script().read_bytes()
        assert own.stat().st_mtime > time.time() - 60


def test_plotly_has_no_address_where_it_can_not_be_put(tmp_path, monkeypatch, fresh_address):
    (tmp_path / "static").write_text("a file, no folder")
    monkeypatch.setattr(scripts, "STATIC", tmp_path / "static")
    assert fresh_address() is None
