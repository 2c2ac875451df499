"""The layout of huggingface_hub's cache folder, which other programs share.

blobs/<etag> is the content of a file. snapshots/<commit>/<path> is a link to it. refs/<revision>
has the commit of a branch or tag. blobs/<etag>.incomplete is a blob that is still arriving.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..data.write import write

COMMIT = re.compile(r"[0-9a-f]{40}")
SAFE = re.compile(r"[\w.-]+")  # an etag or commit that may be a file's name
WAIT = 0.2  # seconds between two attempts to take a lock


def cache_root() -> Path:
    """The cache folder: HF_HUB_CACHE, else hub/ in HF_HOME, else huggingface_hub's default.

    The environment is read at each call; huggingface_hub reads it once.
    """
    from huggingface_hub import constants

    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named is None and (home := os.environ.get("HF_HOME")):
        named = str(Path(home) / "hub")
    return Path(os.path.expandvars(named or constants.HF_HUB_CACHE)).expanduser().absolute()


@dataclass(frozen=True)
class HubCache:
    """The folder of one repository in the cache."""

    folder: Path

    def snapshot(self, commit: str) -> Path:
        """Folder of the repository's files at a commit."""
        return self.folder / "snapshots" / _safe(commit)

    def commit_of(self, revision: str) -> str | None:
        """The commit of a revision when it was last fetched completely; None if never.

        A full commit is returned as it is.
        """
        if COMMIT.fullmatch(revision):
            return revision
        reference = self._reference(revision)
        return reference.read_text(encoding="utf-8").strip() if reference.is_file() else None

    def remember(self, revision: str, commit: str) -> None:
        """Record the revision's commit, for use without a network."""
        if not COMMIT.fullmatch(revision):
            reference = self._reference(revision)
            reference.parent.mkdir(parents=True, exist_ok=True)
            write(reference, commit.encode())

    def mark_complete(self, commit: str) -> None:
        """Record that every needed file of the commit has arrived.

        The folder alone does not show it: other programs fetch fewer files.
        """
        mark = self._mark(commit)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()

    def is_complete(self, commit: str) -> bool:
        """Whether ``mark_complete`` was called for the commit."""
        return self._mark(commit).is_file()

    def partial(self, etag: str) -> Path:
        """Path of a blob that is still arriving."""
        return self.folder / "blobs" / f"{_safe(etag)}.incomplete"

    def link(self, commit: str, path: str, etag: str, *, size: int) -> bool:
        """Link the file of a commit to its blob. False if there is no blob of that size."""
        place, blob = self.snapshot(commit) / path, self.folder / "blobs" / _safe(etag)
        if place.is_file() and place.stat().st_size == size:
            return True
        if not blob.is_file() or blob.stat().st_size != size:
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        try:
            place.symlink_to(os.path.relpath(blob, place.parent))
        except FileExistsError:  # another process has linked it meanwhile
            pass
        except OSError:  # the system does not allow links
            blob.replace(place)
        return True

    def finish(self, etag: str) -> None:
        """Rename the partial blob, which is complete, to its final name."""
        self.partial(etag).replace(self.folder / "blobs" / _safe(etag))

    @contextmanager
    def lock(self, etag: str, *, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the blob's lock, the one that huggingface_hub takes.

        ``waiting`` is called several times a second while another download has it.
        """
        from huggingface_hub.utils import WeakFileLock

        path = self.folder.parent / ".locks" / self.folder.name / f"{_safe(etag)}.lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / "blobs").mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(WeakFileLock(path, timeout=WAIT))
                    break
                except TimeoutError:
                    waiting()
            yield

    def _mark(self, commit: str) -> Path:
        return self.folder / "narrow-cone-whole" / _safe(commit)

    def _reference(self, revision: str) -> Path:
        return self.folder.joinpath("refs", *map(_safe, revision.split("/")))


def _safe(name: str) -> str:
    """The name itself; ValueError if it is not a plain file name."""
    if not SAFE.fullmatch(name) or set(name) == {"."}:
        raise ValueError(f"{name!r} can't be a file's name")
    return name
