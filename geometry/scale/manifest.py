"""A vector data set: a folder of Parquet shards with a manifest and logs (docs/scale.md)."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import store
from .errors import Failed, ScaleError

if TYPE_CHECKING:
    from .engine import Engine

FORMAT = "narrow-cone vector data set 1"
MANIFEST, SHARDS, LOG, LOCK = "manifest.json", "shards", "log", ".lock"
PACKAGES = ("numpy", "pyarrow", "torch", "dask", "distributed")
STATES = ("done", "failed", "left")
COUNTED = ("rows", "bytes", "blank", "left_out")
ID_STEP = 2**32  # a shard has fewer rows than this
MOST_BYTES = 2**44
MOST_NUMBERS = 2**20
LONGEST_NAME = 200
WIDTHS = {"float16": 2, "float32": 4, "float64": 8}
_NAME = re.compile(r"\w[\w-]*\.parquet")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Column:
    """A column of vectors of a Parquet file."""

    name: str
    dimension: int
    dtype: str  #: "float32" or "float16"
    about: Mapping[str, Any]  #: model, layer and pooling, as far as they are known


@dataclass(frozen=True)
class Shard:
    """A Parquet file of a data set."""

    name: str
    address: str
    rows: int  #: rows and bytes that the manifest states
    size: int
    sha256: str  #: "" for a folder without manifest
    place: int  #: its number; rows without a column "id" are numbered from place * 2**32
    before: int  #: rows of the shards before it


@dataclass(frozen=True)
class Part:
    """A shard that is to be written, and what it is made from: an address of texts, or a Shard."""

    name: str
    place: int
    source: Any


@dataclass(frozen=True)
class Entry:
    """A shard as a manifest and its log state it. Numbers are 0 if it is not done."""

    name: str
    source: str = ""  # name of the file that it was made from
    state: str = "left"  # or "done" or "failed"
    reason: str = ""  # why it is not done, if that is known
    rows: int = 0
    bytes: int = 0
    sha256: str = ""
    blank: int = 0  # rows without text
    left_out: int = 0  # rows that could not be read
    rows_left_out: tuple[int, ...] = ()  # the first of them, from 1

    @classmethod
    def read(cls, given: Any) -> Entry:
        """The entry in a JSON value. Raises ValueError if that is not one."""
        about = {
            "name": _member(given, "name", str, fits=_NAME.fullmatch),
            "source": _member(given, "source", str, ""),
            "state": _member(given, "state", str, fits=STATES.__contains__),
            "reason": _member(given, "reason", str, ""),
        }
        if about["state"] != "done":
            return cls(**about)
        return cls(
            **about,
            rows=_member(given, "rows", int, most=ID_STEP - 1),
            bytes=_member(given, "bytes", int, most=MOST_BYTES),
            sha256=_member(given, "sha256", str, fits=_SHA256.fullmatch),
            blank=_member(given, "blank", int, 0, most=ID_STEP),
            left_out=_member(given, "left_out", int, 0, most=ID_STEP),
            rows_left_out=tuple(_member(given, "rows_left_out", list, [], fits=_are_numbers)),
        )


@dataclass(frozen=True)
class Manifest:
    """The contents of a manifest, as far as they are read again."""

    kind: str
    settings: Mapping[str, Any]
    vectors: tuple[Column, ...]
    shards: tuple[Entry, ...]

    @classmethod
    def read(cls, given: Any) -> Manifest:
        vectors = tuple(map(_column, _member(given, "vectors", list)))
        shards = tuple(map(Entry.read, _member(given, "shards", list)))
        for names in ([each.name for each in vectors], [each.name for each in shards]):
            if twice := [name for name, times in Counter(names).items() if times > 1]:
                raise ValueError(f"{twice[0]} twice")
        # vectors are not compressed, so a file has at least their bytes
        width = sum(each.dimension * WIDTHS[each.dtype] for each in vectors)
        for entry in shards:
            if entry.rows * width > entry.bytes:
                raise ValueError(f"{entry.name}: rows {entry.rows}, bytes {entry.bytes}")
        settings = _member(given, "settings", dict)
        return cls(_member(given, "kind", str), settings, vectors, shards)


def _column(given: Any) -> Column:
    dtype = _member(given, "dtype", str, fits=WIDTHS.__contains__)
    dimension = _member(given, "dimension", int, most=MOST_NUMBERS, fits=bool)
    for name, value in given.items():
        members = value.values() if isinstance(value, dict) else [value]
        if not all(each is None or isinstance(each, str | int | float) for each in members):
            raise _wrong(name, value)
    return Column(_member(given, "column", str), dimension, dtype, given)


def _are_numbers(values: list[Any]) -> bool:
    return all(type(each) is int for each in values)


def _wrong(name: str, value: Any) -> ValueError:
    is_plain = isinstance(value, str | int | float)
    return ValueError(f"{name}: {value if is_plain else type(value).__name__}")


def _member(
    given: Any,
    name: str,
    kind: type,
    default: Any = None,
    *,
    most: int = LONGEST_NAME,
    fits: Callable[[Any], object] | None = None,
) -> Any:
    """A member of a JSON object, of this type; numbers and texts that must be there have limits."""
    if not isinstance(given, dict):
        raise _wrong("an object", given)
    if name not in given and default is None:
        raise ValueError(f"no {name}")
    value = given.get(name, default)
    is_right = type(value) is kind
    if is_right and kind is int:
        is_right = 0 <= value <= most
    elif is_right and kind is str and default is None:
        is_right = 0 < len(value) <= most
    if not is_right or (fits is not None and not fits(value)):
        raise _wrong(name, value)
    return value


class VectorData:
    """A vector data set that can be read: a folder with a manifest, or of Parquet files.

    ``shards`` are those that are done.
    """

    def __init__(self, address: str) -> None:
        self.address = store.absolute(address)
        self.has_manifest = store.exists(store.joined(self.address, MANIFEST))
        if self.has_manifest:
            self.manifest = read_manifest(self.address)
            left = sum(each.state == "left" for each in self.manifest.shards)
            if left:
                n = len(self.manifest.shards)
                raise ScaleError("unfinished", folder=self.address, left=left, n=n)
        else:
            self.manifest = _manifest_of_files(self.address)
        within = store.inside(self.address, *([SHARDS] if self.has_manifest else []))
        self._sizes = store.listed(within)  # without links
        shards: list[Shard] = []
        before = 0
        for place, each in enumerate(self.manifest.shards):
            if each.state == "done":
                if each.name not in self._sizes:
                    store.inside(within, each.name)  # a missing file is noticed where it is read
                named = each.name, store.joined(within, each.name)
                shards.append(Shard(*named, each.rows, each.bytes, each.sha256, place, before))
                before += each.rows
        self.shards = tuple(shards)
        if not self.shards or not self.columns:
            raise ScaleError("no_vectors", folder=self.address)

    def refuse_other_sizes(self) -> None:
        """Raise ScaleError "damaged_shard" if a file has not the bytes that the manifest states."""
        for shard in self.shards:
            if self._sizes.get(shard.name) != shard.size:
                raise ScaleError("damaged_shard", shard=shard.address)

    @property
    def n_rows(self) -> int:
        return sum(shard.rows for shard in self.shards)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.manifest.vectors

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


def read_manifest(address: str) -> Manifest:
    """The manifest of a folder. Raises ScaleError if it is none, damaged, or a link."""
    file = store.inside(address, MANIFEST)
    try:
        found = store.read_json(file)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ScaleError("not_a_run", folder=address)
        return Manifest.read(found)
    except FileNotFoundError as error:
        raise ScaleError("not_a_run", folder=address) from error
    except ScaleError:
        raise
    except ValueError as error:
        raise ScaleError("bad_manifest", file=file, detail=str(error)) from error


def _manifest_of_files(address: str) -> Manifest:
    """The contents of a folder of Parquet files without manifest, from the files' footers."""
    listed = store.listed(address).items()
    sizes = {name: size for name, size in listed if name.endswith(".parquet")}
    if not sizes:
        raise ScaleError("not_a_run", folder=address)
    shards: list[Entry] = []
    vectors: list[dict[str, Any]] = []
    for name in sorted(sizes):
        rows, found = store.footer(store.joined(address, name))
        # Those of the first file that has rows; the others are checked later
        vectors = vectors or found
        shards.append(Entry(name, state="done", rows=rows, bytes=sizes[name]))
    columns = (Column(each["column"], each["dimension"], each["dtype"], each) for each in vectors)
    return Manifest("files", {}, tuple(columns), tuple(shards))


