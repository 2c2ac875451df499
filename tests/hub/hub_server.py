"""A small server with the Hub's file layout, which fails where a test requires it."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

CHUNK = 1024  # bytes of one write
LISTING = re.compile(
    r"/api/(?P<kind>models|datasets)/(?P<name>[^/]+/[^/]+)(/revision/(?P<revision>.+))?"
)
FILE = re.compile(
    r"/((?P<kind>datasets)/)?(?P<name>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)"
)


@dataclass
class Request:
    """A request, and the bytes of the file sent for it."""

    method: str
    path: str  # of the file, or "" for a listing
    start: int = 0
    sent: int = 0
    token: str = ""


@dataclass
class Faults:
    """The faults of the server. Paths are paths of files."""

    status: dict[str, int] = field(default_factory=dict)  # repository: the answer to everything
    file_status: dict[str, int] = field(default_factory=dict)  # path: the answer
    breaks: dict[str, list[int]] = field(default_factory=dict)  # path: bytes until each break
    stalls: dict[str, int] = field(default_factory=dict)  # path: bytes until silence, once
    hides_sizes: bool = False  # the listing contains only names
    no_ranges: bool = False  # every file is sent from its start
    no_listing: bool = False  # the answer is a page of HTML instead


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Print nothing when a client disconnects."""


class HubServer:
    """``publish`` files, read ``requests``; ``url`` is the endpoint. Use as a context manager."""

    def __init__(self) -> None:
        self.revisions: dict[tuple[str, str], str] = {}
        self.files: dict[tuple[str, str], dict[str, bytes]] = {}
        self.requests: list[Request] = []
        self.faults = Faults()
        self.released = threading.Event()  # ends every stalled transfer
        self._server = _Quiet(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End every stalled transfer and stop the server."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def publish(self, name: str, files: Path | dict[str, bytes], *, revision: str = "main") -> str:
        """Publish files, or those of a folder; returns the commit."""
        if isinstance(files, Path):
            paths = (path for path in sorted(files.rglob("*")) if path.is_file())
            files = {path.relative_to(files).as_posix(): path.read_bytes() for path in paths}
        content = b"".join(key.encode() + value for key, value in sorted(files.items()))
        commit = hashlib.sha1(content).hexdigest()
        self.revisions[name, revision] = self.revisions[name, commit] = commit
        self.files[name, commit] = files
        return commit

    def fetched(self) -> set[str]:
        """The files of which bytes were sent."""
        return {request.path for request in self.requests if request.sent}


def _handler(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self, *, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            matched = LISTING.fullmatch(path) or FILE.fullmatch(path)
            if matched is None:
                return self._refuse(404)
            kind = "datasets/" if matched["kind"] == "datasets" else ""
            name, revision = f"{kind}{matched['name']}", matched["revision"] or "main"
            request = Request(self.command, matched.groupdict().get("path", ""))
            request.token = self.headers.get("Authorization", "")
            hub.requests.append(request)
            if name in hub.faults.status:
                return self._refuse(hub.faults.status[name])
            if not any(known == name for known, _ in hub.revisions):
                return self._refuse(404, "RepoNotFound")
            commit = hub.revisions.get((name, revision))
            if commit is None:
                return self._refuse(404, "RevisionNotFound")
            if not request.path:
                return self._list(name, commit)
            return self._send(request, name, commit, with_body=with_body)

        def _refuse(self, status: int, code: str = "") -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            if code:
                self.send_header("X-Error-Code", code)
            self.end_headers()

        def _list(self, name: str, commit: str) -> None:
            siblings = [
                _listed(*file, bare=hub.faults.hides_sizes)
                for file in hub.files[name, commit].items()
            ]
            body = json.dumps(
                {"id": name.removeprefix("datasets/"), "sha": commit, "siblings": siblings}
            ).encode()
            if hub.faults.no_listing:
                body = b"<html>Log in to this network</html>"
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _send(self, request: Request, name: str, commit: str, *, with_body: bool) -> None:
            path, faults = request.path, hub.faults
            content = hub.files[name, commit].get(path)
            if path in faults.file_status or content is None:
                code = "EntryNotFound" if content is None else ""
                self._refuse(faults.file_status.get(path, 404), code)
                return
            wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            request.start = int(wanted[1]) if wanted and not faults.no_ranges else 0
            body = content[request.start :]
            self.send_response(206 if request.start else 200)
            if request.start:
                span = f"bytes {request.start}-{len(content) - 1}/{len(content)}"
                self.send_header("Content-Range", span)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", commit)
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()
            if with_body:
                self._pour(request, body)

        def _pour(self, request: Request, body: bytes) -> None:
            breaks = hub.faults.breaks.get(request.path, [])
            end = breaks.pop(0) if breaks else len(body)
            broken = end < len(body)
            silence = None if broken else hub.faults.stalls.pop(request.path, None)
            for start in range(0, min(end, len(body)), CHUNK):
                if silence is not None and start >= silence:
                    hub.released.wait(60)
                chunk = body[start : min(start + CHUNK, end)]
                request.sent += len(chunk)  # counted first: the client may read it at once
                try:
                    self.wfile.write(chunk)
                except OSError:  # the client disconnected
                    request.sent -= len(chunk)
                    break
            if broken:
                self.close_connection = True

    return Handler


def _listed(path: str, content: bytes, *, bare: bool) -> dict[str, object]:
    if bare:
        return {"rfilename": path}
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return {"rfilename": path, "size": len(content), "blobId": blob}
