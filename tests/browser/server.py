"""The app in a server process, for browser tests and the benchmark."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Self
from urllib.request import urlopen

import psutil

ROOT = Path(__file__).resolve().parents[2]


class AppServer:
    """A Streamlit server on a free port: a context manager that starts and stops it.

    with AppServer(cache_dir=folder) as server:
        page.goto(server.page_url("cosine_basis"))
    """

    def __init__(
        self,
        *,
        cache_dir: Path,
        script: Path = ROOT / "app.py",
        environment: Mapping[str, str] | None = None,
        base: str = "",  # of its address: its pages are at /base/page
        timeout: float = 60,
    ) -> None:
        self.cache_dir = cache_dir
        self.script = script
        self.environment = dict(environment or {})
        self.timeout = timeout
        self.port = free_port()
        self.base = base
        self.url = f"http://127.0.0.1:{self.port}{base and '/'}{base}"

    def page_url(self, page: str = "", *, query: str = "") -> str:
        """The address of a page by its name and query string."""
        return f"{self.url}/{page}" + (f"?{query}" if query else "")

    def workers(self) -> list[int]:
        """The ids of its processes that encode or train."""
        found = []
        for child in psutil.Process(self.process_id).children():
            with suppress(psutil.NoSuchProcess):  # it has ended
                if "geometry.process" in " ".join(child.cmdline()):
                    found.append(child.pid)
        return found

    @property
    def log(self) -> str:
        """The server's output so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        output, name = mkstemp(prefix="app", suffix=".log")
        self._log = Path(name)
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "streamlit", "run", str(self.script)),
                *("--server.headless", "true"),
                *("--server.address", "127.0.0.1"),
                *("--server.port", str(self.port)),
                *("--server.baseUrlPath", self.base),
            ],
            cwd=ROOT,
            env=os.environ
            | {"NARROW_CONE_CACHE_DIR": str(self.cache_dir), "PYTHONUNBUFFERED": "1"}
            | self.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        os.close(output)
        self.process_id = self._process.pid
        deadline = time.monotonic() + self.timeout
        while "You can now view" not in self.log:
            if self._process.poll() is not None or time.monotonic() > deadline:
                log = self.log
                self.__exit__()
                raise RuntimeError(f"The app did not start. Its log:\n{log}")
            time.sleep(0.05)
        with urlopen(f"{self.url}/_stcore/health", timeout=self.timeout) as answer:
            assert answer.status == 200, f"Not healthy. Its log:\n{self.log}"
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.unlink()

    def __getstate__(self) -> dict[str, object]:
        """What another process needs to use the running server."""
        return {name: value for name, value in vars(self).items() if name != "_process"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
