"""Each installed package is pinned, also those that others require; so are actions and images."""

import json
import re
import subprocess
import threading
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from deploy import pin
from deploy.pin import CONSTRAINTS, LICENCES, LISTS, ROOT, WITH_IMAGES, installed, required

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


class Registry(BaseHTTPRequestHandler):
    """Docker's registry and its tokens, as its HTTP API describes them."""

    def do_HEAD(self) -> None:
        name = re.fullmatch(r"/v2/([\w-]+/[\w-]+)/manifests/[\w.-]+", self.path)[1]
        if self.headers["Authorization"] != f"Bearer token of repository:{name}:pull":
            realm = f"http://127.0.0.1:{self.server.server_port}/token"
            asks = f'Bearer realm="{realm}",service="hub",scope="repository:{name}:pull"'
            self.answer(401, "WWW-Authenticate", asks)
        elif self.headers["Accept"] != LISTS or "unknown" in self.path:
            self.answer(404, "Content-Type", "application/json")
        else:
            self.answer(200, "Docker-Content-Digest", digest(self.path))

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        assert path == "/token"
        [scope] = re.findall("^service=hub&scope=(.+)$", query)
        scope = scope.replace("%3A", ":").replace("%2F", "/")
        self.answer(200, "Content-Type", "application/json", {"token": f"token of {scope}"})

    def answer(self, status: int, name: str, value: str, content: object = None) -> None:
        self.send_response(status)
        self.send_header(name, value)
        self.end_headers()
        if content:
            self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def digest(path: str) -> str:
    if "broken" in path:
        return "md5:1"
    return f"sha256:{sha256(path.encode()).hexdigest()}"


@pytest.fixture
def registry(monkeypatch):
    for variable in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_images_get_the_registry_s_digests(registry):
    names = {"python:3.11-slim": "library/python", "nginxinc/nginx-unprivileged:1.28": ""}
    for path, (image, name) in zip(WITH_IMAGES, names.items(), strict=True):
        text = path.read_text(encoding="utf-8")
        pinned = pin.with_digests(text, registry)
        of = digest(f"/v2/{name or image.partition(':')[0]}/manifests/{image.partition(':')[2]}")
        assert f" {image}@{of}\n" in pinned
        bare = re.sub("@sha256:[0-9a-f]{64}", "", text)
        assert pinned.replace(f"@{of}", "") == bare  # nothing else is changed
        assert pin.with_digests(pinned.replace(of, "sha256:" + 64 * "0"), registry) == pinned
