"""The image of deploy/Dockerfile starts from a clean checkout: read-only, no network, no root."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.image import ROOT, lines_of, user_id

pytestmark = [pytest.mark.long, pytest.mark.model]

APART = ("unshare", "--net", "--mount", "--fork")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or subprocess.run([*APART, "true"], check=False).returncode:
        pytest.skip("this user can't make namespaces")
    folder = tmp_path_factory.mktemp("image")
    (folder / "cache").mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    ignore = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split("\n")
    for line in lines_of("COPY"):
        *sources, target = line.split()
        assert all(f"!{source}" in ignore for source in sources)
        for name in listed.stdout.split("\0"):
            source = next((each for each in sources if Path(name).is_relative_to(each)), None)
            if source is None or not (ROOT / name).is_file():
                continue
            # COPY copies a folder's content, or a file into a folder.
            inner = Path(name).relative_to(source) if (ROOT / source).is_dir() else Path(name).name
            copy = folder / "app" / target / inner
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)
    prepare = [sys.executable, "-m", "deploy.prepare"]
    subprocess.run(prepare, cwd=folder / "app", check=True)
    return folder


def test_the_server_of_the_image_starts_and_draws_without_network_and_writes_its_cache(image):
    assert (image / "app" / "static").is_dir()
    done = subprocess.run(
        [*APART, sys.executable, "-m", "tests.deploy.image", str(image)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    log = image / "log"
    assert done.returncode == 0, done.stderr + (log.read_text() if log.exists() else "")
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["healthy"], log.read_text()
    assert found["user"] == user_id() != "0"
    assert found["written"] == ["/cache/file", "/tmp/file"]
    written = "\n".join(found["texts"])
    # The UMAP visit writes its numbers twice: SVD is shown until UMAP is fitted.
    assert written.count('class="big-numbers"') == 6
    for unwanted in ("error: ", "can't write its cache folder", "was ended"):
        assert unwanted not in written
    assert list((image / "cache" / "vectors").glob("*.array"))
