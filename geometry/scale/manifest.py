"""A vector data set: a folder of Parquet shards, with a manifest of what they are.

manifest.json            settings, versions, columns of vectors, and each shard's state
shards/part-00000.parquet
log/part-00000.json      written by the worker after the shard; a shard without it is not done
sums/                    moments of all rows, so that they are summed once
.lock                    held by the one run that writes here
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from .errors import Failed, ScaleError
from .parquet import footer
from .store import (
    absolute,
    exists,
    filesystem,
    is_local,
    joined,
    listed,
    read_bytes,
    remove_parts,
    write_bytes,
)

FORMAT = "narrow-cone vector data set 1"
MANIFEST, SHARDS, LOG, LOCK = "manifest.json", "shards", "log", ".lock"
PACKAGES = ("numpy", "pyarrow", "torch", "dask", "distributed")


@dataclass(frozen=True)
class Column:
    """A column of vectors.

    Attributes
    ----------
    name : str
        Name of the Parquet column.
    dimension : int
    dtype : str
        "float32" or "float16".
    about : mapping
        Model, layer and pooling, as far as they are known.
    """

    name: str
    dimension: int
    dtype: str
    about: Mapping[str, Any]


@dataclass(frozen=True)
class Shard:
    """A Parquet file of a data set.

    Attributes
    ----------
    name : str
    address : str
    rows, size : int
        Rows and bytes that the manifest states.
    sha256 : str
        Digest of the bytes; "" for a folder without manifest.
    place : int
        Number of the shard. Rows without a column "id" are numbered from place * 2**32.
    """

    name: str
    address: str
    rows: int
    size: int
    sha256: str
    place: int


class VectorData:
    """A vector data set that can be read.

    Parameters
    ----------
    address : str
        A folder with a manifest, or a folder of Parquet files.

    Attributes
    ----------
    manifest : dict
    shards : tuple of Shard
        Those that are done.
    """

    def __init__(self, address: str) -> None:
        self.address = absolute(address)
        self.has_manifest = exists(joined(self.address, MANIFEST))
        if self.has_manifest:
            self.manifest = read_manifest(self.address)
            left = sum(each["state"] == "left" for each in self.manifest["shards"])
            if left:
                n = len(self.manifest["shards"])
                raise ScaleError("unfinished", folder=self.address, left=left, n=n)
        else:
            self.manifest = _manifest_of_files(self.address)
        self.shards = tuple(
            Shard(
                each["name"],
                joined(self.address, *([SHARDS] if self.has_manifest else []), each["name"]),
                each["rows"],
                each["bytes"],
                each["sha256"],
                place,
            )
            for place, each in enumerate(self.manifest["shards"])
            if each["state"] == "done"
        )
        if not self.shards:
            raise ScaleError("no_vectors", folder=self.address)

    @property
    def n_rows(self) -> int:
        return sum(shard.rows for shard in self.shards)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(each["column"], each["dimension"], each["dtype"], each)
            for each in self.manifest["vectors"]
        )

    def column(self, name: str | None) -> Column:
        """The column of vectors of that name; None takes the only one."""
        names = tuple(column.name for column in self.columns)
        if name is None and len(names) == 1:
            return self.columns[0]
        if name is None:
            raise ScaleError("several_columns", folder=self.address, names=names)
        if name not in names:
            raise ScaleError("no_vector_column", folder=self.address, column=name, names=names)
        return self.columns[names.index(name)]

    @cached_property
    def key(self) -> str:
        """A digest of the shards' content; of names and sizes in a folder without manifest."""
        parts = [(shard.name, shard.rows, shard.size, shard.sha256) for shard in self.shards]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def content_key(self) -> str:
        """``key`` and the folder, because folders without manifest may have equal keys."""
        return f"{self.address}/{self.key}"


def read_manifest(address: str) -> dict[str, Any]:
    """The manifest of a folder. Raises ScaleError "not_a_run" if there is none or another file."""
    try:
        found = json.loads(read_bytes(joined(address, MANIFEST)))
        if found["format"] != FORMAT or not isinstance(found["shards"], list):
            raise KeyError
    except (FileNotFoundError, KeyError, TypeError, ValueError) as error:
        raise ScaleError("not_a_run", folder=address) from error
    return found


def _manifest_of_files(address: str) -> dict[str, Any]:
    """The contents of a folder of Parquet files without manifest, from the files' footers."""
    sizes = {name: size for name, size in listed(address).items() if name.endswith(".parquet")}
    if not sizes:
        raise ScaleError("not_a_run", folder=address)
    shards: list[dict[str, Any]] = []
    vectors: list[dict[str, Any]] = []
    for name in sorted(sizes):
        rows, columns = footer(joined(address, name))
        # Those of the first file that has rows; the others are checked later
        vectors = vectors or columns
        shards.append(
            {"name": name, "state": "done", "rows": rows, "bytes": sizes[name], "sha256": ""}
        )
    if not vectors:
        raise ScaleError("no_vectors", folder=address)
    return {"format": FORMAT, "kind": "files", "vectors": vectors, "shards": shards}


