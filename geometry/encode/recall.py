"""Vectors of a corpus from the store where they are there, else encoded and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.corpus import Corpus
from .blocks import encode_to_files
from .encoder import OWN, Encoder, Layer, Progress
from .pool import POOLINGS, check_pooling
from .store import ArrayStore

BYTES_AT_ONCE = 300 * 10**6  # vectors of all layers and poolings that one encoding may hold
CODE_VERSION = 2  # raise it whenever the same texts would encode to other numbers


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
    """(n, d) float32 as ``Encoder.encode`` gives; a miss encodes and keeps *all* of them.

    All layers and poolings come out of the same forward pass, so the next choice is a hit.
    Of a corpus for which that would exceed BYTES_AT_ONCE, all layers of this pooling only, by
    blocks on disk (in the store's folder, where a killed run is taken over); and of the model's
    own output that alone.
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
        found = encoder.encode_layers(corpus.texts, poolings=tuple(POOLINGS), **how)
        return {key(index, name): found[name][index] for name in POOLINGS for index in every}

    def compute_by_blocks(store: ArrayStore) -> list[np.ndarray]:
        folder = store.folder / f"blocks-{key(0, pooling)}"
        files = encode_to_files(encoder, corpus.texts, folder, poolings=(pooling,), **how)[pooling]
        for index in every:
            store.write(key(index, pooling), files[index])
        found = [np.array(files[index]) for index in layers]
        del files
        shutil.rmtree(folder, ignore_errors=True)
        return found

    if pooling != OWN:
        check_pooling(pooling)
    keys = tuple(key(index, pooling) for index in layers)
    if size > BYTES_AT_ONCE and store is not None and pooling != OWN:
        kept = stored(store, keys) or compute_by_blocks(store)
    else:
        kept = recall(store, keys, compute)
    return kept[0] if len(kept) == 1 else np.stack(kept).mean(axis=0, dtype=np.float32)


def recall(
    store: ArrayStore | None, keys: tuple[str, ...], compute: Callable[[], dict[str, np.ndarray]]
) -> list[np.ndarray]:
    """The arrays of these keys; where one is missing, all that ``compute`` gives are kept."""
    if store is not None and (kept := stored(store, keys)) is not None:
        return kept
    computed = compute()
    if store is not None:
        for name, array in computed.items():
            store.write(name, array)
    return [computed[key] for key in keys]


def stored(store: ArrayStore, keys: tuple[str, ...]) -> list[np.ndarray] | None:
    """The arrays of these keys, or None where one is missing."""
    kept = [store.read(key) for key in keys]
    found = [array for array in kept if array is not None]
    return found if len(found) == len(keys) else None


def key_of(encoder: Encoder, corpus: Corpus, unit: str, layer: int, detail: str) -> str:
    """Where an array is kept: everything that its numbers depend on."""
    return ArrayStore.key(CODE_VERSION, encoder.fingerprint, corpus.sha256, unit, layer, detail)


def pooled_name(pooling: str, special_tokens: bool) -> str:
    """The pooling as a key names it."""
    return pooling if special_tokens else f"{pooling} of ordinary tokens"
