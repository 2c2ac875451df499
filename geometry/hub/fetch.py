"""Models and data sets of the hub: listed and judged first, then fetched into the cache.

HF_ENDPOINT, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE and HF_TOKEN are those of huggingface_hub. Of a
model, only safetensors and settings are fetched, and no code.
"""

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ..process import Progress, no_report
from . import model_files
from .errors import DataSetError, ModelFilesError
from .operator_limits import ModelLimits, read_model_limits
from .repository import COMMIT, Download, Repository

Choose = Callable[[Collection[str]], Sequence[str]]  # all paths to the wanted ones, in order

_PART = re.compile(r"-(\d{5})-of-(\d{5})")


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
    hub.refuse_full_disk(download.missing)
    for path in wanted:
        download.fetch(path)
    hub.remember(commit)
    return commit, [download.folder / path for path in wanted]


def _usable_snapshot(hub: Repository) -> Path | None:
    """The snapshot of this revision if a model can be read from it; makes no request."""
    folder = hub.cached_snapshot()
    if folder is None:
        return None
    try:
        model_files.check_folder(folder, name=hub.name)
    except ModelFilesError:
        return None
    return folder


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
    download = Download(hub, commit, needed, progress)
    limits.refuse_size(hub.name, sum(download.sizes.values()))
    hub.refuse_full_disk(download.missing)
    config, file = None, model_files.CONFIG
    if file in download.sizes:
        download.fetch(file)
        config = model_files.read_settings(download.folder / file, name=hub.name)
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
    parts = [found for path in chosen if (found := _PART.search(path))]
    # a split in parts states their number in each name
    is_complete = chosen and all(len(parts) == int(part[2]) for part in parts)
    return (folder.name, [folder / path for path in chosen]) if is_complete else None
