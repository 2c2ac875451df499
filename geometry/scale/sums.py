"""Arrays in a data set's folder that are computed once: sums over all rows, and indexes."""

import errno
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar
from urllib.parse import quote

import numpy as np

from .engine import Engine
from .errors import ScaleError
from .manifest import Column, VectorData
from .store import inside, read_bytes, write_bytes

SUMS = "sums"
VERSION = "1"  # version of the arithmetic: sums of another version are computed again
AXES = {"mean": 1, "scatter": 2, "cubic": 1, "total": 1, "squares": 1}  # others are numbers
Sum = TypeVar("Sum")


def stored_sum(
    data: VectorData,
    column: Column,
    name: str,
    kind: type[Sum],
    compute: Callable[[], Sum] | None,
    *,
    engine: Engine | None = None,
) -> Sum:
    """A sum of this name, from the folder if it is of the same shards, else computed and stored.

    One that left out rows or shards is not stored.
    """
    # a column of another program may have any name
    address = inside(data.address, SUMS, f"{quote(name, safe='')}.safetensors")
    key = {"key": data.key, "version": VERSION}
    if data.has_manifest:
        arrays = read_keyed(address, key)
        if arrays is not None and _fits(arrays, column.dimension):
            return kind(**{n: a if a.ndim else a.item() for n, a in arrays.items()})
    if compute is None:
        raise ScaleError("not_measured", folder=data.address)
    found = compute()
    if data.has_manifest and engine is not None and not (engine.omitted or engine.failures):
        values = {f.name: getattr(found, f.name) for f in fields(found)}  # type: ignore[arg-type]
        try:
            write_keyed(address, key, {n: v for n, v in values.items() if v is not None})
        except OSError as error:  # the folder is read-only: the next call sums again
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
    return found


def write_keyed(address: str, key: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Write arrays and numbers as .safetensors with a key and their digest."""
    from safetensors.numpy import save

    # ascontiguousarray makes a number an array of one
    arrays = {n: np.ascontiguousarray(v).reshape(np.shape(v)) for n, v in values.items()}
    # one text, because safetensors writes several in any order
    write_bytes(address, save(arrays, metadata={"key": _key(key, arrays)}))


def read_keyed(address: str, key: Mapping[str, str]) -> dict[str, np.ndarray] | None:
    """The arrays of ``write_keyed`` with that key; None if there are none, or damaged ones."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

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


def _fits(arrays: Mapping[str, np.ndarray], d: int) -> bool:
    return all(
        np.isfinite(a).all()
        and (a.shape[:1] == (d,) if name == "weak" else a.shape == (d,) * AXES.get(name, 0))
        for name, a in arrays.items()
    )
