"""Models and data sets of the hub: listed and judged first, then fetched into the cache.

HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN are honoured as huggingface_hub
does, and read at each call. Of a model, only safetensors and settings are fetched, and no code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from .cache import COMMIT
from .download import CancelledDownload, Download, Progress
from .errors import DATA_SET
from .model_errors import DataSetError, ModelFilesError
from .model_files import (
    CONFIG,
    check_folder,
    needed_files,
    read_settings,
    refuse_missing_shards,
    refuse_unreadable,
    weight_files,
)
from .operator_limits import ModelLimits, read_model_limits
from .repository import MAIN, Repository

Choose = Callable[[Collection[str]], Sequence[str]]  # all paths to the wanted ones, in order

# under these names config.json states how many numbers a vector has
WIDTHS = ("hidden_size", "d_model", "n_embd", "dim")

_PART = re.compile(r"-(\d{5})-of-(\d{5})")


def fetch_model(
    repository: str,
    *,
    revision: str | None = None,
    limits: ModelLimits | None = None,
    progress: Progress | None = None,
) -> Path:
    """The folder of a model of the hub, fetched if the cache does not have it.

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
        first number never falls. An exception raised in it ends the download at once; the next
        call resumes.

    Returns
    -------
    Path
        A folder whose name is the commit.

    Raises
    ------
    ModelFilesError
        The ``code`` names the case.
    """
    limits = limits or read_model_limits()
    limits.refuse_name(repository, revision)
    hub = _ModelRepository(repository, revision or MAIN)
    folder = hub.cached_folder()
    is_final = COMMIT.fullmatch(hub.revision) and hub.cache.is_complete(hub.revision)
    if folder is None or not (hub.offline or is_final):
        try:
            folder = hub.fetched_folder(limits, progress, cached=folder)
        except CancelledDownload as cancelled:
            raise cancelled.reason from None
    limits.refuse_size(repository, check_folder(folder, name=repository))
    return folder


def cached_model(repository: str, *, revision: str | None = None) -> Path | None:
    """The folder of a model that was fetched completely before, without a request; else None."""
    hub = _ModelRepository(repository, revision or MAIN)
    folder = hub.cached_folder()
    # another program may have fetched fewer files
    is_usable = folder is not None and (hub.offline or hub.cache.is_complete(folder.name))
    return folder if is_usable else None


def fetch_data_files(
    repository: str,
    choose: Choose,
    *,
    revision: str | None = None,
    progress: Progress | None = None,
) -> tuple[str, list[Path]]:
    """The commit and files of a data set, in the order of ``choose``; fetched if not in the cache.

    A branch is resolved once. The cache records its commit, and later calls read that commit, so
    that figures stay comparable.

    Raises
    ------
    DataSetError
        With the codes of ``fetch_model``, and "no_such_file" if ``choose`` returns nothing.
    """
    hub = Repository(repository, revision or MAIN, DATA_SET)
    cached = _cached_files(hub, choose)
    if cached is not None:
        return cached
    if hub.offline:
        raise hub.unreachable("HF_HUB_OFFLINE is set")
    commit, listed = hub.listed()
    wanted = _chosen(choose, listed)
    if not wanted:
        raise DataSetError(
            "no_such_file", name=repository, revision=commit, files=tuple(sorted(listed))
        )
    with hub.converting_errors():
        download = hub.download(commit, listed, wanted, progress)
        hub.refuse_full_disk(download.missing)
        try:
            for path in wanted:
                download.fetch(path)
        except CancelledDownload as cancelled:
            raise cancelled.reason from None
        hub.cache.remember(hub.revision, commit)
    return commit, [download.folder / path for path in wanted]


class _ModelRepository(Repository):
    def cached_folder(self) -> Path | None:
        """The snapshot of this revision if a model can be read from it; makes no request."""
        folder = self.cached_snapshot()
        if folder is None:
            return None
        try:
            check_folder(folder, name=self.repository)
        except ModelFilesError:
            return None
        return folder

    def fetched_folder(
        self, limits: ModelLimits, progress: Progress | None, *, cached: Path | None
    ) -> Path:
        """Fetch what is missing at the hub's commit; returns the folder, or ``cached`` offline."""
        if self.offline:
            raise self.unreachable("HF_HUB_OFFLINE is set")
        try:
            commit, listed = self.listed()
        except ModelFilesError as error:
            if cached is None or error.code != "no_network":
                raise
            return cached
        with self.converting_errors():
            download = self.download(commit, listed, needed_files(listed), progress)
            limits.refuse_size(self.repository, sum(each.size for each in download.files.values()))
            self.refuse_full_disk(download.missing)
            self._judge_then_fetch(download, tuple(listed), limits)
            self.cache.remember(self.revision, commit)
            self.cache.mark_complete(commit)
        return download.folder

    def _judge_then_fetch(
        self, download: Download, paths: tuple[str, ...], limits: ModelLimits
    ) -> None:
        """config.json first, then the other settings. The weights follow if all are accepted."""
        config = None
        if CONFIG in download.files:
            download.fetch(CONFIG)
            config = read_settings(download.folder / CONFIG, name=self.repository)
        refuse_unreadable(self.repository, paths, config, is_folder=False)
        stated = [(config or {}).get(name) for name in WIDTHS]
        limits.refuse_width(self.repository, max(n for n in (0, *stated) if type(n) is int))
        weights = weight_files(download.files)
        for path in download.files:
            if path not in weights:
                download.fetch(path)
        refuse_missing_shards(download.folder, self.repository, paths)
        for path in weights:
            download.fetch(path)


def _cached_files(hub: Repository, choose: Choose) -> tuple[str, list[Path]] | None:
    """The commit and the chosen files of its snapshot, or None if a part of them is missing."""
    folder = hub.cached_snapshot()
    if folder is None:
        return None
    paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    chosen = _chosen(choose, paths)
    parts = [found for path in chosen if (found := _PART.search(path))]
    # a split in parts states their number in each name
    is_complete = chosen and all(len(parts) == int(part[2]) for part in parts)
    return (folder.name, [folder / path for path in chosen]) if is_complete else None


def _chosen(choose: Choose, paths: Collection[str]) -> list[str]:
    safe = [path for path in paths if ".." not in path.split("/") and not path.startswith("/")]
    return list(choose(safe))
