"""Models of the hub: listed and judged first, then fetched with progress, resumed, kept.

HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN are honoured as huggingface_hub
does, and read at each call. No format but safetensors is fetched, and no code.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ..model_errors import ModelFilesError
from ..model_files import (
    CONFIG,
    check_folder,
    needed_files,
    read_settings,
    refuse_missing_shards,
    refuse_unreadable,
    weight_files,
)
from ..operator_limits import ModelLimits, read_model_limits
from .cache import COMMIT, HubCache, cache_root
from .download import Download, LeftError, ListedFile, Progress
from .errors import free_bytes, invalid_name, no_disk, no_network, told, vanished_revision

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

MAIN = "main"


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


class _Hub:
    """One repository at one revision; endpoint and cache are those that the environment names."""

    def __init__(self, repository: str, revision: str) -> None:
        from huggingface_hub import constants, is_offline_mode
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.file_download import repo_folder_name
        from huggingface_hub.utils import validate_repo_id

        self.repository, self.revision = repository, revision
        self.endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
        self.offline = is_offline_mode() or any(
            os.environ.get(name, "").upper() in constants.ENV_VARS_TRUE_VALUES
            for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
        )
        try:
            validate_repo_id(repository)
        except HFValidationError as error:
            raise invalid_name(repository) from error
        self.cache = HubCache(
            cache_root() / repo_folder_name(repo_id=repository, repo_type="model")
        )

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
            raise no_network(self.repository, self.endpoint, "HF_HUB_OFFLINE is set")
        try:
            with self._told():
                info = self._list()
        except ModelFilesError as error:
            if kept is None or error.code != "no_network":
                raise
            return kept
        with self._told():
            listed = {file.rfilename: file for file in info.siblings or ()}
            download = self._download(str(info.sha), listed, progress)
            size = sum(file.size for file in download.files.values())
            limits.refuse_size(self.repository, size)
            self._refuse_full_disk(download.missing)
            self._judge_then_fetch(download, tuple(listed))
            self.cache.remember(self.revision, str(info.sha))
            self.cache.mark_whole(str(info.sha))
        return download.folder

    def _list(self) -> ModelInfo:
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import HfHubHTTPError

        api, timeout = HfApi(endpoint=self.endpoint), constants.HF_HUB_ETAG_TIMEOUT
        try:
            return api.model_info(
                self.repository, revision=self.revision, files_metadata=True, timeout=timeout
            )
        except HfHubHTTPError as error:
            if error.response.status_code == 404 and self.revision != MAIN:
                api.model_info(self.repository, timeout=timeout)  # raises where the name is wrong
                raise vanished_revision(self.repository, self.revision) from error
            raise
        except (ValueError, KeyError, TypeError) as error:  # a gate's login page, say
            raise no_network(self.repository, self.endpoint, "its answer is no listing") from error

    def _download(
        self, commit: str, listed: dict[str, RepoSibling], progress: Progress | None
    ) -> Download:
        from huggingface_hub.utils import build_hf_headers

        return Download(
            [self._described(listed[path], commit) for path in needed_files(listed)],
            cache=self.cache,
            commit=commit,
            headers=build_hf_headers(),
            progress=progress,
        )

    def _described(self, file: RepoSibling, commit: str) -> ListedFile:
        """Size and etag as listed; asked for one by one where a mirror lists names alone."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        path = file.rfilename
        url = hf_hub_url(self.repository, path, revision=commit, endpoint=self.endpoint)
        sha256 = file.lfs.sha256 if file.lfs else None
        etag, size = sha256 or file.blob_id, file.size
        if etag is None or size is None:
            found = get_hf_file_metadata(url, endpoint=self.endpoint)
            etag, size = etag or found.etag, size if size is not None else found.size
        if etag is None or size is None:
            raise no_network(self.repository, self.endpoint, f"it tells no size of {path}")
        return ListedFile(path, url, size, etag, sha256)

    def _refuse_full_disk(self, missing: int) -> None:
        free = free_bytes(self.cache.folder)
        if missing > free:
            raise no_disk(self.repository, self.cache.folder.parent, needed=missing, free=free)

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

    def _told(self) -> AbstractContextManager[None]:
        return told(
            self.repository,
            revision=self.revision,
            endpoint=self.endpoint,
            folder=self.cache.folder.parent,
        )
