"""The app in a server process, for browser tests and the benchmark."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
READY_LINE = "You can now view"


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
        self._lines: list[str] = []
        self._answered = threading.Event()

    def page_url(self, page: str = "", *, query: str = "") -> str:
        """The address of a page by its name and query string."""
        return f"{self.url}/{page}" + (f"?{query}" if query else "")

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def log(self) -> str:
        """The server's output so far."""
        return "".join(self._lines)

    def __enter__(self) -> Self:
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
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            if not self._answered.wait(self.timeout) or READY_LINE not in self.log:
                raise RuntimeError(f"The app did not start. Its log:\n{self.log}")
            with urlopen(f"{self.url}/_stcore/health", timeout=self.timeout) as answer:
                assert answer.status == 200, f"Not healthy. Its log:\n{self.log}"
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
            if READY_LINE in line:
                self._answered.set()
        self._answered.set()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # A worker process of the server may outlive it for a moment and keep the pipe open.
        self._reader.join(timeout=5)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
