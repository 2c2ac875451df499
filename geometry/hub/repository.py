"""One repository of the hub at one revision: its listing and its place in the cache."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import need
from .cache import HubCache, cache_root
from .download import Download, ListedFile, Progress
from .errors import (
    MODEL,
    Kind,
    converting_errors,
    free_bytes,
    invalid_name,
    no_disk,
    no_network,
    vanished_revision,
)
from .model_errors import ModelFilesError

if TYPE_CHECKING:
    from huggingface_hub.hf_api import DatasetInfo, ModelInfo, RepoSibling

MAIN = "main"
LONGEST_REVISION = 200  # bytes; it becomes a path in the cache


class Repository:
    """A model or a data set. Endpoint and cache are read from the environment at each call."""

    def __init__(self, repository: str, revision: str, kind: Kind = MODEL) -> None:
        need("encode", "huggingface_hub")
        from huggingface_hub import constants, is_offline_mode
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils import validate_repo_id

        self.repository, self.revision, self.kind = repository, revision, kind
        self.endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
        self.offline = is_offline_mode() or any(
            os.environ.get(name, "").upper() in constants.ENV_VARS_TRUE_VALUES
            for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
        )
        if len(revision.encode(errors="replace")) > LONGEST_REVISION:
            raise vanished_revision(repository, revision, kind)
        try:
            validate_repo_id(repository)
        except HFValidationError as error:
            raise invalid_name(repository, kind) from error
        folder = "--".join((f"{kind.repo_type}s", *repository.split("/")))
        self.cache = HubCache(cache_root() / folder)

    def cached_snapshot(self) -> Path | None:
        """The folder of this revision in the cache, complete or not; makes no request."""
        try:
            commit = self.cache.commit_of(self.revision)
            folder = self.cache.snapshot(commit) if commit else None
        except ValueError as error:  # the revision can't be a file's name
            raise vanished_revision(self.repository, self.revision, self.kind) from error
        return folder if folder is not None and folder.is_dir() else None

    def listed(self) -> tuple[str, dict[str, RepoSibling]]:
        """The commit, and its files by path."""
        with self.converting_errors():
            info = self._list()
            return str(info.sha), {file.rfilename: file for file in info.siblings or ()}

    def _list(self) -> ModelInfo | DatasetInfo:
        from huggingface_hub import HfApi, constants
        from huggingface_hub.errors import HfHubHTTPError

        api, timeout = HfApi(endpoint=self.endpoint), constants.HF_HUB_ETAG_TIMEOUT
        info = api.dataset_info if self.kind.repo_type == "dataset" else api.model_info
        try:
            return info(
                self.repository, revision=self.revision, files_metadata=True, timeout=timeout
            )
        except HfHubHTTPError as error:
            if error.response.status_code == 404 and self.revision != MAIN:
                info(self.repository, timeout=timeout)  # raises where the name is wrong
                raise vanished_revision(self.repository, self.revision, self.kind) from error
            raise
        except (ValueError, KeyError, TypeError) as error:  # for example a login page
            raise self.unreachable("its answer is not a list of files") from error

    def download(
        self,
        commit: str,
        listed: dict[str, RepoSibling],
        wanted: Iterable[str],
        progress: Progress | None,
    ) -> Download:
        """The transfer of some files."""
        from huggingface_hub.utils import build_hf_headers

        return Download(
            [self._described(listed[path], commit) for path in wanted],
            cache=self.cache,
            commit=commit,
            headers=build_hf_headers(),
            progress=progress,
        )

    def _described(self, file: RepoSibling, commit: str) -> ListedFile:
        """Size and etag as listed, or by a request for the file where a mirror lists names only."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        path = file.rfilename
        url = hf_hub_url(
            self.repository,
            path,
            repo_type=self.kind.repo_type,
            revision=commit,
            endpoint=self.endpoint,
        )
        sha256 = file.lfs.sha256 if file.lfs else None
        etag, size = sha256 or file.blob_id, file.size
        if etag is None or size is None:
            found = get_hf_file_metadata(url, endpoint=self.endpoint)
            etag, size = etag or found.etag, size if size is not None else found.size
        if etag is None or size is None:
            raise self.unreachable(f"it tells no size of {path}")
        return ListedFile(path, url, size, etag, sha256)

    def refuse_full_disk(self, missing: int) -> None:
        """Raise ModelFilesError "no_disk" if the disk has fewer free bytes than are missing."""
        free = free_bytes(self.cache.folder)
        if missing > free:
            raise no_disk(
                self.repository,
                self.cache.folder.parent,
                needed=missing,
                free=free,
                kind=self.kind,
            )

    def unreachable(self, reason: str) -> ModelFilesError:
        """The error for a hub that can't be reached."""
        return no_network(self.repository, self.endpoint, reason, self.kind)

    def converting_errors(self) -> AbstractContextManager[None]:
        """A context that raises errors of network and disk as ModelFilesError."""
        return converting_errors(
            self.repository,
            revision=self.revision,
            endpoint=self.endpoint,
            folder=self.cache.folder.parent,
            kind=self.kind,
        )
