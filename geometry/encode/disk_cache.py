"""A disk cache of arrays by key, and the vectors of a corpus from it.

Vectors of the bundled corpora by the bundled models are shipped, so that a first visit encodes
nothing. They are read like the others, by the same keys. ``write_shipped`` makes their files.

A file of the cache is an .npy after 32 bytes: the sha256 of its key and the .npy. A file that was
truncated, altered or renamed reads as absent. Only the owner of the process may read the files.
"""

import errno
import hashlib
import io
import json
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from platformdirs import user_cache_path

from ..data.corpus import Corpus
from ..data.write import PART, written
from ..process import Progress
from ..shipped import shipped_file
from .blocks import OWNER_ONLY, digest_of, encode_to_files
from .encoder import OWN, Encoder, Layer
from .pool import POOLINGS, check_pooling

FOLDER_VARIABLE = "NARROW_CONE_CACHE_DIR"
SIZE_VARIABLE = "NARROW_CONE_CACHE_MB"
DEFAULT_MEGABYTES = 2048
BYTES_AT_ONCE = 300 * 10**6  # most bytes of one encoding in memory, with all layers and poolings
UNWRITTEN_BYTES = 300 * 10**6  # most bytes of arrays in memory, if the folder can't be written
CODE_VERSION = 2  # raise it if a change of code changes the vectors of the same texts
ABANDONED = 24 * 3600  # seconds after which an interrupted encoding by blocks is deleted
STALE_SECONDS = 3600  # longer than any write takes
SHIPPED = shipped_file("vectors")
INDEX = "index.json"  # of the shipped files: {key: {"file": name, "sha256": of the file}}
_DIGEST_BYTES = 32
_BLOCKS = "blocks-"  # prefix of a folder in use by one encoding


class ArrayStore:
    """Arrays on disk, and those that are shipped. The least recently used are deleted first.

    Parameters
    ----------
    folder : path, optional
        By default $NARROW_CONE_CACHE_DIR, else the platform's cache folder.
    max_bytes : int, optional
        Bytes of all files together. By default $NARROW_CONE_CACHE_MB x 10^6, else 2,048 MB.

    Attributes
    ----------
    blocks : Path or None
        The folder of an encoding by blocks, if the caller removes it; by default a new one.
    failure : OSError or None
        Why the last write failed, until an array as large is written. Its array is in this
        object's memory, where at most UNWRITTEN_BYTES stay.
    """

    def __init__(self, folder: Path | str | None = None, *, max_bytes: int | None = None) -> None:
        named = folder or os.environ.get(FOLDER_VARIABLE)
        self.folder = Path(named) if named else user_cache_path("narrow-cone", appauthor=False)
        if max_bytes is None:
            given = os.environ.get(SIZE_VARIABLE, str(DEFAULT_MEGABYTES))
            if not given.strip().isdecimal() or int(given) == 0:
                raise ValueError(
                    f"{SIZE_VARIABLE} must be a whole number of megabytes above 0; got {given!r}"
                )
            max_bytes = int(given) * 10**6
        self.max_bytes = max_bytes
        self.failure: OSError | None = None
        self._failed_bytes = 0  # of the last array that could not be written
        self.blocks: Path | None = None
        self._memory: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def key(*parts: object) -> str:
        """The sha256 of the parts and their lengths: ("ab", "c") and ("a", "bc") differ."""
        return digest_of(str(part).encode() for part in parts)

    def has(self, key: str) -> bool:
        """Whether a file of that key exists; only ``read`` verifies it."""
        return key in shipped_index() or key in self._memory or self._path(key).is_file()

    def read(self, key: str) -> np.ndarray | None:
        """The array, read-only; None if it is absent, truncated, altered or of another key."""
        if (shipped := read_shipped(key)) is not None:
            return shipped
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return self._memory.get(key)
        body = memoryview(content)[_DIGEST_BYTES:]
        if _digest(key, body) != content[:_DIGEST_BYTES]:
            _delete(path)
            return self._memory.get(key)
        with suppress(OSError):  # the folder may be read-only
            os.utime(path)  # marks it as used now
        array = np.load(io.BytesIO(body), allow_pickle=False)
        array.flags.writeable = False
        return array

    def write(self, key: str, array: np.ndarray) -> None:
        """Write the array, then delete the least recently used files above the limit.

        A full disk or a read-only folder raises nothing: the array is then kept in memory, and
        ``failure`` gives the reason.
        """
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        body = buffer.getbuffer()
        if _DIGEST_BYTES + len(body) > self.max_bytes:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with written(self._path(key), mode=OWNER_ONLY) as file:
                file.write(_digest(key, body))
                file.write(body)
        except OSError as failure:
            self.failure, self._failed_bytes = failure, len(body)
            array = array.copy()
            array.flags.writeable = False
            with self._lock:
                self._memory[key] = array
                self._memory.move_to_end(key)
                while sum(each.nbytes for each in self._memory.values()) > UNWRITTEN_BYTES:
                    self._memory.popitem(last=False)
            return
        if len(body) >= self._failed_bytes:  # a full disk may have room for something small
            self.failure = None
        self._evict()

    @property
    def unwritten(self) -> dict[str, np.ndarray]:
        """The arrays in this object's memory, by key, because the folder can't be written."""
        with self._lock:
            return dict(self._memory)

    def new_blocks(self) -> Path:
        """A new folder for the blocks of one encoding. One that is left is deleted after a day."""
        return self.folder / f"{_BLOCKS}{uuid4().hex}"

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.array"

    def _evict(self) -> None:
        """Delete the least recently used files above the limit, and what killed processes left."""
        now = time.time()
        entries = []
        for path in self.folder.glob("*"):
            with suppress(OSError):  # deleted by another process
                age = now - max(each.stat().st_mtime for each in (path, *path.glob("*")))
                if path.suffix == ".array":
                    entries.append((-age, path.stat().st_size, path))
                elif path.suffix == PART and age > STALE_SECONDS:
                    _delete(path)
                elif path.name.startswith(_BLOCKS) and age > ABANDONED:
                    shutil.rmtree(path, ignore_errors=True)
        excess = sum(size for _, size, _ in entries) - self.max_bytes
        for _, size, path in sorted(entries):
            if excess <= 0:
                return
            _delete(path)
            excess -= size


