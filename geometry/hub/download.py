"""A model's files into the cache, one after another, with the bytes of all of them counted."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .cache import HubCache
from .transfer import RemoteFile, fetch_file

Progress = Callable[[int, int], None]  # (bytes there, bytes in all); raise in it to stop

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class ListedFile:
    """A file as the hub lists it.

    etag : the name of its content in the cache.   sha256 : hexadecimal, or None where unknown.
    """

    path: str
    url: str
    size: int
    etag: str
    sha256: str | None


class LeftError(Exception):
    """Carries what ``progress`` raised past the errors of the network and the disk."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Download:
    """The files of one commit.   folder : where they are to be, whole one by one."""

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
        self._cache, self._commit, self._headers, self._progress = cache, commit, headers, progress
        self._there = {file.path: self._bytes_there(file) for file in files}
        self._told = 0

    @property
    def missing(self) -> int:
        """Bytes that still have to arrive."""
        return sum(file.size for file in self.files.values()) - sum(self._there.values())

    def fetch(self, path: str) -> None:
        """Bring one file, unless it is there; what is half there is gone on from."""
        file = self.files[path]
        if self._take(file):
            return
        with self._cache.alone(file.etag, waiting=lambda: self._report(file)):
            if not self._take(file):  # another download may have brought it meanwhile
                self._transfer(file)
        self._report(file)

    def _transfer(self, file: ListedFile) -> None:
        remote = RemoteFile(file.url, file.size, file.sha256)
        partial = self._cache.partial(file.etag)
        try:
            fetch_file(remote, partial, headers=self._headers, report=lambda _: self._report(file))
        except OSError as error:
            if error.errno in FULL_DISK:  # everyone on this machine needs the room
                partial.unlink(missing_ok=True)
            raise
        self._cache.finish(file.etag)
        self._take(file)

    def _take(self, file: ListedFile) -> bool:
        return self._cache.take(self._commit, file.path, file.etag, size=file.size)

    def _bytes_there(self, file: ListedFile) -> int:
        if self._take(file):
            return file.size
        partial = self._cache.partial(file.etag)
        return min(partial.stat().st_size, file.size) if partial.is_file() else 0

    def _report(self, file: ListedFile) -> None:
        """Never downwards, also where a server made a file begin anew."""
        self._there[file.path] = self._bytes_there(file)
        self._told = max(self._told, sum(self._there.values()))
        if self._progress is not None:
            try:
                self._progress(self._told, sum(each.size for each in self.files.values()))
            except Exception as reason:
                raise LeftError(reason) from reason
