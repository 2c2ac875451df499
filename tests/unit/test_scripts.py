"""Components' scripts: whole when put together, and sent where they can be."""

import re
from collections import Counter
from pathlib import Path

from pages.common import scripts

ROOT = Path(__file__).resolve().parents[2]
TWIN = ROOT / "assets" / "components" / "twin"
DECLARED = re.compile(
    r"^(?:export )?(?:const|let|class|function|async function) (\w+)", re.MULTILINE
)


def test_every_module_is_in_the_bundle_once_behind_what_it_imports():
    bundle = scripts.bundle(TWIN / "twin.js")
    firsts = {
        path.name: bundle.index(path.read_text(encoding="utf8").splitlines()[0])
        for path in TWIN.glob("*.js")
        if path.name != "arrays.js"  # a component of its own
    }
    assert firsts["camera.js"] < firsts["stage.js"] < firsts["twin.js"]
    assert "\nimport" not in bundle
    assert re.findall(r"^export (\w+)", bundle, re.MULTILINE) == ["default"]


def test_no_two_modules_declare_one_name():
    names = Counter(DECLARED.findall(scripts.bundle(TWIN / "twin.js")))
    assert not [name for name, count in names.items() if count > 1]


def test_a_loader_is_sent_where_the_bundle_can_be_served(tmp_path, monkeypatch):
    monkeypatch.setattr(scripts, "STATIC", tmp_path / "static")
    loader = scripts.served(TWIN / "twin.js")
    [name] = re.findall(r"app/static/([\w.-]+)", loader)
    assert (tmp_path / "static" / name).read_text(encoding="utf8") == scripts.bundle(
        TWIN / "twin.js"
    )
    assert len(loader) < 400


def test_the_bundle_itself_is_sent_where_it_can_not(tmp_path, monkeypatch):
    (tmp_path / "static").write_text("a file, no folder")
    monkeypatch.setattr(scripts, "STATIC", tmp_path / "static")
    assert scripts.served(TWIN / "twin.js") == scripts.bundle(TWIN / "twin.js")