class RunFolder:
    """A folder that shards are written to, one for each source in order, all of one setting."""

    def __init__(
        self,
        address: str,
        kind: str,
        settings: Mapping[str, Any],
        columns: Sequence[Column],
        sources: Sequence[str | Shard],
    ) -> None:
        self.address = store.absolute(address)
        self._sources = [each if isinstance(each, str) else each.address for each in sources]
        self._source_folders = {each.rpartition("/")[0] for each in self._sources} - {""}
        own = {_real(self.address), _real(store.joined(self.address, SHARDS))}
        if own & set(map(_real, self._source_folders)):
            raise ScaleError("out_is_input", folder=self.address)
        self.redone: tuple[str, ...] = ()  # damaged shards, which are done again
        self.parts = [Part(f"part-{i:05d}.parquet", i, each) for i, each in enumerate(sources)]
        self._names = [part.name for part in self.parts]
        # in place of the addresses, their digest
        key = hashlib.sha256(json.dumps(self._sources).encode()).hexdigest()
        vectors = [
            {**each.about, "column": each.name, "dimension": each.dimension, "dtype": each.dtype}
            for each in columns
        ]
        self._head: dict[str, Any] = {
            "format": FORMAT,
            "kind": kind,
            "settings": json.loads(json.dumps({**settings, "sources": key})),
            "vectors": vectors,
        }

    def work_off(
        self, engine: Engine, prepare: Callable[[], Callable[[Part], int]]
    ) -> dict[str, Any]:
        """Do the shards that are not done, and write the manifest, after an error too; returns it.

        ``prepare`` gives the work of a part; it is called when no other run can write there.
        """
        with self.held():
            work = prepare()
            done, damaged, cut = finished_shards(self.address, self._names, check=True)
            self.redone = (*damaged, *cut)
            for name in self.redone:
                store.remove(_log_of(self.address, name))
            sound = done.keys() - set(damaged)
            left = [part for part in self.parts if part.name not in sound]
            engine.ended_by = None
            try:
                report = engine.each(work, left)
            except BaseException:
                with suppress(Exception):  # the store itself may have failed
                    self.save([], engine.ended_by)
                raise
            # only now: after an error workers may still be writing
            store.remove_parts(store.joined(self.address, SHARDS))
            return self.save(report.failures)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock the folder, so that no other run writes in it; refuses shards of other settings."""
        with _locked(self.address):
            if store.exists(store.joined(self.address, MANIFEST)):
                before = read_manifest(self.address)
                after = Manifest.read({**self._head, "shards": []})
                if replace(before, shards=()) != after:
                    raise ScaleError("other_run", folder=self.address)
            store.remove_parts(store.joined(self.address, SHARDS))
            self.save([])
            yield

    def save(self, failures: Sequence[Failed], ended_by: Failed | None = None) -> dict[str, Any]:
        """Write the manifest from the workers' logs; a shard that ended the run has a reason."""
        done, _, _ = finished_shards(self.address, self._names)
        faults: dict[str, dict[str, Any]] = {
            each.shard: {"reason": self._reason(each), "state": "failed"} for each in failures
        }
        if ended_by is not None:
            faults.setdefault(ended_by.shard, {"reason": self._reason(ended_by)})
        shards = []
        for name, address in zip(self._names, self._sources, strict=True):
            entry = done.get(name) or Entry(name, **faults.get(name, {}))
            shards.append(replace(entry, source=store.last_name(address)))
        manifest = {
            **self._head,
            "versions": _versions(),
            "counts": counts_of(shards),
            "shards": [asdict(entry) for entry in shards],
        }
        content = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        store.write_bytes(store.joined(self.address, MANIFEST), content)
        return {**manifest, "redone": self.redone}

    def _reason(self, failed: Failed) -> str:
        """The sentence of a fault, with names in place of addresses."""
        text = str(failed.error)
        folders = {self.address, *self._source_folders}
        folders |= {store.filesystem(folder)[1] for folder in folders}  # without file://
        for folder in sorted(folders, key=len, reverse=True):
            text = text.replace(f"{folder}/", "")
        return text


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("narrow-cone", *PACKAGES):
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return versions


