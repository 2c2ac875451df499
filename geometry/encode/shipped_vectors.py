"""Vectors of the bundled corpora by the bundled model; they come with the project.

A first visit shows a picture without encoding anything. ``ArrayStore`` reads these arrays like
those of its own folder and under the same keys: a key covers the model's files, the texts, layer
and pooling. With other files or texts the key is another one, and the texts are encoded.
``write_shipped`` makes the files.
"""

from __future__ import annotations

import hashlib
import io
import json
from functools import cache
from pathlib import Path

import numpy as np

from ..data.shipped import shipped_file

FOLDER = shipped_file("vectors")
INDEX = "index.json"  # {key: {"file": name, "sha256": of the file}}


@cache
def shipped_index(folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """File and sha256 of each key; empty if the folder is absent."""
    try:
        index: dict[str, dict[str, str]] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except OSError:
        return {}
    return index


def read_shipped(key: str, folder: Path = FOLDER) -> np.ndarray | None:
    """The array of that key, read-only; None if it is not shipped, or its file was changed."""
    entry = shipped_index(folder).get(key)
    if entry is None:
        return None
    try:
        content = (folder / entry["file"]).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        return None
    array: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    array.flags.writeable = False
    return array
