"""What the hub, the network and the disk refuse, in a reader's words."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..model_errors import ModelFilesError, readable_bytes
from ..model_files import incomplete
from .download import FULL_DISK
from .transfer import BrokenTransfer

if TYPE_CHECKING:
    from httpx2 import Response

ITS_FILES = "its files"  # in place of one file's name, where it is not known
NOT_THERE = "the hub lists a file that it does not have"


@contextmanager
def told(repository: str, *, revision: str, endpoint: str, folder: Path) -> Iterator[None]:
    """Raise what goes wrong inside as ModelFilesError; other exceptions pass as they are.

    folder : where files are written.
    """
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
        raise incomplete(repository, ITS_FILES, f"the transfer broke ({error})") from error
    except OfflineModeIsEnabled as error:
        raise no_network(repository, endpoint, "HF_HUB_OFFLINE is set") from error
    except RevisionNotFoundError as error:
        raise vanished_revision(repository, revision) from error
    except EntryNotFoundError as error:
        raise incomplete(repository, ITS_FILES, NOT_THERE) from error
    except HfHubHTTPError as error:
        raise _answered(repository, endpoint, error.response) from error
    except HTTPError as error:
        raise no_network(repository, endpoint, type(error).__name__) from error
    except OSError as error:
        raise _disk(repository, folder, error) from error


def no_network(repository: str, endpoint: str, reason: str) -> ModelFilesError:
    """The hub can't be reached, or its answer is none of a hub."""
    return ModelFilesError(
        f"the model {repository} could not be fetched: {endpoint} can't be reached ({reason}). "
        "Check the network and try again, or use the bundled encoder, which needs none",
        code="no_network",
        name=repository,
        endpoint=endpoint,
        reason=reason,
    )


def invalid_name(repository: str) -> ModelFilesError:
    """What no hub could have, so none is asked."""
    return ModelFilesError(
        f"{repository!r} can be no model's name: a hub's is one word, or an owner and a word "
        "around one slash, of letters, digits, - _ and . (no two - or . together), 96 at most, as "
        "in google-bert/bert-base-uncased. Correct it; for a folder of this machine give its path, "
        "as in ./my-model",
        code="invalid_name",
        name=repository,
    )


def unknown_name(repository: str, endpoint: str) -> ModelFilesError:
    """The hub has no such repository."""
    return ModelFilesError(
        f"there is no model {repository} on {endpoint}. Check the spelling, with the owner in "
        "front, as in google-bert/bert-base-uncased; for a folder of this machine give its path, "
        "as in ./my-model",
        code="unknown_name",
        name=repository,
        endpoint=endpoint,
    )


def gated(repository: str, endpoint: str, status: int) -> ModelFilesError:
    """The hub answered 401 or 403; without a token it does so for names that are wrong, too."""
    return ModelFilesError(
        f"{repository} is not open to everyone, or its name is wrong: {endpoint} answered "
        f"{status}. Check the name; accept the model's terms at {endpoint}/{repository} and set "
        "HF_TOKEN to a token of the account that did",
        code="gated",
        name=repository,
        endpoint=endpoint,
        status=status,
    )


def vanished_revision(repository: str, revision: str) -> ModelFilesError:
    """The repository has no such branch, tag or commit, or no longer."""
    return ModelFilesError(
        f"{repository} has no revision {revision}, or no longer. Choose a branch, a tag or a full "
        "commit from its page, or leave the revision out for main",
        code="vanished_revision",
        name=repository,
        revision=revision,
    )


def no_disk(
    repository: str, folder: Path, *, needed: int | None, free: int, reason: str = ""
) -> ModelFilesError:
    """Too little room, or no leave to write.   needed, free : bytes."""
    what = f"needs {readable_bytes(needed)}" if needed is not None else "could not be written"
    because = reason or f"has {readable_bytes(free)} free"
    return ModelFilesError(
        f"{repository} {what} in {folder}, which {because}. Free some space, or set "
        "HF_HOME to a folder with more of it",
        code="no_disk",
        name=repository,
        folder=str(folder),
        needed=needed,
        free=free,
        reason=reason,
    )


def free_bytes(folder: Path) -> int:
    """Bytes free where the folder is, or will be."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _answered(repository: str, endpoint: str, response: Response) -> ModelFilesError:
    status = response.status_code
    if status in (401, 403):
        return gated(repository, endpoint, status)
    if status == 404 and "/api/models/" in str(response.url):
        return unknown_name(repository, endpoint)
    if status == 404:
        return incomplete(repository, ITS_FILES, NOT_THERE)
    return no_network(repository, endpoint, f"it answered {status}")


def _disk(repository: str, folder: Path, error: OSError) -> ModelFilesError:
    reason = (
        "" if error.errno in FULL_DISK else f"refuses to be written to ({type(error).__name__})"
    )
    return no_disk(repository, folder, needed=None, free=free_bytes(folder), reason=reason)
