"""One file of the hub into one on disk: resumed where it stopped, and stopped within a moment.

The bytes are read in a thread of their own, so that a caller who cancels never waits for a
server that is silent; what has arrived stays and is continued from by the next call.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PULSE = 0.2  # seconds between two reports, and the longest wait of one who cancels
SILENCE = 15.0  # seconds without a byte after which a transfer counts as broken
PATIENCE = (0.5, 1.0, 2.0)  # seconds before each new try; their number is the number of tries
HEADWAY = 1_000_000  # bytes that a broken try must have brought for the tries to be counted anew


class BrokenTransfer(Exception):
    """The file did not arrive whole, after every new try."""


class _Stopped(Exception):
    """Raised in the reading thread after the caller has left."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch.   size : bytes, or None.   sha256 : hexadecimal, or None where unknown."""

    url: str
    size: int | None
    sha256: str | None


def fetch_file(
    remote: RemoteFile,
    partial: Path,
    *,
    headers: Mapping[str, str],
    report: Callable[[int], None],
) -> None:
    """Fill ``partial`` with the file, going on from what it holds.

    report : called in this thread with the bytes that have arrived, several times a second; an
    exception raised in it ends the transfer at once, and ``partial`` stays for the next call.
    Raises BrokenTransfer, huggingface_hub's errors for an answer that refuses, OSError of the disk.
    """
    reader = _Reader(remote, partial, headers)
    thread = threading.Thread(target=reader.run, name="hub transfer", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(PULSE)
            report(reader.arrived)
    finally:
        reader.stop()
    if reader.error is not None:
        raise reader.error


class _Reader:
    """The thread's side. No byte is written after ``stop`` has returned."""

    def __init__(self, remote: RemoteFile, partial: Path, headers: Mapping[str, str]) -> None:
        self.arrived = _size(partial)
        self.error: Exception | None = None
        self._remote, self._partial, self._headers = remote, partial, headers
        self._stopped = threading.Event()
        self._writing = threading.Lock()

    def stop(self) -> None:
        """Let no further byte be written; returns at once."""
        with self._writing:
            self._stopped.set()

    def run(self) -> None:
        """Read to the end, or until ``stop``; what went wrong is left in ``error``."""
        try:
            self._read_with_patience()
            self._verify()
        except _Stopped:
            pass
        except Exception as error:  # raised again in the caller's thread
            self.error = error

    def _read_with_patience(self) -> None:
        from httpx2 import TransportError

        tries = 0
        while True:
            before = self.arrived
            try:
                return self._read()
            except (TransportError, BrokenTransfer) as error:
                tries = 0 if self.arrived - before >= HEADWAY else tries
                if tries == len(PATIENCE):
                    raise BrokenTransfer(str(error) or type(error).__name__) from error
                if self._stopped.wait(PATIENCE[tries]):
                    raise _Stopped from None
                tries += 1

    def _read(self) -> None:
        from huggingface_hub.utils import get_session, hf_raise_for_status

        start, size = _size(self._partial), self._remote.size
        if size is not None and start == size:
            self._partial.touch()  # a file of no bytes
            return
        if start and (size is None or start > size):  # nothing to go on from
            self._partial.unlink()
            start = 0
        # compressed bytes could be neither counted nor continued from
        headers = {**self._headers, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        url = self._remote.url
        with get_session().stream("GET", url, headers=headers, timeout=SILENCE) as response:
            if response.status_code >= 500:
                raise BrokenTransfer(f"the server answered {response.status_code}")
            hf_raise_for_status(response)
            self.arrived = start if response.status_code == 206 else 0
            with self._partial.open("ab" if response.status_code == 206 else "wb") as file:
                for chunk in response.iter_raw():
                    self._write(file, chunk)
        if size is not None and self.arrived != size:
            raise BrokenTransfer(f"{self.arrived} of {size} bytes arrived")

    def _write(self, file: BinaryIO, chunk: bytes) -> None:
        with self._writing:
            if self._stopped.is_set():
                raise _Stopped
            file.write(chunk)
            file.flush()  # or closing the file would write after stop()
            self.arrived += len(chunk)

    def _verify(self) -> None:
        """Compare the sha256 where it is known; a file that differs is removed."""
        if self._remote.sha256 is None:
            return
        digest = hashlib.sha256()
        with self._partial.open("rb") as file:
            while block := file.read(1 << 20):
                if self._stopped.is_set():
                    raise _Stopped
                digest.update(block)
        if digest.hexdigest() != self._remote.sha256:
            self._partial.unlink()
            raise BrokenTransfer("its sha256 is not the hub's")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
