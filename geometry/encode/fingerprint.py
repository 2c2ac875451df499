"""One name for everything that an encoder's numbers depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

CHUNK = 8 * 2**20  # bytes read between two reports


def fingerprint_of(
    folder: Path,
    *,
    known: str | None,
    dtype: str,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """sha256 over weights, tokenizer, every setting in the folder, and the dtype.

    known : the files' own where it is known beforehand; then nothing is read. In float32 it is
    returned as it is.   progress : called with bytes read and bytes in all; raise in it to stop.
    """
    digest = hashlib.sha256()
    if known is not None:
        if dtype == "float32":
            return known
        digest.update(known.encode())
    else:
        paths = sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.json")])
        total, done = sum(path.stat().st_size for path in paths), 0
        for path in paths:
            digest.update(path.relative_to(folder).as_posix().encode())
            of_file = hashlib.sha256()
            with path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    of_file.update(chunk)
                    done += len(chunk)
                    if progress is not None:
                        progress(done, total)
            digest.update(of_file.digest())
    digest.update(dtype.encode())
    return digest.hexdigest()