def counts_of(shards: Sequence[Entry]) -> dict[str, int]:
    states = [each.state for each in shards]
    return {
        "shards": len(shards),
        **{state: states.count(state) for state in STATES},
        **{name: sum(getattr(each, name) for each in shards) for name in COUNTED},
    }


def finished_shards(
    address: str, names: Sequence[str], *, check: bool = False
) -> tuple[dict[str, Entry], list[str], list[str]]:
    """(shards done by their logs, those of another digest if checked, those whose log is cut)."""
    sizes, logs = (store.listed(store.inside(address, each)) for each in (SHARDS, LOG))
    done: dict[str, Entry] = {}
    cut: list[str] = []
    for name in names:
        log = _log_of(address, name)
        if name in sizes and store.last_name(log) in logs:
            try:
                entry = Entry.read({**store.read_json(log), "name": name, "state": "done"})
            except (TypeError, ValueError):  # as left by a crash of the machine
                cut.append(name)
                continue
            if entry.bytes == sizes[name]:
                done[name] = entry
    damaged: list[str] = []
    if check:
        with ThreadPoolExecutor() as pool:  # a store far away answers several at a time
            found = pool.map(store.digest, [store.joined(address, SHARDS, name) for name in done])
            damaged = [n for n, sha256 in zip(done, found, strict=True) if sha256 != done[n].sha256]
    return done, damaged, cut


