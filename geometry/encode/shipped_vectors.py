"""Vectors of the bundled corpora by the bundled model, so that a first visit encodes nothing.

``ArrayStore`` reads these arrays like those of its own folder and under the same keys.
``write_shipped`` makes the files.
"""

import hashlib
import io
import json
from functools import cache
from pathlib import Path

import numpy as np

from ..shipped import shipped_file

FOLDER = shipped_file("vectors")
FLAT = 1e-9  # variance of a direction without any, as a share of the widest
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
    found = np.load(io.BytesIO(content), allow_pickle=False)
    if isinstance(found, np.ndarray):
        array = found
    else:  # as by ``halved``
        X, flat = found["rows"].astype(np.float64), found["flat"]
        array = (X - (X @ flat.T - found["place"]) @ flat).astype(np.float32)
    array.flags.writeable = False
    return array


def halved(X: np.ndarray) -> dict[str, np.ndarray]:
    """X (n, d) float32 as float16 rows, and the directions in which all rows have one place.

    The output of a LayerNorm lies in a hyperplane. Rounding moves the rows out of it, and a
    whitening would then amplify that noise.
    """
    flat = np.empty((0, X.shape[1]))
    if len(X) > X.shape[1]:
        values, V = np.linalg.eigh(np.cov(X.T.astype(np.float64), bias=True))
        flat = V[:, values < FLAT * values[-1]].T
    place = flat @ X.mean(axis=0, dtype=np.float64)
    return {"rows": X.astype(np.float16), "flat": flat, "place": place}
