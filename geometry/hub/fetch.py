"""Models and data sets of the hub: listed and judged first, then fetched into the cache.

huggingface_hub makes the requests and keeps the cache, which other programs share. HF_ENDPOINT,
HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN are its own. Of a model, only safetensors and
settings are fetched, and no code.
"""

from __future__ import annotations

import errno
import re
import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..data.write import write
from ..errors import need
from ..process import Progress, no_report
from . import model_files
from .errors import DataSetError, ModelFilesError
from .model_files import CONFIG
from .operator_limits import ModelLimits, read_model_limits

Choose = Callable[[Collection[str]], Sequence[str]]  # all paths to the wanted ones, in order

_PART_OF_SPLIT = re.compile(r"-(\d{5})-of-(\d{5})")
COMMIT = re.compile(r"[0-9a-f]{40}")
_PART = r"\.*[\w-][\w.-]*"
REVISION = re.compile(f"{_PART}(/{_PART})*")  # that may be a path in the cache
LONGEST_REVISION = 200  # bytes
COMPLETE = "narrow-cone-whole"  # folder with a file for each commit that was fetched completely
PULSE = 0.2  # seconds between two reports, and the longest delay of a cancel
# huggingface_hub writes 10 MB at once: at 10 Mbit/s progress would move every eight seconds
CHUNK_BYTES = 1 << 17


def fetch_model(
    repository: str,
    *,
    revision: str | None = None,
    limits: ModelLimits | None = None,
    progress: Progress | None = None,
) -> Path:
    """The folder of a model of the hub, whose name is the commit; fetched if the cache lacks it.

    What the listing and config.json rule out is refused before any weights are fetched. A full
    commit that was fetched before needs no network. Neither does any revision that was fetched
    before, if HF_HUB_OFFLINE is set or the hub can't be reached.

    Parameters
    ----------
    repository : str
        "owner/name".
    revision : str, optional
        Branch, tag or commit; "main" by default.
    limits : ModelLimits, optional
        The operator's limits; by default those of narrow-cone.toml.
    progress : callable (int, int), optional
        Called with (bytes there, bytes in all) several times a second while files arrive. The
        first number never falls. An exception raised in it ends the download at once. The next
        call keeps the files that were complete.
    """
    limits = limits or read_model_limits()
    limits.refuse_name(repository, revision)
    hub = Repository(repository, revision)
    folder = _usable_snapshot(hub)
    is_final = COMMIT.fullmatch(hub.revision) and hub.is_complete(hub.revision)
    if folder is None or not (hub.offline or is_final):
        folder = _fetched(hub, limits, progress or no_report, cached=folder)
    limits.refuse_size(repository, model_files.check_folder(folder, name=repository))
    return folder


def cached_model(repository: str, *, revision: str | None = None) -> Path | None:
    """The folder of a model that was fetched completely before, without a request; else None."""
    hub = Repository(repository, revision)
    folder = _usable_snapshot(hub)
    is_usable = folder is not None and (hub.offline or hub.is_complete(folder.name))
    return folder if is_usable else None


def fetch_data_files(
    repository: str,
    choose: Choose,
    *,
    revision: str | None = None,
    progress: Progress | None = None,
) -> tuple[str, list[Path]]:
    """The commit and files of a data set, in the order of ``choose``; fetched if not in the cache.

    A branch is resolved once, and later calls read that commit, so that figures stay comparable.
    """
    hub = Repository(repository, revision, "dataset")
    cached = _cached_files(hub, choose)
    if cached is not None:
        return cached
    commit, listed = hub.listed()
    wanted = {path: listed[path] for path in choose(list(filter(model_files.is_inside, listed)))}
    if not wanted:
        files = tuple(sorted(listed))
        raise DataSetError("no_such_file", name=repository, revision=commit, files=files)
    download = Download(hub, commit, wanted, progress or no_report)
    for path in wanted:
        download.fetch(path)
    hub.remember(commit)
    return commit, [download.folder / path for path in wanted]


def _usable_snapshot(hub: Repository) -> Path | None:
    """The snapshot of this revision if a model can be read from it; makes no request."""
    folder = hub.cached_snapshot()
    if folder is not None:
        with suppress(ModelFilesError):
            model_files.check_folder(folder, name=hub.name)
            return folder
    return None


def _fetched(
    hub: Repository, limits: ModelLimits, progress: Progress, *, cached: Path | None
) -> Path:
    """The folder, with config.json, other settings, then accepted weights; or ``cached``."""
    try:
        commit, listed = hub.listed()
    except ModelFilesError as error:
        if cached is None or error.code != "no_network":
            raise
        return cached
    needed = {path: listed[path] for path in model_files.needed_files(listed)}
    limits.refuse_size(hub.name, sum(needed.values()))
    download = Download(hub, commit, needed, progress)
    config = None
    if CONFIG in download.sizes:
        download.fetch(CONFIG)
        config = model_files.read_settings(download.folder / CONFIG, name=hub.name)
    model_files.refuse_unreadable(hub.name, listed, config, is_folder=False)
    stated = [(config or {}).get(name) for name in model_files.DIMENSION_SETTINGS]
    limits.refuse_width(hub.name, max(n for n in (0, *stated) if type(n) is int))
    weights = model_files.weight_files(download.sizes)
    for path in download.sizes:
        if path not in weights:
            download.fetch(path)
    model_files.refuse_missing_shards(download.folder, hub.name, listed)
    for path in weights:
        download.fetch(path)
    hub.remember(commit)
    return download.folder


