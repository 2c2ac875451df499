"""Sums over all rows of a data set, stored in its folder: later commands read no row again."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TypeVar
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

    One that left out rows or shards is not stored. Without ``compute`` ScaleError "not_measured" is
    raised.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load, save

    # a column of another program may have any name
    address = inside(data.address, SUMS, f"{quote(name, safe='')}.safetensors")

    def key_of(arrays: Mapping[str, np.ndarray]) -> str:
        # one text, because safetensors writes several in any order
        return json.dumps({"key": data.key, "version": VERSION, "sha256": _digest(arrays)})

    if data.has_manifest:
        try:
            content = read_bytes(address)
            arrays = load(content)
            is_whole = _metadata(content).get("key") == key_of(arrays)
            if is_whole and _fits(arrays, column.dimension):
                return kind(**{n: a if a.ndim else a.item() for n, a in arrays.items()})
        except (FileNotFoundError, SafetensorError, TypeError, ValueError):
            pass
    if compute is None:
        raise ScaleError("not_measured", folder=data.address)
    found = compute()
    if data.has_manifest and engine is not None and not (engine.omitted or engine.failures):
        values = {f.name: getattr(found, f.name) for f in fields(found)}  # type: ignore[arg-type]
        tensors = {n: np.ascontiguousarray(v) for n, v in values.items() if v is not None}
        # ascontiguousarray makes a number an array of one
        tensors = {n: a.reshape(np.shape(values[n])) for n, a in tensors.items()}
        try:
            write_bytes(address, save(tensors, metadata={"key": key_of(tensors)}))
        except OSError as error:  # the folder is read-only: the next call sums again
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
    return found


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    parts = (name.encode() + arrays[name].tobytes() for name in sorted(arrays))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _fits(arrays: Mapping[str, np.ndarray], d: int) -> bool:
    """Whether the arrays have finite numbers for d axes."""
    return all(
        np.isfinite(a).all()
        and (a.shape[:1] == (d,) if name == "weak" else a.shape == (d,) * AXES.get(name, 0))
        for name, a in arrays.items()
    )


def _metadata(content: bytes) -> dict[str, str]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]).get("__metadata__", {})