class RunFolder:
    """A folder that shards are written to.

    Parameters
    ----------
    address : str
    kind : str
        The verb, such as "encode".
    settings : mapping
        What the shards' content depends on. A folder has the shards of one setting.
    vectors : sequence of mapping
        The columns of vectors.
    sources : sequence of str
        One address a shard, in order.
    """

    def __init__(
        self,
        address: str,
        kind: str,
        settings: Mapping[str, Any],
        vectors: Sequence[Mapping[str, Any]],
        sources: Sequence[str],
    ) -> None:
        self.address = absolute(address)
        self.sources = tuple(sources)
        self.names = tuple(f"part-{i:05d}.parquet" for i in range(len(sources)))
        self._head: dict[str, Any] = {
            "format": FORMAT,
            "kind": kind,
            "settings": json.loads(json.dumps({**settings, "sources": list(sources)})),
            "vectors": [dict(each) for each in vectors],
        }

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the folder, so that no other run writes in it.

        Raises ScaleError "in_use" if another run does, and "other_run" if the folder has shards of
        other settings.
        """
        with _locked(self.address):
            if exists(joined(self.address, MANIFEST)):
                before = read_manifest(self.address)
                same = ("kind", "settings", "vectors")
                if any(before.get(name) != self._head[name] for name in same):
                    raise ScaleError("other_run", folder=self.address)
            self.tidy()
            self.save([])
            yield

    def tidy(self) -> None:
        """Delete what killed workers left unfinished."""
        remove_parts(joined(self.address, SHARDS))

    def left(self) -> tuple[int, ...]:
        """Numbers of the shards that are not done."""
        done = finished_shards(self.address, self.names)
        return tuple(i for i, name in enumerate(self.names) if name not in done)

    def save(self, failures: Sequence[Failed], ended_by: Failed | None = None) -> dict[str, Any]:
        """Write the manifest from the workers' logs; returns it.

        A shard that ended the run is left, with the reason.
        """
        done = finished_shards(self.address, self.names)
        reasons = {failed.shard: str(failed.error) for failed in failures}
        shards = []
        for name, source in zip(self.names, self.sources, strict=True):
            entry = {"name": name, "source": source, "state": "left"}
            if name in done:
                entry |= {"state": "done", **done[name]}
            elif name in reasons:
                entry |= {"state": "failed", "reason": reasons[name]}
            elif ended_by is not None and name == ended_by.shard:
                entry |= {"reason": str(ended_by.error)}
            shards.append(entry)
        manifest = {
            **self._head,
            "versions": _versions(),
            "counts": counts_of(shards),
            "shards": shards,
        }
        write_bytes(
            joined(self.address, MANIFEST),
            json.dumps(manifest, ensure_ascii=False, indent=1).encode(),
        )
        return manifest


@cache
def _versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide the numbers."""
    versions = {"python": platform.python_version()}
    for package in ("narrow-cone", *PACKAGES):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions


def counts_of(shards: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Shards by state, and sums over those that are done."""
    done = [each for each in shards if each["state"] == "done"]
    return {
        "shards": len(shards),
        "done": len(done),
        "failed": sum(each["state"] == "failed" for each in shards),
        "left": sum(each["state"] == "left" for each in shards),
        **{name: sum(each.get(name, 0) for each in done) for name in COUNTED},
    }


COUNTED = ("rows", "bytes", "blank", "left_out")


def finished_shards(address: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The workers' logs of the shards that are there with the bytes that the log states."""
    sizes = listed(joined(address, SHARDS))
    logs = listed(joined(address, LOG))
    found = {}
    for name in names:
        if name in sizes and log_name(name) in logs:
            entry = json.loads(read_bytes(joined(address, LOG, log_name(name))))
            if entry["bytes"] == sizes[name]:
                found[name] = entry
    return found


def log_name(shard: str) -> str:
    """The name of a shard's log: its own with the suffix .json."""
    return shard.removesuffix(".parquet") + ".json"


def write_log(address: str, shard: str, entry: Mapping[str, Any]) -> None:
    """State that a shard is done; the worker's last step.

    Parameters
    ----------
    address : str
        Address of the data set.
    shard : str
        Name of the shard's file.
    entry : mapping
        Its row counts, size and digest.
    """
    write_bytes(joined(address, LOG, log_name(shard)), json.dumps(entry).encode())


@contextmanager
def _locked(address: str) -> Iterator[None]:
    """Hold the folder's lock; ScaleError "in_use" if another run has it."""
    lock = joined(address, LOCK)
    if is_local(address):
        from filelock import FileLock, Timeout

        path = Path(filesystem(lock)[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = FileLock(path).acquire(timeout=0)
        except Timeout as error:
            raise ScaleError("in_use", folder=address) from error
        with held:
            yield
        return
    fs, path_there = filesystem(lock)
    try:
        with fs.open(path_there, "xb") as file:
            file.write(b"a run works here\n")
    except FileExistsError as error:
        raise ScaleError("in_use", because="in_use_marker", folder=address, marker=lock) from error
    try:
        yield
    finally:
        with suppress(Exception):  # the store itself may have failed; the marker then stays
            fs.rm_file(path_there)
