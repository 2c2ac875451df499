"""Errors of the Hugging Face Hub, the network and the disk as errors of the library."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .download import FULL_DISK, BrokenTransfer
from .model_errors import DataSetError, ModelFilesError

if TYPE_CHECKING:
    from httpx2 import Response

ITS_FILES = "its files"  # replaces a file's name that is unknown
NOT_THERE = "the Hugging Face Hub lists a file that it does not have"


@dataclass(frozen=True)
class Kind:
    """A kind of repository on the hub.

    repo_type : the name in huggingface_hub.
    page : the prefix of the repository's name in the address of its page.
    error : the class of its errors.
    """

    repo_type: str
    page: str
    error: type[ModelFilesError]


MODEL = Kind("model", "", ModelFilesError)
DATA_SET = Kind("dataset", "datasets/", DataSetError)


@contextmanager
def converting_errors(
    repository: str, *, revision: str, endpoint: str, folder: Path, kind: Kind = MODEL
) -> Iterator[None]:
    """Convert errors of hub, network and disk to the kind's error; others pass unchanged."""
    from httpx2 import HTTPError
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        OfflineModeIsEnabled,
        RevisionNotFoundError,
    )

    try:
        yield
    except BrokenTransfer as error:
        raise partly_there(repository, f"the transfer broke ({error})", kind) from error
    except OfflineModeIsEnabled as error:
        raise no_network(repository, endpoint, "HF_HUB_OFFLINE is set", kind) from error
    except RevisionNotFoundError as error:
        raise vanished_revision(repository, revision, kind) from error
    except EntryNotFoundError as error:
        raise partly_there(repository, NOT_THERE, kind) from error
    except HfHubHTTPError as error:
        raise _answered(repository, endpoint, error.response, kind) from error
    except HTTPError as error:
        raise no_network(repository, endpoint, type(error).__name__, kind) from error
    except OSError as error:
        raise _disk(repository, folder, error, kind) from error


def no_network(repository: str, endpoint: str, reason: str, kind: Kind = MODEL) -> ModelFilesError:
    """The hub can't be reached, or its answer is not that of a hub."""
    return kind.error("no_network", name=repository, endpoint=endpoint, reason=reason)


def invalid_name(repository: str, kind: Kind = MODEL) -> ModelFilesError:
    """The name is not valid on any hub; no request is sent."""
    return kind.error("invalid_name", name=repository)


def unknown_name(repository: str, endpoint: str, kind: Kind = MODEL) -> ModelFilesError:
    """The hub has no such repository."""
    return kind.error("unknown_name", name=repository, endpoint=endpoint)


def gated(repository: str, endpoint: str, status: int, kind: Kind = MODEL) -> ModelFilesError:
    """The hub answered 401 or 403. Without a token it also does so for unknown names."""
    return kind.error(
        "gated",
        name=repository,
        endpoint=endpoint,
        status=status,
        page=f"{endpoint}/{kind.page}{repository}",
    )


def vanished_revision(repository: str, revision: str, kind: Kind = MODEL) -> ModelFilesError:
    """The repository does not have this branch, tag or commit, or no longer has it."""
    return kind.error("vanished_revision", name=repository, revision=revision)


def partly_there(repository: str, reason: str, kind: Kind = MODEL) -> ModelFilesError:
    """The download is incomplete, or a listed file is absent."""
    return kind.error(
        "half_downloaded", because="broken_transfer", name=repository, file=ITS_FILES, reason=reason
    )


def no_disk(
    repository: str,
    folder: Path,
    *,
    needed: int | None,  # bytes; None if a write failed before they were known
    free: int,
    reason: str = "",  # by default that the disk is full
    kind: Kind = MODEL,
) -> ModelFilesError:
    """Too little free space, or no permission to write."""
    return kind.error(
        "no_disk",
        because="disk_failed" if needed is None else None,
        name=repository,
        folder=str(folder),
        needed=needed,
        free=free,
        reason=reason or "the disk is full",
    )


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of the folder, which need not exist yet."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _answered(repository: str, endpoint: str, response: Response, kind: Kind) -> ModelFilesError:
    status = response.status_code
    if status in (401, 403):
        return gated(repository, endpoint, status, kind)
    if status == 404 and f"/api/{kind.repo_type}s/" in str(response.url):
        return unknown_name(repository, endpoint, kind)
    if status == 404:
        return partly_there(repository, NOT_THERE, kind)
    return no_network(repository, endpoint, f"it answered {status}", kind)


def _disk(repository: str, folder: Path, error: OSError, kind: Kind) -> ModelFilesError:
    reason = (
        "" if error.errno in FULL_DISK else f"refuses to be written to ({type(error).__name__})"
    )
    return no_disk(
        repository, folder, needed=None, free=free_bytes(folder), reason=reason, kind=kind
    )
