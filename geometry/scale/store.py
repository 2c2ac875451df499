"""Files at any address that fsspec reads: a folder, S3, GCS, HTTP; Parquet by batches.

Each file that is written appears in whole.
"""

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from safetensors.numpy import load

from ..data.write import PART
from ..data.write import written as whole_file
from .errors import ScaleError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MOST_JSON = 2**28  # bytes of a manifest, which 100,000 shards stay far below
READ_ROWS = 4096  # rows of texts that the Parquet reader gives at a time
FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}


def filesystem(address: str) -> tuple[Any, str]:
    """(the file system of an address, the path in it)."""
    return fsspec.core.url_to_fs(address)


def is_local(address: str) -> bool:
    return isinstance(filesystem(address)[0], LocalFileSystem)


def absolute(address: str) -> str:
    """The address as workers find it, whose current folder is another one."""
    return filesystem(address)[1] if is_local(address) else address.rstrip("/")


def joined(address: str, *names: str) -> str:
    return "/".join([address.rstrip("/"), *names])


def last_name(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def inside(folder: str, *names: str) -> str:
    """The address of a file in a run's folder; ScaleError if a part of it is a link."""
    address = folder
    for name in names:
        address = joined(address, name)
        if is_local(address) and Path(filesystem(address)[1]).is_symlink():
            raise ScaleError("leads_out", folder=folder, name=name)
    return address


def listed(address: str) -> dict[str, int]:
    fs, path = filesystem(address)
    fs.invalidate_cache()
    try:
        found = fs.ls(path, detail=True)
    except FileNotFoundError:
        return {}
    return {last_name(e["name"]): int(e["size"] or 0) for e in found if e["type"] == "file"}


def exists(address: str) -> bool:
    fs, path = filesystem(address)
    fs.invalidate_cache()
    return bool(fs.exists(path))


def read_bytes(address: str) -> bytes:
    fs, path = filesystem(address)
    return fs.cat_file(path)


def read_json(address: str) -> Any:
    """The value in a JSON file. Raises ValueError for everything that is not one."""
    fs, path = filesystem(address)
    with fs.open(path, "rb") as file:
        content = file.read(MOST_JSON + 1)
    if len(content) > MOST_JSON:
        raise ValueError(f"more than {MOST_JSON} bytes")
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def digest(address: str) -> str:
    fs, path = filesystem(address)
    with fs.open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def known_digest(address: str) -> str:
    """``digest``, computed once in a process for each version of the file."""
    fs, path = filesystem(address)
    fs.invalidate_cache()
    return _digest_of(address, str(fs.ukey(path)))


@lru_cache(maxsize=2**17)
def _digest_of(address: str, _version: str) -> str:
    return digest(address)


def read_unchanged(address: str, sha256: str, *, folder: str) -> bytes:
    """The content of a file of a run. Raises ScaleError "other_run" for another digest."""
    content = read_bytes(address)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ScaleError("other_run", folder=folder)
    return content


@lru_cache(maxsize=1)
def read_arrays(address: str, sha256: str, *, folder: str) -> dict[str, np.ndarray]:
    """The arrays of a .safetensors file, as ``read_unchanged``; read once in a worker."""
    return load(read_unchanged(address, sha256, folder=folder))


def write_bytes(address: str, content: bytes) -> None:
    with written(address) as file:
        file.write(content)


@contextmanager
def written(address: str, *, force: bool = True) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is complete; it is a file of this machine until then."""
    fs, path = filesystem(address)
    try:
        if isinstance(fs, LocalFileSystem):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with whole_file(Path(path), force=force) as file:
                yield file
        else:
            with tempfile.TemporaryDirectory() as folder:
                part = Path(folder, "content")
                with part.open("wb") as file:
                    yield file
                fs.put_file(str(part), path)
    except OSError as error:
        if error.errno not in FULL:
            raise
        reason = os.strerror(error.errno)
        raise ScaleError("disk_full", address=address, reason=reason) from error


def remove(address: str) -> None:
    fs, path = filesystem(address)
    fs.rm_file(path)


def remove_parts(address: str) -> None:
    if is_local(address):
        for part in Path(filesystem(address)[1]).glob(f".*{PART}"):
            part.unlink(missing_ok=True)


def footer(address: str) -> tuple[int, list[dict[str, Any]]]:
    """(rows, columns of vectors) of a Parquet file."""
    columns = []
    with opened_shard(address) as file:
        for field in file.schema_arrow:
            kind = field.type
            if not is_list(kind) or str(kind.value_type) not in FLOATS:
                continue
            if pa.types.is_fixed_size_list(kind):
                width = kind.list_size
            else:
                firsts = (b.column(0)[0] for b in file.iter_batches(1, columns=[field.name]))
                width = next((len(each) for each in firsts if each.is_valid), 0)
            if width:
                dtype = FLOATS[str(kind.value_type)]
                columns.append({"column": field.name, "dimension": width, "dtype": dtype})
        return file.metadata.num_rows, columns


def batches_of(
    file: pq.ParquetFile, columns: list[str], address: str, rows: int = READ_ROWS
) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file, so many at a time, whatever its row groups are."""
    try:
        yield from file.iter_batches(batch_size=rows, columns=columns, use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(address, error) from error


@contextmanager
def opened_shard(address: str) -> Iterator[pq.ParquetFile]:
    fs, path = filesystem(address)
    try:
        file = pq.ParquetFile(path, filesystem=None if is_local(address) else fs)
    except (pa.ArrowInvalid, FileNotFoundError) as error:
        raise unreadable(address, error) from error
    with file:
        yield file


def unreadable(address: str, error: BaseException) -> ScaleError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ScaleError("unreadable_shard", shard=address, detail=lines[0])


def is_list(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind)
