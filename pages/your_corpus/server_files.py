"""Files of the server's own disk, under the folders that its operator allows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import streamlit as st

from geometry.hub.operator_limits import FILE_VARIABLE, read_upload_folders
from pages.common.reading import ServerFile

MOST_FILES = 1_000  # files of a folder in a list at most
LISTED_SECONDS = 10  # for which the lists are cached
SUFFIXES = (
    ".npy", ".npz", ".parquet", ".jsonl", ".ndjson", ".json", ".safetensors", ".csv", ".tsv",
    ".arrow", ".feather", ".hdf5", ".h5", ".h5ad", ".fvecs", ".bvecs",
    ".tab", ".txt", ".vec", ".bin", ".xlsx", ".zip", ".gz",
)  # fmt: skip


def given_file() -> Path | None:
    """The file of ``narrow-cone app FILE``."""
    path = Path(os.environ.get(FILE_VARIABLE, ""))
    return path if path.is_file() else None


def has_files() -> bool:
    return bool(read_upload_folders()) or given_file() is not None


def server_files() -> dict[str, Path]:
    """Files that may be read, by the name that a list shows: first the one of ``given_file``.

    A link counts as its target, which must be under an allowed folder too. The list has no
    files of a run.
    """
    given = given_file()
    return ({} if given is None else {given.name: given}) | _listed(_folders())[0]


def server_runs() -> dict[str, Path]:
    """Runs of ``geometry.scale`` in the allowed folders, by the name that a list shows."""
    return _listed(_folders())[1]


def server_file(name: str) -> ServerFile | None:
    """The file of that name in ``server_files``; None if it may not be read."""
    path = server_files().get(name)
    if path is None or not path.is_file():
        return None
    if path != given_file() and not _is_allowed(path, _folders()):
        return None
    about = path.stat()
    return ServerFile(path, path.name, f"{path}-{about.st_mtime_ns}-{about.st_size}", about.st_size)


def _folders() -> tuple[Path, ...]:
    folders = (folder.resolve() for folder in read_upload_folders() if folder.is_dir())
    return tuple(dict.fromkeys(folders))


# cached, because every rerun needs the lists, and a folder may have millions of files
@st.cache_data(ttl=LISTED_SECONDS, max_entries=4, show_spinner=False)
def _listed(folders: tuple[Path, ...]) -> tuple[dict[str, Path], dict[str, Path]]:
    """(files, runs) by name. Folders of the same name are named by their whole path."""
    files: dict[str, Path] = {}
    runs: dict[str, Path] = {}
    names = [folder.name for folder in folders]
    for folder in folders:
        shown = folder.name if names.count(folder.name) == 1 else str(folder)
        for found, are_runs in ((files, False), (runs, True)):
            paths = (path for path, is_run in _found(folder, folders) if is_run == are_runs)
            for path in islice(paths, MOST_FILES):
                found[f"{shown}/{path.relative_to(folder)}"] = path
    return files, runs


def _found(folder: Path, folders: tuple[Path, ...]) -> Iterator[tuple[Path, bool]]:
    """(path, whether it is a run) of all files and runs that may be read."""
    for inner, below, names in os.walk(folder):
        below.sort()
        paths = [Path(inner, name) for name in sorted(names)]
        manifest, shards = Path(inner, "manifest.json"), Path(inner, "shards")
        if manifest in paths and shards.is_dir():
            below.clear()
            if _is_allowed(manifest, folders) and _is_allowed(shards, folders):
                yield Path(inner), True
            continue
        for path in paths:
            is_usual = path.suffix.lower() in SUFFIXES
            if is_usual and path.is_file() and _is_allowed(path, folders):
                yield path, False


def _is_allowed(path: Path, folders: tuple[Path, ...]) -> bool:
    """Whether the target of a path or link is under an allowed folder."""
    return any(path.resolve().is_relative_to(folder) for folder in folders)