@dataclass(frozen=True)
class Status:
    """The contents of a run's folder."""

    kind: str  #: the verb
    counts: dict[str, int]  #: shards by state; rows, bytes, rows without text, rows left out
    failed: dict[str, str]  #: reasons, by shard
    left_out: dict[str, list[int]]  #: the first rows that were left out, from 1, by shard
    damaged: tuple[str, ...] = ()  #: with other content than stated; empty unless checked
    cut_logs: tuple[str, ...] = ()  #: shards whose log is cut off; they count as left


def read_status(folder: str, *, check: bool = False) -> Status:
    """What is done, failed and left in a run's folder, also while the run works.

    Parameters
    ----------
    folder : str
    check : bool
        Read every shard and compare its digest with the manifest's.
    """
    manifest = read_manifest(folder)
    names = [entry.name for entry in manifest.shards]
    finished, damaged, cut = finished_shards(folder, names, check=check)
    shards = [
        finished.get(entry.name)
        or Entry(entry.name, state="failed" if entry.reason else "left", reason=entry.reason)
        for entry in manifest.shards
    ]
    done = [each for each in manifest.shards if each.state == "done" and each.name in finished]
    other = {each.name for each in done if check and each.sha256 != finished[each.name].sha256}
    return Status(
        manifest.kind,
        counts_of(shards),
        {each.name: each.reason for each in shards if each.state == "failed"},
        {each.name: list(each.rows_left_out) for each in shards if each.left_out},
        tuple(name for name in names if name in other or name in damaged),
        tuple(cut),
    )


def _real(address: str) -> str:
    """The address that two names of a folder have in common."""
    return str(Path(store.absolute(address)).resolve()) if store.is_local(address) else address


def _log_of(address: str, shard: str) -> str:
    return store.joined(address, LOG, shard.removesuffix(".parquet") + ".json")


def write_log(address: str, shard: str, **entry: Any) -> None:
    store.write_bytes(_log_of(address, shard), json.dumps(entry).encode())


@contextmanager
def _locked(address: str) -> Iterator[None]:
    """Hold the folder's lock; ScaleError "in_use" if another run has it."""
    lock = store.joined(address, LOCK)
    fs, path = store.filesystem(lock)
    if store.is_local(address):
        from filelock import FileLock, Timeout

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        try:
            held = FileLock(path).acquire(timeout=0)
        except Timeout as error:
            raise ScaleError("in_use", folder=address) from error
        with held:
            yield
        return
    try:
        with fs.open(path, "xb") as file:
            file.write(b"a run works here\n")
    except FileExistsError as error:
        raise ScaleError("in_use_marker", folder=address, marker=lock) from error
    try:
        yield
    finally:
        with suppress(Exception):  # the store itself may have failed; the marker then stays
            fs.rm_file(path)
