"""The encoding of a large corpus by a worker process, which imports this and no Streamlit."""

import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geometry import Cloud, Corpus, Encoder, read_cloud
from geometry.encode import ArrayStore
from geometry.process import Progress, Worker, send_progress

ENCODING = Worker(idle_seconds=300)


def read_cloud_apart(
    encoder: Encoder, corpus: Corpus, *, store: ArrayStore, progress: Progress, **spec: Any
) -> Cloud:
    """``geometry.read_cloud`` in the worker; what it can't write stays in ``store``'s memory."""
    blocks = store.new_blocks()
    call = partial(_read_cloud, encoder, corpus, spec, store.folder, store.max_bytes, blocks)
    try:
        cloud, unwritten, failure = ENCODING.run(call, progress)
    finally:
        shutil.rmtree(blocks, ignore_errors=True)  # of a worker that was ended
    for key, array in unwritten.items():
        store.write(key, array)
    store.failure = failure or store.failure
    return cloud


def _read_cloud(
    encoder: Encoder,
    corpus: Corpus,
    spec: Mapping[str, Any],
    folder: Path,
    max_bytes: int,
    blocks: Path,
) -> tuple[Cloud, dict[str, np.ndarray], OSError | None]:
    """The cloud, the arrays that could not be written to the disk, and the error of writing."""
    store = ArrayStore(folder, max_bytes=max_bytes)
    store.blocks = blocks
    cloud = read_cloud(encoder, corpus, **spec, store=store, progress=send_progress)
    return cloud, store.unwritten, store.failure
