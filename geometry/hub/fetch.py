"""Models of the hub: listed and judged first, then fetched with progress, resumed, kept.

HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN are honoured as huggingface_hub
does, and read at each call. No format but safetensors is fetched, and no code.
"""

from __future__ import annotations

from pathlib import Path

from .cache import COMMIT
from .download import Download, LeftError, Progress
from .errors import vanished_revision
from .model_errors import ModelFilesError
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


def fetch_model(
    repository: str,
    *,
    revision: str | None = None,
    limits: ModelLimits | None = None,
    progress: Progress | None = None,
) -> Path:
    """The folder of a model of the hub, fetched where it is not there yet; its name is the commit.

    repository : "owner/name".   revision : branch, tag or commit, "main" by default; a full
    commit that is there whole needs no network, and neither does any revision that was fetched
    before while HF_HUB_OFFLINE is set or the hub can't be reached.
    limits : the operator's, by default those of narrow-cone.toml.
    progress : called with bytes several times a second while files arrive, never downwards; an
    exception raised in it ends the download at once, and the next call goes on from there.
    Raises ModelFilesError; what the listing and config.json rule out is refused before any
    weights are fetched.
    """
    limits = limits or read_model_limits()
    limits.refuse_name(repository)
    hub = _Hub(repository, revision or MAIN)
    folder = hub.kept_folder()
    is_final = COMMIT.fullmatch(hub.revision) and hub.cache.is_whole(hub.revision)
    if folder is None or not (hub.offline or is_final):
        try:
            folder = hub.fetched_folder(limits, progress, kept=folder)
        except LeftError as left:
            raise left.reason from None
    limits.refuse_size(repository, check_folder(folder, name=repository))
    return folder


def kept_model(repository: str, *, revision: str | None = None) -> Path | None:
    """The folder of a model that was fetched before and is there whole; asks no hub."""
    hub = _Hub(repository, revision or MAIN)
    folder = hub.kept_folder()
    # what another program fetched may lack files that it did not need
    is_known = folder is not None and (hub.offline or hub.cache.is_whole(folder.name))
    return folder if is_known else None


class _Hub(Repository):
    """A model's repository."""

    def kept_folder(self) -> Path | None:
        """The snapshot that is there whole for this revision, without asking the hub."""
        try:
            commit = self.cache.commit_of(self.revision)
            folder = self.cache.snapshot(commit) if commit else None
        except ValueError as error:  # a revision that is no name
            raise vanished_revision(self.repository, self.revision) from error
        if folder is None or not folder.is_dir():
            return None
        try:
            check_folder(folder, name=self.repository)
        except ModelFilesError:
            return None
        return folder

    def fetched_folder(
        self, limits: ModelLimits, progress: Progress | None, *, kept: Path | None
    ) -> Path:
        """Fetch what is missing at the hub's commit; ``kept`` where the hub can't be reached."""
        if self.offline:
            raise self.unreachable("HF_HUB_OFFLINE is set")
        try:
            commit, listed = self.listed()
        except ModelFilesError as error:
            if kept is None or error.code != "no_network":
                raise
            return kept
        with self.told():
            download = self.download(commit, listed, needed_files(listed), progress)
            size = sum(file.size for file in download.files.values())
            limits.refuse_size(self.repository, size)
            self.refuse_full_disk(download.missing)
            self._judge_then_fetch(download, tuple(listed))
            self.cache.remember(self.revision, commit)
            self.cache.mark_whole(commit)
        return download.folder

    def _judge_then_fetch(self, download: Download, paths: tuple[str, ...]) -> None:
        """config.json first, then the other settings, and weights only after all are judged.

        paths : all that the repository has.
        """
        config = None
        if CONFIG in download.files:
            download.fetch(CONFIG)
            config = read_settings(download.folder / CONFIG, name=self.repository)
        refuse_unreadable(self.repository, paths, config, is_folder=False)
        weights = weight_files(download.files)
        for path in download.files:
            if path not in weights:
                download.fetch(path)
        refuse_missing_shards(download.folder, self.repository, paths)
        for path in weights:
            download.fetch(path)
