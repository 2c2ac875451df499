"""Texts to vectors by blocks, into memory-mapped files; an interrupted run resumes.

A block is written and flushed, and then entered in the journal with its checksum. Every block in
the journal is therefore on disk. A block whose checksum differs is encoded again. Only the owner of
the process may read the files, as in the cache of arrays: the texts may be private.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from ..data.write import PART, write
from ..hub.download import Progress
from .encoder import Encoder
from .pool import POOLINGS, as_poolings
from .tokenizer import check_text, checked_texts

BLOCK_ROWS = 1024  # about 20 MB a pooling with the bundled encoder
JOURNAL = "journal.json"
JOURNAL_VERSION = 1
OWNER_ONLY = 0o600  # the mode of every file


@dataclass(frozen=True)
class _Job:
    """What the files contain; files of another job are deleted."""

    version: int
    fingerprint: str
    texts: str
    n: int
    layers: int
    dimension: int
    poolings: tuple[str, ...]
    special_tokens: bool
    block_rows: int

    def file_of(self, folder: Path, pooling: str) -> Path:
        return folder / f"{pooling}.npy"

    def rows_of(self, block: int) -> slice:
        return slice(block * self.block_rows, min(self.n, (block + 1) * self.block_rows))

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.layers, self.n, self.dimension)

    @property
    def blocks(self) -> int:
        return -(-self.n // self.block_rows)


def encode_to_files(
    encoder: Encoder,
    texts: Sequence[str],
    folder: Path | str,
    *,
    poolings: Sequence[str] = ("cls", "mean"),
    special_tokens: bool = True,
    block_rows: int = BLOCK_ROWS,
    progress: Progress | None = None,
) -> dict[str, np.memmap]:
    """Every layer and every pooling of the texts, as files on disk.

    One block of texts is in memory at a time. After an interruption, the same call resumes: it
    reuses the finished blocks, and ``progress`` begins with their count. Files of a call with
    another encoder, texts or settings are replaced.
    In bfloat16 no layer is refused here, as in ``encode_layers``; ``Encoder.encode``,
    ``read_cloud`` and ``evaluate_encoder`` refuse those that it can't resolve.

    Parameters
    ----------
    encoder : Encoder
    texts : sequence of str
        n texts.
    folder : path
        Empty, not there yet, or of an earlier call.
    poolings : sequence of str
    special_tokens : bool
        As in ``Encoder.encode``.
    block_rows : int
        Texts a block.
    progress : callable (int, int), optional
        Called with (texts done, texts in all).

    Returns
    -------
    dict of str to memmap
        By pooling, (n_layers + 1, n, d) float32, read-only.

    Raises
    ------
    ValueError
        For no texts, an unknown pooling or none, block_rows below 1, or a folder with other files.
    TypeError
        For a text that is not a string.
    OSError
        If the disk is full.
    """
    if not len(texts):
        raise ValueError("there are no texts to encode")
    if block_rows < 1:
        raise ValueError(f"block_rows must be 1 or more; got {block_rows}")
    folder = Path(folder)
    job = _Job(
        version=JOURNAL_VERSION,
        fingerprint=encoder.fingerprint,
        texts=_digest_of(texts),
        n=len(texts),
        layers=encoder.n_layers + 1,
        dimension=encoder.dimension,
        poolings=as_poolings(poolings),
        special_tokens=special_tokens,
        block_rows=block_rows,
    )
    finished = _begin(job, folder)
    for block in range(job.blocks):
        rows = job.rows_of(block)
        # mapped anew for each block: pages of earlier blocks would count as this process's memory
        arrays = _mapped(job, folder, "r+")
        if block in finished and finished[block] == _checksum(arrays, rows):
            _report(progress, rows.stop, job.n)
            continue
        _encode_block(job, encoder, texts, arrays, rows, progress)
        finished[block] = _checksum(arrays, rows)
        _write_journal(job, folder, finished)
    return _mapped(job, folder, "r")


def _encode_block(
    job: _Job,
    encoder: Encoder,
    texts: Sequence[str],
    arrays: dict[str, np.memmap],
    rows: slice,
    progress: Progress | None,
) -> None:
    def report(done: int, _of_block: int) -> None:
        _report(progress, rows.start + done, job.n)

    encoded = encoder.encode_layers(
        texts[rows],
        poolings=job.poolings,
        special_tokens=job.special_tokens,
        progress=report,
    )
    for name, array in arrays.items():
        array[:, rows] = encoded[name]
        array.flush()


def _begin(job: _Job, folder: Path) -> dict[int, str]:
    """Checksums of the finished blocks. Files of another job are replaced by empty ones."""
    finished = _read_journal(job, folder)
    if finished is not None:
        try:
            if all(array.shape == job.shape for array in _mapped(job, folder, "r").values()):
                return finished
        except (OSError, ValueError):  # a file is missing or truncated
            pass
    _clear(folder)
    for name in job.poolings:
        path = job.file_of(folder, name)
        path.touch(mode=OWNER_ONLY)
        np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=job.shape)
        _reserve(path)
    _write_journal(job, folder, {})
    return {}


def _clear(folder: Path) -> None:
    """Create the folder, or delete the files of an earlier call in it and nothing else."""
    ours = {JOURNAL, *(f"{name}.npy" for name in POOLINGS)}
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path.name for path in folder.iterdir())
    if others := [name for name in found if name not in ours and not name.endswith(PART)]:
        raise ValueError(f"{folder} has {others[0]}; name a folder that is empty or not there yet")
    for name in found:
        (folder / name).unlink()


def _reserve(path: Path) -> None:
    """Allocate the whole file: writing to a mapped page on a full disk would end the process."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


def _mapped(job: _Job, folder: Path, mode: Literal["r", "r+"]) -> dict[str, np.memmap]:
    return {
        name: np.lib.format.open_memmap(job.file_of(folder, name), mode=mode)
        for name in job.poolings
    }


def _read_journal(job: _Job, folder: Path) -> dict[int, str] | None:
    """Checksums of the finished blocks; None if the folder has no journal of this job."""
    try:
        journal = json.loads((folder / JOURNAL).read_text(encoding="utf-8"))
        if journal["job"] != json.loads(json.dumps(asdict(job))):
            return None
        return {int(block): checksum for block, checksum in journal["finished"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write_journal(job: _Job, folder: Path, finished: dict[int, str]) -> None:
    content = json.dumps({"job": asdict(job), "finished": finished})
    write(folder / JOURNAL, content.encode(), mode=OWNER_ONLY)


def _checksum(arrays: dict[str, np.memmap], rows: slice) -> str:
    digest = hashlib.sha256()
    for array in arrays.values():
        for layer in array:
            digest.update(layer[rows].tobytes())
    return digest.hexdigest()


def _digest_of(texts: Sequence[str]) -> str:
    """sha256 of all texts, each checked, without a copy of them."""
    if isinstance(texts, str):
        checked_texts(texts)  # raises
    digest = hashlib.sha256()
    for place, text in enumerate(texts):
        encoded = check_text(text, place)
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
