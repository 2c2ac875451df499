"""Arrays in a data set's folder that are computed once: sums over all rows, and indexes."""

import errno
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from .engine import Engine
from .errors import ScaleError
from .manifest import Column, VectorData
from .store import inside, read_bytes, write_bytes
from .vectors import sum_of_shard

SUMS = "sums"
VERSION = "1"  # version of the arithmetic: sums of another version are computed again
# axes of (d,) each; others are numbers, and of "weak" only the first is
AXES = {"mean": 1, "scatter": 2, "cubic": 1, "total": 1, "squares": 1, "weak": 1}
Sum = TypeVar("Sum")


def whole_sum(
    engine: Engine,
    data: VectorData,
    column: Column,
    kind: type[Sum],
    part: Callable[..., Sum],
    *,
    name: str | None = None,
    beside: tuple[str, ...] = (),
) -> Sum:
    """The merged parts of all blocks (``sum_of_shard``), which are stored under a name.

    What is stored for the same shards is read. A sum that left out rows or shards is not stored.
    """
    found = None if name is None else read_sum(data, column, name, kind)
    if found is not None:
        return found
    work = partial(sum_of_shard, part=part, column=column, skip=engine.skip, beside=beside)
    found = engine.total(work, data.shards).value
    if found is None:
        raise ScaleError("too_few_rows", folder=data.address)
    if name is not None and data.has_manifest and not (engine.omitted or engine.failures):
        values = {name: value for name, value in vars(found).items() if value is not None}
        try:
            write_keyed(*_place_of(data, name), values)
        except OSError as error:  # the folder is read-only: the next call sums again
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
    return found


def read_sum(data: VectorData, column: Column, name: str, kind: type[Sum]) -> Sum | None:
    """The sum in a data set's folder, if it is of the same shards; else None."""
    arrays = read_keyed(*_place_of(data, name)) if data.has_manifest else None
    if arrays is None:
        return None
    for part, a in arrays.items():
        shape = a.shape[:1] if part == "weak" else a.shape
        if shape != (column.dimension,) * AXES.get(part, 0) or not np.isfinite(a).all():
            return None
    return kind(**{n: a if a.ndim else a.item() for n, a in arrays.items()})


def _place_of(data: VectorData, name: str) -> tuple[str, dict[str, str]]:
    # a column of another program may have any name
    address = inside(data.address, SUMS, f"{quote(name, safe='')}.safetensors")
    return address, {"key": data.key, "version": VERSION}


def write_keyed(address: str, key: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Write arrays and numbers as .safetensors with a key and their digest."""
    # ascontiguousarray makes a number an array of one
    arrays = {n: np.ascontiguousarray(v).reshape(np.shape(v)) for n, v in values.items()}
    # one text, because safetensors writes several in any order
    write_bytes(address, save(arrays, metadata={"key": _key(key, arrays)}))


def read_keyed(address: str, key: Mapping[str, str]) -> dict[str, np.ndarray] | None:
    """The arrays of ``write_keyed`` with that key; None if there are none, or damaged ones."""
    try:
        content = read_bytes(address)
        arrays = load(content)
        head = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        is_whole = head["__metadata__"]["key"] == _key(key, arrays)
    except (FileNotFoundError, KeyError, SafetensorError, TypeError, ValueError):
        return None
    return arrays if is_whole else None


def _key(key: Mapping[str, str], arrays: Mapping[str, np.ndarray]) -> str:
    parts = (name.encode() + arrays[name].tobytes() for name in sorted(arrays))
    return json.dumps({**key, "sha256": hashlib.sha256(b"".join(parts)).hexdigest()})
