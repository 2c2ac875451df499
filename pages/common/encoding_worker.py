"""The encoding of a large corpus by a worker process, which imports this and no Streamlit."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geometry import Cloud, Corpus, Encoder, read_cloud
from geometry.encode import ArrayStore
from geometry.encode.disk_cache import blocks_name
from geometry.encode.pool import DEFAULT_POOLING
from geometry.process import ProcessEnded, Progress, Worker, send_progress

ENCODING = Worker(idle_seconds=300)


def read_cloud_apart(
    encoder: Encoder, corpus: Corpus, *, store: ArrayStore, progress: Progress, **spec: Any
) -> Cloud:
    """``geometry.read_cloud`` in the worker; what it can't write stays in ``store``'s memory."""
    try:
        cloud, unwritten, failure = ENCODING.run(
            partial(_read_cloud, encoder, corpus, spec, store.folder, store.max_bytes), progress
        )
    except ProcessEnded:  # the next start resumes with the stored blocks
        raise
    except BaseException:
        pooling, special = spec.get("pooling", DEFAULT_POOLING), spec.get("special_tokens", True)
        store.discard_blocks(blocks_name(encoder, corpus, pooling, special))
        raise
    for key, array in unwritten.items():
        store.write(key, array)
    store.failure = failure or store.failure
    return cloud


def _read_cloud(
    encoder: Encoder, corpus: Corpus, spec: Mapping[str, Any], folder: Path, max_bytes: int
) -> tuple[Cloud, dict[str, np.ndarray], OSError | None]:
    """The cloud, the arrays that could not be written to the disk, and the error of writing."""
    store = ArrayStore(folder, max_bytes=max_bytes)
    cloud = read_cloud(encoder, corpus, **spec, store=store, progress=send_progress)
    return cloud, store.unwritten, store.failure
