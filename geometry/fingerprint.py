"""One name for everything that an encoder's numbers depend on."""

from __future__ import annotations

import hashlib
from pathlib import Path


def fingerprint_of(folder: Path, *, known: str | None, dtype: str) -> str:
    """sha256 over weights, tokenizer, every setting in the folder, and the dtype.

    known : the files' own where it is known beforehand; then nothing is read. In float32 it is
    returned as it is.
    """
    digest = hashlib.sha256()
    if known is not None:
        if dtype == "float32":
            return known
        digest.update(known.encode())
    else:
        for path in sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.json")]):
            digest.update(path.relative_to(folder).as_posix().encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    digest.update(dtype.encode())
    return digest.hexdigest()
