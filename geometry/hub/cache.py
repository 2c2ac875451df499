"""huggingface_hub's cache folder: its layout, so that other programs share what is fetched.

blobs/<etag> holds the content, snapshots/<commit>/<path> links to it, and refs/<revision> says
which commit a branch or tag was. A blob that is still arriving is blobs/<etag>.incomplete.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

COMMIT = re.compile(r"[0-9a-f]{40}")
SAFE = re.compile(r"[\w.-]+")  # an etag or commit that may be a file's name
WAIT = 0.2  # seconds between two looks at a lock that another download holds


def cache_root() -> Path:
    """The cache folder: HF_HUB_CACHE, else hub/ in HF_HOME, else huggingface_hub's own place.

    Read from the environment at each call, where huggingface_hub reads it once.
    """
    from huggingface_hub import constants

    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if named is None and (home := os.environ.get("HF_HOME")):
        named = str(Path(home) / "hub")
    return Path(os.path.expandvars(named or constants.HF_HUB_CACHE)).expanduser().absolute()


@dataclass(frozen=True)
class HubCache:
    """The part of the cache folder that belongs to one repository.   folder : its place."""

    folder: Path

    def snapshot(self, commit: str) -> Path:
        """Folder of the repository's files at a commit."""
        return self.folder / "snapshots" / _safe(commit)

    def commit_of(self, revision: str) -> str | None:
        """The commit of a revision as last fetched whole; a full commit is its own."""
        if COMMIT.fullmatch(revision):
            return revision
        reference = self._reference(revision)
        return reference.read_text(encoding="utf-8").strip() if reference.is_file() else None

    def remember(self, revision: str, commit: str) -> None:
        """Note which commit the revision is, for the time without a network."""
        if not COMMIT.fullmatch(revision):
            reference = self._reference(revision)
            reference.parent.mkdir(parents=True, exist_ok=True)
            reference.write_text(commit, encoding="utf-8")

    def mark_whole(self, commit: str) -> None:
        """Note that every file that is read has arrived: the folder alone can't tell."""
        mark = self._mark(commit)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()

    def is_whole(self, commit: str) -> bool:
        """True where ``mark_whole`` was called for the commit."""
        return self._mark(commit).is_file()

    def partial(self, etag: str) -> Path:
        """Where a blob arrives."""
        return self.folder / "blobs" / f"{_safe(etag)}.incomplete"

    def take(self, commit: str, path: str, etag: str, *, size: int | None) -> bool:
        """Whether the file is there whole; a blob that another commit fetched is linked to."""
        place, blob = self.snapshot(commit) / path, self.folder / "blobs" / _safe(etag)
        if place.is_file() and size in (None, place.stat().st_size):
            return True
        if not blob.is_file() or size not in (None, blob.stat().st_size):
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        try:
            place.symlink_to(os.path.relpath(blob, place.parent))
        except FileExistsError:  # another process has just done it
            pass
        except OSError:  # a system that allows no links
            blob.replace(place)
        return True

    def finish(self, etag: str) -> None:
        """The partial blob has arrived whole."""
        self.partial(etag).replace(self.folder / "blobs" / _safe(etag))

    @contextmanager
    def alone(self, etag: str, *, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the blob's lock, which huggingface_hub takes too; call ``waiting`` meanwhile."""
        from huggingface_hub.utils import WeakFileLock

        lock = self.folder.parent / ".locks" / self.folder.name / f"{_safe(etag)}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / "blobs").mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            while True:
                try:
                    stack.enter_context(WeakFileLock(lock, timeout=WAIT))
                    break
                except TimeoutError:
                    waiting()
            yield

    def _mark(self, commit: str) -> Path:
        return self.folder / "narrow-cone-whole" / _safe(commit)

    def _reference(self, revision: str) -> Path:
        return self.folder.joinpath("refs", *map(_safe, revision.split("/")))


def _safe(name: str) -> str:
    """The name where it can be a file's; ValueError for one that leads elsewhere."""
    if not SAFE.fullmatch(name) or set(name) == {"."}:
        raise ValueError(f"{name!r} can't be a file's name")
    return name
