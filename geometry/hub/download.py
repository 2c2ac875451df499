"""The files of one commit, by huggingface_hub's own transfer, into huggingface_hub's own cache.

``http_get`` of huggingface_hub makes the requests, retries and continues within one transfer. Its
``hf_hub_download`` deletes the part that has arrived when a download ends early. The partial file
is therefore written here, so that a cancelled or broken download resumes with the next call.
"""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .cache import HubCache

Progress = Callable[[int, int], None]  # (done, in all); raise in it to end the work

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
PULSE = 0.2  # seconds between two reports, and the longest delay of a cancel
CHUNK_BYTES = 1 << 17  # written at once


@dataclass(frozen=True)
class ListedFile:
    """A file as the hub lists it."""

    path: str  # in the repository
    url: str
    size: int  # bytes
    etag: str  # the name of its content in the cache
    sha256: str | None  # hexadecimal; None if unknown


class BrokenTransfer(Exception):
    """The file did not arrive, after every retry. What has arrived is continued later."""


class DamagedTransfer(BrokenTransfer):
    """The file that arrived is not the listed one."""


class CancelledDownload(Exception):
    """Carries what ``progress`` raised past the handlers of network and disk errors."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Download:
    """The transfer of the files of one commit.

    Attributes
    ----------
    files : dict of ListedFile
        By path.
    folder : Path
        The snapshot where the files are placed as they arrive.
    """

    def __init__(
        self,
        files: Sequence[ListedFile],
        *,
        cache: HubCache,
        commit: str,
        headers: Mapping[str, str],
        progress: Progress | None,
    ) -> None:
        self.files = {file.path: file for file in files}
        self.folder = cache.snapshot(commit)
        self._cache, self._commit, self._progress = cache, commit, progress
        # compressed bytes could be neither counted nor continued
        self._headers = {**headers, "Accept-Encoding": "identity"}
        self._arrived = {file.path: self._bytes_there(file) for file in files}
        self._reported = 0

    @property
    def missing(self) -> int:
        """Bytes that still have to arrive."""
        return sum(file.size for file in self.files.values()) - sum(self._arrived.values())

    def fetch(self, path: str) -> None:
        """Fetch one file, unless the cache has it. A partial file is continued.

        Raises
        ------
        BrokenTransfer
            If the connection broke and every retry failed, or a damaged file arrived.
        CancelledDownload
            If ``progress`` raised; the exception is its ``reason``.
        HfHubHTTPError
            If the hub refused.
        OSError
            If the disk failed.
        """
        file = self.files[path]
        if self._link(file):
            return
        with self._cache.lock(file.etag, waiting=lambda: self._report(file)):
            if not self._link(file):  # another process may have fetched it meanwhile
                self._transfer(file)
        self._report(file)

    def _transfer(self, file: ListedFile) -> None:
        partial, errors = self._cache.partial(file.etag), list[Exception]()

        def run() -> None:
            try:
                _receive(file, blob, self._headers)
            except Exception as error:  # raised again in the caller's thread
                errors.append(error)

        try:
            # In a thread, because a silent server blocks it. A cancel closes the file: the thread
            # then fails at its next write.
            with partial.open("ab") as blob:
                thread = threading.Thread(target=run, name="hub transfer", daemon=True)
                thread.start()
                while thread.is_alive():
                    thread.join(PULSE)
                    self._report(file, blob.tell())
            if errors:
                raise errors[0]
        except DamagedTransfer:
            partial.unlink()
            raise
        except OSError as error:
            if error.errno in FULL_DISK:  # other programs need the space
                partial.unlink(missing_ok=True)
            raise
        self._cache.finish(file.etag)
        self._link(file)

    def _link(self, file: ListedFile) -> bool:
        return self._cache.link(self._commit, file.path, file.etag, size=file.size)

    def _bytes_there(self, file: ListedFile) -> int:
        if self._link(file):
            return file.size
        partial = self._cache.partial(file.etag)
        return partial.stat().st_size if partial.is_file() else 0

    def _report(self, file: ListedFile, arrived: int | None = None) -> None:
        """Call ``progress``. The count never falls, also if a server starts a file anew."""
        arrived = self._bytes_there(file) if arrived is None else arrived
        self._arrived[file.path] = min(arrived, file.size)
        self._reported = max(self._reported, sum(self._arrived.values()))
        if self._progress is not None:
            try:
                self._progress(self._reported, sum(each.size for each in self.files.values()))
            except Exception as reason:
                raise CancelledDownload(reason) from reason


def _receive(file: ListedFile, blob: BinaryIO, headers: Mapping[str, str]) -> None:
    """Append to ``blob`` what it lacks of the file, then verify size and sha256."""
    from httpx2 import TransportError
    from huggingface_hub import constants
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import silent_tqdm

    # huggingface_hub writes 10 MB at once and has no parameter for it: at 10 Mbit/s progress
    # would move every eight seconds, and a broken connection would lose as much.
    constants.DOWNLOAD_CHUNK_SIZE = CHUNK_BYTES
    try:
        if blob.tell() < file.size:
            http_get(
                file.url,
                blob,
                resume_size=blob.tell(),
                headers=dict(headers),
                tqdm_class=silent_tqdm,
            )
    except TransportError as error:
        raise BrokenTransfer(str(error) or type(error).__name__) from error
    if blob.tell() != file.size:
        raise DamagedTransfer(f"{blob.tell()} of {file.size} bytes arrived")
    blob.flush()
    os.fsync(blob.fileno())
    if file.sha256 is not None and _sha256(Path(blob.name)) != file.sha256:
        raise DamagedTransfer("its sha256 is not the hub's")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
