"""A disk cache of arrays by key, and the vectors of a corpus from it.

Files are written atomically, verified on read and bounded in total size. A file is 32 bytes of
sha256 followed by an .npy. A file that was truncated or altered reads as absent, so its array is
computed again.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from ..data.corpus import Corpus
from .blocks import encode_to_files
from .encoder import OWN, Encoder, Layer, Progress
from .pool import POOLINGS, check_pooling

FOLDER_VARIABLE = "NARROW_CONE_CACHE_DIR"
SIZE_VARIABLE = "NARROW_CONE_CACHE_MB"
DEFAULT_MEGABYTES = 2048
BYTES_AT_ONCE = 300 * 10**6  # of all layers and poolings that one encoding keeps in memory
CODE_VERSION = 2  # raise it if a change of code changes the vectors of the same texts
ABANDONED = 24 * 3600  # seconds after which an interrupted encoding by blocks is deleted
STALE_SECONDS = 3600  # longer than any write takes
_DIGEST_BYTES = 32


class ArrayStore:
    """Arrays on disk, the least recently used deleted first.

    Parameters
    ----------
    folder : path, optional
        By default $NARROW_CONE_CACHE_DIR, else the platform's cache folder.
    max_bytes : int, optional
        Of all arrays together. By default $NARROW_CONE_CACHE_MB x 10^6, else 2,048 MB.
    """

    def __init__(self, folder: Path | str | None = None, *, max_bytes: int | None = None) -> None:
        named = folder or os.environ.get(FOLDER_VARIABLE)
        self.folder = Path(named) if named else user_cache_path("narrow-cone", appauthor=False)
        self.max_bytes = _size_from_environment() if max_bytes is None else max_bytes

    @staticmethod
    def key(*parts: object) -> str:
        """The sha256 of the parts and their lengths: ("ab", "c") and ("a", "bc") differ."""
        digest = hashlib.sha256()
        for part in parts:
            text = str(part).encode()
            digest.update(len(text).to_bytes(8, "big") + text)
        return digest.hexdigest()

    def has(self, key: str) -> bool:
        """Whether a file of that key exists; only ``read`` verifies it."""
        return self._path(key).is_file()

    def read(self, key: str) -> np.ndarray | None:
        """The array, read-only; None if it is absent, truncated or altered."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        body = memoryview(content)[_DIGEST_BYTES:]
        if hashlib.sha256(body).digest() != content[:_DIGEST_BYTES]:
            _delete(path)
            return None
        with suppress(OSError):  # the folder may be read-only
            os.utime(path)  # marks it as used now
        array = np.load(io.BytesIO(body), allow_pickle=False)
        array.flags.writeable = False
        return array

    def write(self, key: str, array: np.ndarray) -> None:
        """Write the array, then delete the least recently used files above the limit.

        A full disk or a read-only folder raises nothing: the next read returns None.
        """
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        body = buffer.getbuffer()
        if _DIGEST_BYTES + len(body) > self.max_bytes:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as part:
                try:
                    part.write(hashlib.sha256(body).digest())
                    part.write(body)
                    part.close()
                    Path(part.name).replace(self._path(key))
                except BaseException:
                    _delete(Path(part.name))
                    raise
        except OSError:
            return
        self._evict()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.array"

    def _evict(self) -> None:
        for part in self.folder.glob("*.part"):  # left by a process that was killed
            with suppress(OSError):
                if time.time() - part.stat().st_mtime > STALE_SECONDS:
                    _delete(part)
        for blocks in self.folder.glob("blocks-*"):  # left by an interrupted encoding
            with suppress(OSError):
                if time.time() - max(path.stat().st_mtime for path in blocks.iterdir()) > ABANDONED:
                    shutil.rmtree(blocks)
        files = []
        for path in self.folder.glob("*.array"):
            try:
                stat = path.stat()
            except FileNotFoundError:  # deleted by another process
                continue
            files.append((stat.st_mtime_ns, stat.st_size, path))
        excess = sum(size for _, size, _ in files) - self.max_bytes
        for _, size, path in sorted(files):
            if excess <= 0:
                return
            _delete(path)
            excess -= size


