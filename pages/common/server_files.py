"""Files of the server's own disk, under the folders that its operator allows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from geometry.hub.operator_limits import read_upload_folders

MOST_FILES = 1_000  # that a list shows
SUFFIXES = (
    ".npy", ".npz", ".parquet", ".jsonl", ".ndjson", ".json", ".safetensors", ".csv", ".tsv",
    ".tab", ".txt", ".vec", ".bin", ".xlsx", ".zip", ".gz",
)  # fmt: skip


@dataclass(frozen=True)
class ServerFile:
    """A file of the server, with what a page uses of an uploaded file.

    Attributes
    ----------
    path : Path
    name : str
    file_id : str
        Changes when the file changes.
    size : int
        Bytes.
    """

    path: Path
    name: str
    file_id: str
    size: int


def has_folders() -> bool:
    """Whether the operator allows a folder."""
    return bool(read_upload_folders())


def server_files() -> dict[str, Path]:
    """Files that may be read, by the name that a list shows; {} if the operator allows no folder.

    A link counts as the file that it leads to, which must be under an allowed folder too.
    """
    folders = [folder.resolve() for folder in read_upload_folders() if folder.is_dir()]
    found: dict[str, Path] = {}
    for folder in folders:
        files = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in SUFFIXES)
        for path in islice(files, MOST_FILES):
            if path.is_file() and any(path.resolve().is_relative_to(each) for each in folders):
                found[f"{folder.name}/{path.relative_to(folder)}"] = path
    return found


def server_runs() -> dict[str, Path]:
    """Runs of ``geometry.scale`` in the allowed folders, by the name that a list shows."""
    found: dict[str, Path] = {}
    for folder in read_upload_folders():
        root = folder.resolve()
        for manifest in islice(sorted(root.rglob("manifest.json")), MOST_FILES):
            run = manifest.parent
            if manifest.resolve().is_relative_to(root) and (run / "shards").is_dir():
                found[f"{root.name}/{run.relative_to(root)}"] = run
    return found


def server_file(name: str) -> ServerFile | None:
    """The file of that name in ``server_files``; None if it may not be read, or no longer."""
    path = server_files().get(name)
    if path is None:
        return None
    about = path.stat()
    return ServerFile(path, path.name, f"{path}-{about.st_mtime_ns}-{about.st_size}", about.st_size)
