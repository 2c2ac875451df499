"""nginx with the configuration of deploy/, before servers of this machine."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from tests.browser.chromium import apt_install, is_root_on_debian

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
SECONDS = 10  # seconds within which nginx starts


def find_nginx() -> str:
    """The program; on Debian it is installed if there is none and the tests run as root."""
    # /usr/sbin is on the path of root only
    places = None, "/usr/sbin:/usr/local/sbin"
    found = next(filter(None, (shutil.which("nginx", path=path) for path in places)), None)
    if found is None and is_root_on_debian():
        apt_install("nginx-light")
        found = shutil.which("nginx")
    if found is None:
        pytest.fail("No nginx: install it, for example with `apt-get install nginx-light`.")
    return found


class Proxy:
    """A context manager that starts nginx with deploy's files on a free port, and stops it.

    Parameters
    ----------
    folder : Path
        For the configuration and nginx's own files.
    ports : sequence of int
        The servers' ports on 127.0.0.1, one for each replica in deploy/replicas.conf.
    """

    def __init__(self, folder: Path, ports: Sequence[int]) -> None:
        self._folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        for source in DEPLOY.glob("*.conf"):
            text = source.read_text(encoding="utf-8")
            for number, port in enumerate(ports, start=1):
                text = text.replace(f"app{number}:8501", f"127.0.0.1:{port}")
            text = text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
            assert not re.search(r"\bapp\d|\b8080;", text)
            (folder / source.name).write_text(text, encoding="utf-8")
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        config = self._folder / "nginx.conf"
        self._process = subprocess.Popen(
            [find_nginx(), "-p", str(self._folder), "-c", str(config), "-g", "daemon off;"]
        )
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait(timeout=SECONDS)