def _delete(path: Path) -> None:
    with suppress(OSError):  # absent, or not allowed
        path.unlink()


def _size_from_environment() -> int:
    given = os.environ.get(SIZE_VARIABLE)
    if given is None:
        return DEFAULT_MEGABYTES * 10**6
    try:
        megabytes = int(given)
    except ValueError:
        megabytes = 0
    if megabytes <= 0:
        raise ValueError(
            f"{SIZE_VARIABLE} must be a whole number of megabytes above 0; got {given!r}"
        )
    return megabytes * 10**6


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

    If not, one forward pass computes all layers and poolings, and all are stored. If they would
    exceed BYTES_AT_ONCE, only this pooling is computed, by blocks on disk in the store's folder,
    where an interrupted run resumes. The pooling "own" is computed and stored alone.
    """
    layers = encoder.layer_indices(layer)
    every = range(encoder.n_layers + 1)
    size = len(corpus) * encoder.dimension * np.float32().nbytes * len(every) * len(POOLINGS)
    how: dict[str, Any] = {"special_tokens": special_tokens, "progress": progress}

    def key(layer: int, pooling: str) -> str:
        return key_of(encoder, corpus, "sentences", layer, pooled_name(pooling, special_tokens))

    def compute() -> dict[str, np.ndarray]:
        if pooling == OWN:
            return {
                key(layers[0], OWN): encoder.encode(corpus.texts, layer=layer, pooling=OWN, **how)
            }
        vectors = encoder.encode_layers(corpus.texts, poolings=tuple(POOLINGS), **how)
        return {key(index, name): vectors[name][index] for name in POOLINGS for index in every}

    def compute_by_blocks(store: ArrayStore) -> list[np.ndarray]:
        folder = store.folder / f"blocks-{key(0, pooling)}"
        files = encode_to_files(encoder, corpus.texts, folder, poolings=(pooling,), **how)[pooling]
        for index in every:
            store.write(key(index, pooling), files[index])
        vectors = [np.array(files[index]) for index in layers]
        del files
        shutil.rmtree(folder, ignore_errors=True)
        return vectors

    if pooling != OWN:
        check_pooling(pooling)
    keys = tuple(key(index, pooling) for index in layers)
    if size > BYTES_AT_ONCE and store is not None and pooling != OWN:
        X = stored(store, keys) or compute_by_blocks(store)
    else:
        X = recall(store, keys, compute)
    return X[0] if len(X) == 1 else np.stack(X).mean(axis=0, dtype=np.float32)


def recall(
    store: ArrayStore | None, keys: tuple[str, ...], compute: Callable[[], dict[str, np.ndarray]]
) -> list[np.ndarray]:
    """The arrays of these keys. If one is missing, all arrays of ``compute`` are stored."""
    if store is not None and (arrays := stored(store, keys)) is not None:
        return arrays
    computed = compute()
    if store is not None:
        for name, array in computed.items():
            store.write(name, array)
    return [computed[key] for key in keys]


def stored(store: ArrayStore, keys: tuple[str, ...]) -> list[np.ndarray] | None:
    """The arrays of these keys, or None if one is missing."""
    found = [array for key in keys if (array := store.read(key)) is not None]
    return found if len(found) == len(keys) else None


def key_of(encoder: Encoder, corpus: Corpus, unit: str, layer: int, detail: str) -> str:
    """The key of an array: the sha256 of everything that its numbers depend on."""
    return ArrayStore.key(CODE_VERSION, encoder.fingerprint, corpus.sha256, unit, layer, detail)


def pooled_name(pooling: str, special_tokens: bool) -> str:
    """The pooling's name in a key."""
    return pooling if special_tokens else f"{pooling} of ordinary tokens"
