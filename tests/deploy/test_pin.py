"""Each installed package is pinned, also those that others require; so are actions and images."""

import re
import subprocess

from deploy.pin import CONSTRAINTS, LICENCES, ROOT, installed, required

PINS = dict(line.split("==") for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines()[1:])


def test_every_installed_package_is_pinned_and_has_a_licence_in_the_table():
    packages = installed(required(ROOT / "requirements-dev.txt"))
    assert {"streamlit", "jinja2", "torch"} <= packages.keys()
    for name, package in packages.items():
        assert PINS[name] == package.version.partition("+")[0], name
    table = LICENCES.read_text(encoding="utf-8")
    assert re.findall(r"^\| ([a-z0-9-]+) \| \S", table, re.M)[2:] == sorted(PINS)


def test_the_makefile_and_the_image_install_what_is_pinned():
    for path in ("Makefile", "deploy/Dockerfile"):
        installs = re.findall(r"pip install .*", (ROOT / path).read_text(encoding="utf-8"))
        assert installs
        assert all("-c constraints.txt" in line for line in installs), path


def test_torch_s_own_index_serves_torch_alone():
    made = ("make", "-nB", "TORCH_INDEX=own", ".venv/.run-ready", ".venv/.dev-ready")
    printed = subprocess.run(made, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    image = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
    installs = [*re.findall("pip install (.*)", printed), *re.findall("pip install (.*)", image)]
    assert len(installs) == 6
    for of_torch, of_all in zip(installs[::2], installs[1::2], strict=True):
        assert re.search(r'--no-deps --index-url (own|"\$TORCH_INDEX") torch$', of_torch)
        assert "index" not in of_all
        assert "-r requirements" in of_all


def test_actions_are_pinned_by_commit():
    files = (ROOT / ".github/workflows").glob("*.yml")
    found = [each for file in files for each in re.findall(r"uses: (\S+)", file.read_text("utf-8"))]
    assert found
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each) for each in found)
