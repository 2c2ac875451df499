"""Sums over all rows of a data set, stored in its folder: later commands read no row again."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from dataclasses import fields
from typing import TypeVar

import numpy as np

from .engine import Engine
from .errors import ScaleError
from .manifest import VectorData
from .store import joined, read_bytes, write_bytes

SUMS = "sums"
VERSION = "1"  # version of the arithmetic: sums of another version are computed again
Sum = TypeVar("Sum")


def stored_sum(
    data: VectorData,
    name: str,
    kind: type[Sum],
    compute: Callable[[], Sum] | None,
    *,
    engine: Engine | None = None,
) -> Sum:
    """A sum of this name, from the folder if it is of the same shards.

    Parameters
    ----------
    data : VectorData
        A folder without manifest stores nothing.
    name : str
    kind : type
        A dataclass of numbers and float64 arrays; fields that are None are left out.
    compute : callable, optional
        Without it, ScaleError "not_measured" is raised if the sum is not stored.
    engine : Engine, optional
        A sum that leaves out rows or shards is not stored.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load, save

    address = joined(data.address, SUMS, f"{name}.safetensors")
    key = json.dumps({"key": data.key, "version": VERSION})
    if data.has_manifest:
        try:
            content = read_bytes(address)
            arrays = load(content)
            if _metadata(content).get("key") == key:
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
            write_bytes(address, save(tensors, metadata={"key": key}))
        except OSError as error:  # the folder is read-only: the next call sums again
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
    return found


def _metadata(content: bytes) -> dict[str, str]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]).get("__metadata__", {})