@cache
def shipped_index(folder: Path = SHIPPED) -> dict[str, dict[str, str]]:
    """File and sha256 of each key; empty if the folder is absent."""
    try:
        return json.loads((folder / INDEX).read_text(encoding="utf-8"))
    except OSError:
        return {}


def read_shipped(key: str, folder: Path = SHIPPED) -> np.ndarray | None:
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
    else:  # as ``write_shipped`` halves them
        X = found["rows"].astype(np.float64)
        flat = found["flat"]
        array = (X - (X @ flat.T - found["place"]) @ flat).astype(np.float32)
    array.flags.writeable = False
    return array


def _digest(key: str, body: memoryview) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    return digest.digest()


def _delete(path: Path) -> None:
    with suppress(OSError):  # absent, or not allowed
        path.unlink()


def recalled_vectors(
    encoder: Encoder,
    corpus: Corpus,
    *,
    layer: Layer,
    pooling: str,
    special_tokens: bool = True,
    store: ArrayStore | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """The (n, d) float32 vectors of ``Encoder.encode``, from the store if it has them.

    If not, one forward pass computes all layers and poolings, and all are stored. Beyond
    BYTES_AT_ONCE only this pooling is computed, by blocks on disk; or only these layers in memory,
    if no blocks can be written.
    """
    layers = encoder.layer_indices(layer)
    every = range(encoder.n_layers + 1)
    of_pooling = len(corpus) * encoder.dimension * np.float32().nbytes * len(every)
    is_large = of_pooling * len(POOLINGS) > BYTES_AT_ONCE and pooling != OWN
    how: dict[str, Any] = {"special_tokens": special_tokens, "progress": progress}

    def key(layer: int, pooling: str) -> str:
        return key_of(encoder, corpus, "sentences", layer, pooled_name(pooling, special_tokens))

    def compute() -> dict[str, np.ndarray]:
        if pooling == OWN:
            own = encoder.encode(corpus.texts, layer=layer, pooling=OWN, **how)
            return {key(layers[0], OWN): own}
        names = (pooling,) if is_large else tuple(POOLINGS)
        vectors = encoder.encode_layers(corpus.texts, poolings=names, **how)
        return {key(index, name): vectors[name][index] for name in names for index in every}

    def compute_by_blocks(store: ArrayStore) -> list[np.ndarray]:
        if of_pooling > store.max_bytes:
            raise OSError(errno.EDQUOT, f"{SIZE_VARIABLE} is too small for this corpus")
        folder = store.blocks or store.new_blocks()
        try:
            found = encode_to_files(encoder, corpus.texts, folder, poolings=(pooling,), **how)
            files = found.pop(pooling)
            for index in every:
                store.write(key(index, pooling), files[index])
            vectors = [np.array(files[index]) for index in layers]
            del files  # Windows removes no file that is mapped
            return vectors
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    if pooling != OWN:
        check_pooling(pooling)
    keys = tuple(key(index, pooling) for index in layers)
    X = None if store is None else stored(store, keys)
    if X is None and is_large and store is not None:
        try:
            X = compute_by_blocks(store)
        except OSError as failure:  # a full disk, a read-only folder, a limit below the blocks
            store.failure = failure
            if of_pooling > BYTES_AT_ONCE:
                return encoder.encode(corpus.texts, layer=layer, pooling=pooling, **how)
    X = X or recall(store, keys, compute)
    return X[0] if len(X) == 1 else np.stack(X).mean(axis=0, dtype=np.float32)


def recall(
    store: ArrayStore | None, keys: tuple[str, ...], compute: Callable[[], dict[str, np.ndarray]]
) -> list[np.ndarray]:
    """The arrays of some keys, stored or computed. ``compute`` may give others; all are stored."""
    if store is not None and (arrays := stored(store, keys)) is not None:
        return arrays
    computed = compute()
    if store is not None:
        for name, array in computed.items():
            store.write(name, array)
    return [computed[key] for key in keys]


def recall_one(store: ArrayStore | None, key: str, compute: Callable[[], np.ndarray]) -> np.ndarray:
    return recall(store, (key,), lambda: {key: compute()})[0]


def stored(store: ArrayStore, keys: tuple[str, ...]) -> list[np.ndarray] | None:
    found = [array for key in keys if (array := store.read(key)) is not None]
    return found if len(found) == len(keys) else None


def key_of(encoder: Encoder, corpus: Corpus, unit: str, layer: int, detail: str) -> str:
    """The key of an array: the sha256 of everything that its numbers depend on."""
    return ArrayStore.key(CODE_VERSION, encoder.fingerprint, corpus.sha256, unit, layer, detail)


def pooled_name(pooling: str, special_tokens: bool) -> str:
    return pooling if special_tokens else f"{pooling} of ordinary tokens"