def _cached_files(hub: Repository, choose: Choose) -> tuple[str, list[Path]] | None:
    """The commit and the chosen files of its snapshot, or None if a part of them is missing."""
    folder = hub.cached_snapshot()
    if folder is None:
        return None
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    chosen = list(choose(paths))
    parts = [found for path in chosen if (found := _PART_OF_SPLIT.search(path))]
    # a split in parts states their number in each name
    is_complete = chosen and all(len(parts) == int(part[2]) for part in parts)
    return (folder.name, [folder / path for path in chosen]) if is_complete else None


class Repository:
    """A model, or with ``repo_type`` "dataset" a data set; making it sends no request."""

    def __init__(self, name: str, revision: str | None, repo_type: str = "model") -> None:
        need("encode", "huggingface_hub")
        from huggingface_hub import constants
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils import validate_repo_id

        self.name, self.repo_type = name, repo_type
        self.revision = revision or "main"
        self.error = ModelFilesError if repo_type == "model" else DataSetError
        self.endpoint, self.offline = constants.ENDPOINT, constants.HF_HUB_OFFLINE
        is_short = len(self.revision.encode(errors="replace")) <= LONGEST_REVISION
        if not is_short or not REVISION.fullmatch(self.revision):
            raise self.error("vanished_revision", name=name, revision=self.revision)
        try:
            validate_repo_id(name)
        except HFValidationError as error:
            raise self.error("invalid_name", name=name) from error
        folder = "--".join((f"{repo_type}s", *name.split("/")))
        self.folder = Path(constants.HF_HUB_CACHE) / folder

    def cached_snapshot(self) -> Path | None:
        """The folder of this revision in the cache, complete or not; makes no request."""
        commit = self.revision
        if not COMMIT.fullmatch(commit):
            reference = self.folder / "refs" / commit
            if not reference.is_file():
                return None
            commit = reference.read_text(encoding="utf-8").strip()
        folder = self.folder / "snapshots" / commit
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
        how: dict[str, Any] = {"repo_type": self.repo_type, "revision": self.revision}
        how |= {"files_metadata": True, "timeout": constants.HF_HUB_ETAG_TIMEOUT}
        with self._converting_errors():
            try:
                found = HfApi().repo_info(self.name, **how)
            except (ValueError, KeyError, TypeError) as error:  # for example a login page
                raise self.unreachable("its answer is not a list of files") from error
        sizes = {file.rfilename: file.size for file in getattr(found, "siblings", None) or ()}
        if None in sizes.values():
            raise self.unreachable("its list of files has no sizes")
        return str(found.sha), sizes

    def refuse_full_disk(self, missing: int) -> None:
        free = free_bytes(self.folder)
        if missing > free:
            folder = str(self.folder.parent)
            raise self.error("no_disk", name=self.name, needed=missing, folder=folder, free=free)

    def broken(self, reason: str) -> ModelFilesError:
        return self.error("broken_transfer", name=self.name, reason=reason)

    def unreachable(self, reason: str) -> ModelFilesError:
        """The error for a hub that can't be reached, or whose answer is not that of a hub."""
        return self.error("no_network", name=self.name, endpoint=self.endpoint, reason=reason)

    def converted(self, error: Exception) -> Exception:
        """An error of hub, network or disk as the kind's error; any other as it is."""
        from httpx2 import HTTPError
        from huggingface_hub import errors

        cause = error.__cause__
        if isinstance(error, errors.LocalEntryNotFoundError) and isinstance(cause, Exception):
            error = cause  # why it could not be looked for on the hub
        if isinstance(error, ModelFilesError):
            return error
        if isinstance(error, errors.FileMetadataError):
            return self.unreachable("its answer does not describe the file")
        if isinstance(error, errors.RevisionNotFoundError):
            return self.error("vanished_revision", name=self.name, revision=self.revision)
        if isinstance(error, errors.HfHubHTTPError):
            status = error.response.status_code
            about: dict[str, Any] = {"name": self.name, "endpoint": self.endpoint}
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
            reason = f"refuses to be written to ({type(error).__name__})"
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                reason = "the disk is full"
            folder = str(self.folder.parent)
            return self.error("disk_failed", name=self.name, folder=folder, reason=reason)
        return error

    @contextmanager
    def _converting_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise self.converted(error) from error


class Download:
    """The transfer of some files of one commit, with ``sizes`` in bytes, into the cache."""

    def __init__(
        self, hub: Repository, commit: str, sizes: Mapping[str, int], progress: Progress
    ) -> None:
        self.folder, self.sizes = hub.folder / "snapshots" / commit, sizes
        self._hub, self._commit, self._progress = hub, commit, progress
        self._arrived = {path: n * self._is_there(path) for path, n in self.sizes.items()}
        self._reported = 0
        hub.refuse_full_disk(sum(sizes.values()) - sum(self._arrived.values()))

    def fetch(self, path: str) -> None:
        """Fetch one file, unless the cache has it. What ``progress`` raises ends the transfer."""
        from httpx2 import TransportError
        from huggingface_hub import constants, hf_hub_download
        from huggingface_hub.utils import silent_tqdm

        if self._is_there(path):
            return
        place = self.folder / path
        if place.exists():  # it was cut, and hf_hub_download would keep it
            place.resolve().unlink()
            place.unlink(missing_ok=True)
        constants.DOWNLOAD_CHUNK_SIZE = CHUNK_BYTES
        constants.HF_HUB_DISABLE_XET = True  # its transfers go on after a cancel
        arrived = self._arrived
        hub = self._hub
        is_cancelled = threading.Event()
        errors: list[Exception] = []

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
