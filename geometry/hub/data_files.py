"""Files of a data set of the hub: chosen from its listing, fetched, resumed, kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from .download import LeftError, Progress
from .errors import DATA_SET, vanished_revision
from .model_errors import DataSetError
from .repository import MAIN, Repository

_SHARD = re.compile(r"-(\d{5})-of-(\d{5})")

Choose = Callable[[Collection[str]], Sequence[str]]  # the wanted of all paths, in order


def fetch_data_files(
    repository: str,
    choose: Choose,
    *,
    revision: str | None = None,
    progress: Progress | None = None,
) -> tuple[str, list[Path]]:
    """(the commit, the files that ``choose`` takes of a data set's paths), fetched where needed.

    revision : branch, tag or commit, "main" by default. A branch is resolved once: the commit is
    kept in the cache, and later calls read that one, so that figures stay comparable.
    progress : as of ``fetch_model``; an exception raised in it ends the download.
    Raises DataSetError with the codes of ``fetch_model``, and "no_such_file" where nothing of the
    listing is chosen.
    """
    hub = Repository(repository, revision or MAIN, DATA_SET)
    kept = _kept(hub, choose)
    if kept is not None:
        return kept
    if hub.offline:
        raise hub.unreachable("HF_HUB_OFFLINE is set")
    commit, listed = hub.listed()
    wanted = _chosen(choose, listed)
    if not wanted:
        raise DataSetError(
            "no_such_file", name=repository, revision=commit, files=tuple(sorted(listed))
        )
    with hub.told():
        download = hub.download(commit, listed, wanted, progress)
        hub.refuse_full_disk(download.missing)
        try:
            for path in wanted:
                download.fetch(path)
        except LeftError as left:
            raise left.reason from None
        hub.cache.remember(hub.revision, commit)
    return commit, [download.folder / path for path in wanted]


def _kept(hub: Repository, choose: Choose) -> tuple[str, list[Path]] | None:
    """What was fetched before; asks no hub."""
    try:
        commit = hub.cache.commit_of(hub.revision)
        folder = hub.cache.snapshot(commit) if commit else None
    except ValueError as error:  # a revision that is no name
        raise vanished_revision(hub.repository, hub.revision, DATA_SET) from error
    if commit is None or folder is None or not folder.is_dir():
        return None
    there = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    chosen = _chosen(choose, there)
    return (commit, [folder / path for path in chosen]) if chosen and _whole(chosen) else None


def _chosen(choose: Choose, paths: Collection[str]) -> list[str]:
    safe = [path for path in paths if ".." not in path.split("/") and not path.startswith("/")]
    return list(choose(safe))


def _whole(paths: Sequence[str]) -> bool:
    """Whether every part is there of a split in parts, which their names count."""
    parts = [found for path in paths if (found := _SHARD.search(path))]
    return all(len(parts) == int(part[2]) for part in parts)
