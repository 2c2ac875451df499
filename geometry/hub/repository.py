"""One repository of the hub at one revision: its listing, its files in the cache, its errors.

huggingface_hub makes the requests and keeps the cache, which other programs share.
"""

import errno
import re
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..data.write import write
from ..errors import need
from ..process import Progress
from .errors import DataSetError, ModelFilesError

MAIN = "main"
COMMIT = re.compile(r"[0-9a-f]{40}")
_PART = r"\.*[\w-][\w.-]*"
REVISION = re.compile(f"{_PART}(/{_PART})*")  # that may be a path in the cache
LONGEST_REVISION = 200  # bytes
COMPLETE = "narrow-cone-whole"  # folder with a file for each commit that was fetched completely
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
PULSE = 0.2  # seconds between two reports, and the longest delay of a cancel
# huggingface_hub writes 10 MB at once: at 10 Mbit/s progress would move every eight seconds
CHUNK_BYTES = 1 << 17


class Repository:
    """A model, or with ``repo_type`` "dataset" a data set; making it sends no request."""

    def __init__(self, name: str, revision: str | None, repo_type: str = "model") -> None:
        need("encode", "huggingface_hub")
        from huggingface_hub import constants
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils import validate_repo_id

        self.name, self.revision, self.repo_type = name, revision or MAIN, repo_type
        self.error = ModelFilesError if repo_type == "model" else DataSetError
        self.endpoint, self.offline = constants.ENDPOINT, constants.HF_HUB_OFFLINE
        is_short = len(self.revision.encode(errors="replace")) <= LONGEST_REVISION
        if not is_short or not REVISION.fullmatch(self.revision):
            raise self._vanished_revision()
        try:
            validate_repo_id(name)
        except HFValidationError as error:
            raise self.error("invalid_name", name=name) from error
        folder = "--".join((f"{repo_type}s", *name.split("/")))
        self.folder = Path(constants.HF_HUB_CACHE) / folder

    def snapshot(self, commit: str) -> Path:
        return self.folder / "snapshots" / commit

    def cached_snapshot(self) -> Path | None:
        """The folder of this revision in the cache, complete or not; makes no request."""
        commit, reference = self.revision, self.folder / "refs" / self.revision
        if not COMMIT.fullmatch(commit):
            if not reference.is_file():
                return None
            commit = reference.read_text(encoding="utf-8").strip()
        folder = self.snapshot(commit)
        return folder if folder.is_dir() else None

    def is_complete(self, commit: str) -> bool:
        """Whether every needed file of the commit has arrived; other programs fetch fewer files."""
        return (self.folder / COMPLETE / commit).is_file()

    def remember(self, commit: str) -> None:
        """Record that all needed files have arrived, and the commit for use without a network."""
        with self._converting_errors():
            for path in (self.folder / COMPLETE / commit, self.folder / "refs" / self.revision):
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path, commit.encode())

    def listed(self) -> tuple[str, dict[str, int]]:
        """The commit, and the bytes of its files by path."""
        from huggingface_hub import HfApi, constants

        if self.offline:
            raise self.unreachable("HF_HUB_OFFLINE is set")
        with self._converting_errors():
            try:
                found = HfApi().repo_info(
                    self.name,
                    repo_type=self.repo_type,
                    revision=self.revision,
                    files_metadata=True,
                    timeout=constants.HF_HUB_ETAG_TIMEOUT,
                )
            except (ValueError, KeyError, TypeError) as error:  # for example a login page
                raise self.unreachable("its answer is not a list of files") from error
        sizes = {file.rfilename: file.size for file in getattr(found, "siblings", None) or ()}
        if None in sizes.values():
            raise self.unreachable("its list of files has no sizes")
        return str(found.sha), sizes

    def refuse_full_disk(self, missing: int) -> None:
        """Raise "no_disk" if the disk has fewer free bytes than are missing."""
        if missing > free_bytes(self.folder):
            raise self._no_disk(missing)

    def unreachable(self, reason: str) -> ModelFilesError:
        """The error for a hub that can't be reached, or whose answer is not that of a hub."""
        return self.error("no_network", name=self.name, endpoint=self.endpoint, reason=reason)

    def broken(self, reason: str) -> ModelFilesError:
        """The error for a download that is incomplete, or a listed file that is absent."""
        return self.error("broken_transfer", name=self.name, reason=reason)

    def converted(self, error: Exception) -> Exception:
        """An error of hub, network or disk as the kind's error; any other as it is."""
        from httpx2 import HTTPError
        from huggingface_hub import errors

        if isinstance(error, errors.LocalEntryNotFoundError) and isinstance(
            error.__cause__, Exception
        ):
            error = error.__cause__  # why it could not be looked for on the hub
        if isinstance(error, ModelFilesError):
            return error
        if isinstance(error, errors.FileMetadataError):
            return self.unreachable("its answer does not describe the file")
        if isinstance(error, errors.RevisionNotFoundError):
            return self._vanished_revision()
        if isinstance(error, errors.HfHubHTTPError):
            status, about = error.response.status_code, {"name": self.name}
            about["endpoint"] = self.endpoint
            if status in (401, 403):  # without a token also for unknown names
                of_kind = "" if self.repo_type == "model" else f"{self.repo_type}s/"
                page = f"{self.endpoint}/{of_kind}{self.name}"
                return self.error("gated", status=status, page=page, **about)
            if status == 404 and f"/api/{self.repo_type}s/" in str(error.response.url):
                return self.error("unknown_name", **about)
            if status == 404:
                return self.broken("the Hugging Face Hub lists a file that it does not have")
            return self.unreachable(f"it answered {status}")
        if isinstance(error, HTTPError):
            return self.unreachable(type(error).__name__)
        if isinstance(error, OSError):
            is_full = error.errno in FULL_DISK
            refused = f"refuses to be written to ({type(error).__name__})"
            return self._no_disk(None, "the disk is full" if is_full else refused)
        return error

    @contextmanager
    def _converting_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise self.converted(error) from error

    def _vanished_revision(self) -> ModelFilesError:
        return self.error("vanished_revision", name=self.name, revision=self.revision)

    def _no_disk(self, needed: int | None, reason: str = "the disk is full") -> ModelFilesError:
        """needed : bytes; None if a write failed before they were known."""
        return self.error(
            "disk_failed" if needed is None else "no_disk",
            name=self.name,
            folder=str(self.folder.parent),
            needed=needed,
            free=free_bytes(self.folder),
            reason=reason,
        )


class Download:
    """The transfer of some files of one commit, with ``sizes`` in bytes, into the cache."""

    def __init__(
        self, hub: Repository, commit: str, sizes: Mapping[str, int], progress: Progress
    ) -> None:
        self.folder, self.sizes = hub.snapshot(commit), sizes
        self._hub, self._commit, self._progress = hub, commit, progress
        self._arrived = {path: n * self._is_there(path) for path, n in self.sizes.items()}
        self._reported = 0

    @property
    def missing(self) -> int:
        return sum(self.sizes.values()) - sum(self._arrived.values())

    def fetch(self, path: str) -> None:
        """Fetch one file, unless the cache has it. What ``progress`` raises ends the transfer."""
        from httpx2 import TransportError
        from huggingface_hub import constants, hf_hub_download
        from huggingface_hub.utils import silent_tqdm

        if self._is_there(path):
            return
        place, arrived, hub = self.folder / path, self._arrived, self._hub
        if place.exists():  # it was cut, and hf_hub_download would keep it
            place.resolve().unlink()
            place.unlink(missing_ok=True)
        constants.DOWNLOAD_CHUNK_SIZE = CHUNK_BYTES
        constants.HF_HUB_DISABLE_XET = True  # its transfers go on after a cancel
        is_cancelled, errors = threading.Event(), list[Exception]()

        class CountedBytes(silent_tqdm):
            def update(self, n: float | None = 1) -> None:
                if is_cancelled.is_set():
                    raise InterruptedError
                arrived[path] += int(n or 0)

        def transfer() -> None:
            try:
                how: dict[str, Any] = {"repo_type": hub.repo_type, "revision": self._commit}
                hf_hub_download(hub.name, path, **how, tqdm_class=CountedBytes)
            except Exception as error:  # raised again in the caller's thread
                errors.append(error)

        # in a thread, because a silent server blocks it
        thread = threading.Thread(target=transfer, name="hub transfer", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(PULSE)
                self._report()
        finally:
            is_cancelled.set()
        for error in errors:
            is_cut = type(error) is OSError and error.errno is None  # of another size
            if is_cut or isinstance(error, TransportError):
                said = (str(error) or type(error).__name__).splitlines()[0]
                raise hub.broken(f"the transfer broke ({said})") from error
            raise hub.converted(error) from error
        arrived[path] = self.sizes[path]
        self._report()

    def _is_there(self, path: str) -> bool:
        place = self.folder / path
        return place.is_file() and place.stat().st_size == self.sizes[path]

    def _report(self) -> None:
        """Call ``progress``. The count never falls, also if a server starts a file anew."""
        total = sum(self.sizes.values())
        self._reported = max(self._reported, min(sum(self._arrived.values()), total))
        self._progress(self._reported, total)


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of the folder, which need not exist yet."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    return shutil.disk_usage(there).free
